// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/fate.hpp>

#include <array>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include <opalign/compare/words.hpp>

namespace opalign::compare {
namespace {

struct Rule {
  Verdict as_target, as_reference;
  Reason reason;
  bool refusal = false;
};

// docs/verdicts.md has these two tables in words.
Rule rule_for(ErrorClass error) {
  using enum Verdict;
  switch (error) {
    case ErrorClass::not_registered:
      return {unsupported, unsupported, Reason::not_registered};
    case ErrorClass::no_such_dtype:
      return {unsupported, unsupported, Reason::no_such_dtype};
    case ErrorClass::no_such_name:
      return {invalid, unsupported, Reason::no_such_name};
    case ErrorClass::not_allowed:
      return {invalid, unsupported, Reason::not_allowed};
    case ErrorClass::out_of_memory:
      return {out_of_memory, reference_error, Reason::memory_limit};
    case ErrorClass::output_limit:
      return {out_of_memory, reference_error, Reason::output_limit};
    case ErrorClass::translation:
      return {target_error, reference_error, Reason::translation};
    case ErrorClass::invalid_argument:
      return {target_error, too_permissive, Reason::invalid_argument, true};
    case ErrorClass::other:
      break;
  }
  return {target_error, reference_error, Reason::exception, true};
}

std::optional<Rule> rule_for(const Outcome& outcome) {
  using enum Verdict;
  switch (outcome.status) {
    case OutcomeStatus::died:
      return Rule{crash, reference_error, outcome.signal != 0 ? Reason::signal : Reason::exited};
    case OutcomeStatus::broke_protocol:
      return Rule{crash, reference_error, Reason::protocol};
    case OutcomeStatus::timed_out:
      return Rule{timeout, reference_error, Reason::time_limit};
    case OutcomeStatus::not_run:
      return Rule{unsupported, unsupported, Reason::no_translation};
    case OutcomeStatus::failed:
      return rule_for(outcome.error ? outcome.error->kind : ErrorClass::other);
    case OutcomeStatus::finished:
      break;
  }
  return outcome.error ? std::optional(rule_for(outcome.error->kind)) : std::nullopt;
}

Stage stage_of(const Outcome& outcome) {
  if (outcome.status == OutcomeStatus::not_run)
    return Stage::plan;
  const bool raised =
      outcome.status == OutcomeStatus::failed || outcome.status == OutcomeStatus::finished;
  return raised && outcome.error ? outcome.error->stage : outcome.stage;
}

std::string signal_name(int signal) {
  constexpr std::array k_names{std::pair{SIGABRT, " (SIGABRT)"}, std::pair{SIGBUS, " (SIGBUS)"},
                               std::pair{SIGFPE, " (SIGFPE)"},   std::pair{SIGILL, " (SIGILL)"},
                               std::pair{SIGKILL, " (SIGKILL)"}, std::pair{SIGSEGV, " (SIGSEGV)"},
                               std::pair{SIGSYS, " (SIGSYS)"},   std::pair{SIGTRAP, " (SIGTRAP)"}};
  for (const auto& [number, name] : k_names)
    if (number == signal)
      return name;
  return "";
}

Judgement say(Verdict verdict, const Fate& fate, std::string runner, std::string message) {
  return {verdict, fate.stage, fate.reason, std::move(runner), std::move(message), {}};
}

}  // namespace

std::optional<Fate> fate_of(const Outcome& outcome) {
  const std::optional<Rule> rule = rule_for(outcome);
  if (!rule)
    return std::nullopt;
  return Fate{rule->as_target, rule->as_reference, rule->reason,
              rule->refusal,   stage_of(outcome),  outcome.status == OutcomeStatus::finished};
}

std::string account(const Outcome& outcome) {
  const std::string words = outcome.error ? words_of(*outcome.error) : "";
  const std::string tail = words.empty() ? "" : ": " + words;
  const std::string_view stage = label(stage_of(outcome));
  switch (outcome.status) {
    case OutcomeStatus::died:
      if (outcome.signal != 0)
        return fmt::format("{} died by signal {}{} in {}{}", outcome.runner, outcome.signal,
                           signal_name(outcome.signal), stage, tail);
      return fmt::format("{} exited with code {} in {}{}", outcome.runner, outcome.exit_code, stage,
                         tail);
    case OutcomeStatus::broke_protocol:
      return fmt::format("{} broke the protocol in {}{}", outcome.runner, stage, tail);
    case OutcomeStatus::timed_out:
      return fmt::format("{} reached the time limit in {}{}", outcome.runner, stage, tail);
    case OutcomeStatus::not_run:
      return fmt::format("no translation for {}{}", outcome.runner, tail);
    case OutcomeStatus::failed:
    case OutcomeStatus::finished:
      break;
  }
  return fmt::format("{}: {}", outcome.runner, words.empty() ? "failed without an error" : words);
}

std::optional<Judgement> decide(const Outcome& target, const std::optional<Fate>& target_fate,
                                const Outcome& reference,
                                const std::optional<Fate>& reference_fate) {
  const std::optional<Fate>&t = target_fate, &r = reference_fate;
  if (t && !t->refusal)
    return say(t->as_target, *t, target.runner, account(target));
  if (t && (!r || r->stage > t->stage))
    return say(t->as_target, *t, target.runner, account(target));
  if (r && !r->refusal)
    return say(r->as_reference, *r, reference.runner, account(reference));
  if (t && t->stage == r->stage)
    return say(Verdict::both_error, *t, "", account(target) + "; " + account(reference));
  if (r && r->as_reference == Verdict::too_permissive)
    return say(r->as_reference, *r, target.runner,
               fmt::format("{} accepts what the reference refuses; {}", target.runner,
                           account(reference)));
  if (r)
    return say(r->as_reference, *r, reference.runner, account(reference));
  return std::nullopt;
}

}  // namespace opalign::compare
