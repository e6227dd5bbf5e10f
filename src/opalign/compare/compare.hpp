// SPDX-License-Identifier: Apache-2.0
// From outcomes to a judgement: structure, shape, dtype, class map, values, in that order, over all
// outputs and gradients. It runs nothing and keeps nothing.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/judgement.hpp>
#include <opalign/base/known.hpp>
#include <opalign/base/outcome.hpp>
#include <opalign/base/touched.hpp>

namespace opalign::compare {

struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

/// The rule that turns errors into a verdict: |a - b| <= atol + rtol * |b|, b the reference, with
/// one tolerance for each dtype; nan equals nan, infinities equal their like.
struct Policy {
  std::string name;
  std::array<Tolerance, k_dtype_count> tolerance{};
};

inline constexpr std::string_view k_default_policy = "paddleapitest";

/// "paddleapitest" (1e-2, 1e-2 for all), "torch" (the table of torch.testing.assert_close).
/// An unknown name is an error that lists the known ones.
Expected<Policy> make_policy(std::string_view name, std::optional<double> atol,
                             std::optional<double> rtol);
[[nodiscard]] std::vector<std::string_view> policy_names();

/// What the plan knows and the comparison needs.
struct Context {
  std::vector<std::string> gradient_names;  ///< paths of the differentiable inputs, in order
  bool values = true;         ///< false: structure, shape and dtype only (random results)
  bool inputs_finite = true;  ///< false where the case asks for nan or inf
  /// What is known against each reference; references after the last entry have nothing.
  std::span<const std::vector<KnownDifference>> known = {};
  Touched touched = {};  ///< told of what is read of tensors
};

/// target against references (possibly none). Never fails: anything odd becomes a verdict.
[[nodiscard]] Judgement judge(const Policy& policy, const Context& context, const Outcome& target,
                              std::span<const Outcome> references);

/// Statistics of a against b, one pass over the data. Same dtype and shape.
/// `tolerance` says which elements are mismatched.
[[nodiscard]] TensorStats compare_tensors(const TensorView& a, const TensorView& b,
                                          const Tolerance& tolerance, const Touched& touched = {});

}  // namespace opalign::compare
