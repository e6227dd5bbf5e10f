// SPDX-License-Identifier: Apache-2.0
// The two simple comparisons of which judge() is made.
#pragma once

#include <opalign/compare/compare.hpp>

namespace opalign::compare {

/// The target against one reference, from which it differs by design as `known` says.
[[nodiscard]] Judgement judge_pair(const Policy& policy, const Context& context,
                                   const Outcome& target, const Outcome& reference,
                                   std::span<const KnownDifference> known);

/// The target alone: does it run, does it leave its inputs alone, is it finite.
[[nodiscard]] Judgement judge_alone(const Context& context, const Outcome& target);

/// differs(input_modified) if the runner changed an input that is not its to change.
[[nodiscard]] std::optional<Judgement> judge_inputs(const Outcome& outcome);

}  // namespace opalign::compare
