// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/compare.hpp>

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include <opalign/compare/fate.hpp>
#include <opalign/compare/pair.hpp>

namespace opalign::compare {
namespace {

/// Which pair speaks for a target that was held against several references: the first of these that
/// any pair came to. Fates of the target are the same in all of them and come first.
constexpr std::array k_precedence{
    Verdict::invalid,    Verdict::crash,        Verdict::timeout,         Verdict::out_of_memory,
    Verdict::differs,    Verdict::target_error, Verdict::too_permissive,  Verdict::reference_error,
    Verdict::both_error, Verdict::known,        Verdict::known_tolerance, Verdict::pass,
    Verdict::vacuous,    Verdict::unsupported,
};

std::size_t precedence(const Judgement& judgement) {
  return static_cast<std::size_t>(
      std::find(k_precedence.begin(), k_precedence.end(), judgement.verdict) -
      k_precedence.begin());
}

bool agree(const Judgement& judgement) {
  return judgement.verdict == Verdict::pass || judgement.verdict == Verdict::vacuous ||
         judgement.verdict == Verdict::both_error;
}

std::span<const KnownDifference> known(const Context& context, std::size_t reference) {
  return reference < context.known.size() ? std::span(context.known[reference])
                                          : std::span<const KnownDifference>();
}

/// The references on one side of the question.
struct Party {
  std::vector<const Outcome*> members;

  [[nodiscard]] std::string names() const {
    std::vector<std::string_view> runners;
    for (const Outcome* member : members)
      runners.push_back(member->runner);
    return fmt::format("{}", fmt::join(runners, " and "));
  }
};

/// Adds to the message who stands with whom; names the odd one out if there is one.
void attribute(const Policy& policy, const Context& context, const Outcome& target,
               const Party& with, const Party& against, Judgement& judgement) {
  if (!with.members.empty()) {
    const bool odd = against.members.size() == 1;
    judgement.message += fmt::format("; {} agrees with {}{}", target.runner, with.names(),
                                     odd ? fmt::format(": {} is the odd one out", against.names())
                                         : "; not with " + against.names());
    if (odd)
      judgement.runner = against.members.front()->runner;
    return;
  }
  const Outcome& first = *against.members.front();
  const bool united = std::all_of(
      against.members.begin() + 1, against.members.end(),
      [&](const Outcome* other) { return agree(judge_pair(policy, context, first, *other, {})); });
  if (united) {
    judgement.message +=
        fmt::format("; {} agree: {} is the odd one out", against.names(), target.runner);
    judgement.runner = target.runner;
  } else {
    judgement.message += fmt::format("; {} disagree too", against.names());
  }
}

Judgement judge_several(const Policy& policy, const Context& context, const Outcome& target,
                        std::span<const Outcome> references) {
  Party with, against;
  std::optional<Judgement> chosen;
  const Outcome* chosen_reference = nullptr;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Outcome& reference = references[i];
    Judgement judgement = judge_pair(policy, context, target, reference, known(context, i));
    if (agree(judgement))
      with.members.push_back(&reference);
    else if (judgement.verdict != Verdict::unsupported)
      against.members.push_back(&reference);
    if (!chosen || precedence(judgement) < precedence(*chosen)) {
      chosen = std::move(judgement);
      chosen_reference = &reference;
    }
  }
  const std::optional<Fate> fate = fate_of(target);
  const bool by_fate_alone = fate && !fate->refusal && chosen->runner == target.runner;
  if (!against.members.empty() && !by_fate_alone) {
    chosen->message = fmt::format("against {}: {}", chosen_reference->runner, chosen->message);
    if (with.members.size() + against.members.size() > 1)
      attribute(policy, context, target, with, against, *chosen);
  }
  return std::move(*chosen);
}

}  // namespace

Judgement judge(const Policy& policy, const Context& context, const Outcome& target,
                std::span<const Outcome> references) {
  if (references.empty())
    return judge_alone(context, target);
  if (references.size() == 1)
    return judge_pair(policy, context, target, references.front(), known(context, 0));
  return judge_several(policy, context, target, references);
}

}  // namespace opalign::compare
