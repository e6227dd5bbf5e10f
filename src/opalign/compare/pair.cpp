// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/pair.hpp>

#include <utility>

#include <fmt/ranges.h>

#include <opalign/compare/fate.hpp>
#include <opalign/compare/known.hpp>
#include <opalign/compare/walk.hpp>
#include <opalign/compare/words.hpp>

namespace opalign::compare {
namespace {

/// The fate if it kept the forward results from coming back (or, `results` true, if it did not).
std::optional<Fate> if_results(const std::optional<Fate>& fate, bool results) {
  return fate && fate->has_results == results ? fate : std::nullopt;
}

Judgement differs(const Tally& tally) {
  const LeafComparison& first = tally.first();
  std::string message = first.message;
  if (const std::int64_t more = tally.differing_count() - 1; more > 0)
    message += fmt::format(" and {} more", more);
  return {Verdict::differs, first.stage, first.reason, "", std::move(message), {}};
}

Judgement agrees(const Context& context, const Tally& tally) {
  if (!tally.known().empty())
    return excuse_by(tally.known(), differs(tally));
  if (!context.values || tally.proves_something())
    return {Verdict::pass, Stage::none, Reason::none, "", "", {}};
  return {Verdict::vacuous,
          Stage::none,
          Reason::none,
          "",
          "agreement proves nothing: " + tally.emptiness(),
          {}};
}

}  // namespace

std::optional<Judgement> judge_inputs(const Outcome& outcome) {
  if (outcome.modified.empty())
    return std::nullopt;
  return Judgement{Verdict::differs,
                   Stage::forward,
                   Reason::input_modified,
                   outcome.runner,
                   one_line(fmt::format("{} changed its input {}", outcome.runner,
                                        fmt::join(outcome.modified, ", "))),
                   {}};
}

Judgement judge_pair(const Policy& policy, const Context& context, const Outcome& target,
                     const Outcome& reference, std::span<const KnownDifference> known) {
  const std::optional<Fate> t = fate_of(target), r = fate_of(reference);
  if (std::optional<Judgement> lost =
          decide(target, if_results(t, false), reference, if_results(r, false)))
    return excuse(known, *lost);

  Tally tally(known);
  compare_results(policy, context, target.outputs, reference.outputs, tally);
  const bool forward_agrees = tally.agrees();
  if (!t && !r)
    compare_gradients(policy, context, target, reference, tally);

  // What happened first decides: forward results, inputs, later errors, gradients.
  const auto verdict = [&]() -> Judgement {
    if (!forward_agrees)
      return differs(tally);
    if (std::optional<Judgement> modified = judge_inputs(target))
      return *modified;
    if (std::optional<Judgement> modified = judge_inputs(reference))
      return *modified;
    if (std::optional<Judgement> failed =
            decide(target, if_results(t, true), reference, if_results(r, true)))
      return excuse(known, *failed);
    return tally.agrees() ? agrees(context, tally) : differs(tally);
  };
  Judgement judgement = verdict();
  judgement.leaves = tally.leaves();
  return judgement;
}

}  // namespace opalign::compare
