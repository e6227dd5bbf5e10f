// SPDX-License-Identifier: Apache-2.0
// Two result trees side by side: which leaves are pairs, and whether each pair agrees. All leaves
// are compared. Verdicts are made of this elsewhere (judge.cpp).
#pragma once

#include <opalign/base/outcome.hpp>
#include <opalign/compare/compare.hpp>
#include <opalign/compare/tally.hpp>

namespace opalign::compare {

/// Deeper trees are a difference of structure: no operator returns them, and paths stay readable.
inline constexpr int k_max_depth = 32;

/// What the target returned (a) against what the reference did (b), under the path "output".
void compare_results(const Policy& policy, const Context& context, const Result& a, const Result& b,
                     Tally& tally);

/// Entry i belongs to context.gradient_names[i]. No gradient and one that is zero everywhere agree.
void compare_gradients(const Policy& policy, const Context& context, const Outcome& target,
                       const Outcome& reference, Tally& tally);

/// "grad(x)", "grad(#2)" where the context has no name for it.
[[nodiscard]] std::string gradient_path(const Context& context, std::size_t index);

/// Shape, dtype and, where `context.values`, the elements of one pair of tensors.
void compare_leaf(const Policy& policy, const Context& context, Stage stage,
                  const std::string& path, const TensorView& a, const TensorView& b, Tally& tally);

}  // namespace opalign::compare
