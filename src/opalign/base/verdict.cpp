// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/verdict.hpp>

#include <array>

namespace opalign {
namespace {

constexpr std::array<VerdictInfo, k_verdict_count> k_verdicts{{
    {Verdict::pass, "pass", false, "every output and gradient agrees"},
    {Verdict::vacuous, "vacuous", false, "agreement that proves nothing: empty, all zero, all nan"},
    {Verdict::known, "known", false, "differs as a catalog entry says it does, by design"},
    {Verdict::known_tolerance, "known_tolerance", false,
     "within the wider tolerance that a catalog entry allows"},
    {Verdict::expected_failure, "expected_failure", false, "fails, as the suite expects"},
    {Verdict::differs, "differs", true, "target and reference disagree"},
    {Verdict::too_permissive, "too_permissive", true,
     "the target accepts arguments that the reference refuses"},
    {Verdict::target_error, "target_error", true, "only the target raised an error"},
    {Verdict::reference_error, "reference_error", true, "only the reference failed"},
    {Verdict::both_error, "both_error", false, "target and reference both refuse the call"},
    {Verdict::crash, "crash", true, "the target's process died or broke the protocol"},
    {Verdict::timeout, "timeout", true, "the target was still running at the time limit"},
    {Verdict::out_of_memory, "out_of_memory", true, "the target ran out of memory or output space"},
    {Verdict::flaky, "flaky", true, "repeated runs of one runner disagree"},
    {Verdict::unexpected_pass, "unexpected_pass", true,
     "passes although the suite expects failure"},
    {Verdict::unsupported, "unsupported", false,
     "not implemented on this device, or no translation exists"},
    {Verdict::invalid, "invalid", false, "the case itself is wrong and did not run"},
    {Verdict::skipped, "skipped", false, "did not run: too large, or filtered out"},
}};

constexpr std::array<std::string_view, k_stage_count> k_stages{"",        "parse",    "plan",
                                                               "forward", "backward", "fetch"};

constexpr std::array<std::string_view, k_reason_count> k_reasons{
    "",
    "structure",
    "shape",
    "dtype",
    "nonfinite",
    "value",
    "input_modified",
    "unstable",
    "no_translation",
    "not_registered",
    "invalid_argument",
    "translation",
    "exception",
    "signal",
    "exited",
    "protocol",
    "time_limit",
    "memory_limit",
    "output_limit",
    "syntax",
    "no_such_name",
    "not_allowed",
    "not_bound",
    "no_such_dtype",
};

}  // namespace

std::span<const VerdictInfo> verdict_table() { return k_verdicts; }
const VerdictInfo& info(Verdict verdict) { return k_verdicts[static_cast<std::size_t>(verdict)]; }
std::string_view label(Verdict verdict) { return info(verdict).label; }
std::string_view label(Stage stage) { return k_stages[static_cast<std::size_t>(stage)]; }
std::string_view label(Reason reason) { return k_reasons[static_cast<std::size_t>(reason)]; }

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const VerdictInfo& entry : k_verdicts)
    if (entry.label == text)
      return entry.verdict;
  return std::nullopt;
}

}  // namespace opalign
