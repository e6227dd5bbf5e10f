// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/walk.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace opalign::compare {
namespace {

using Gradient = std::optional<TensorView>;

/// No gradient is a gradient of zeros. A malformed one is neither.
bool is_zero(const Gradient& gradient, const Touched& touched) {
  if (!gradient)
    return true;
  if (!readable(*gradient))
    return false;
  const Content content = content_of(*gradient, touched);
  return content == Content::zero || content == Content::empty;
}

/// The runner that alone is differentiable; its gradients count only if one is not zero.
void compare_one_sided(const Context& context, const Outcome& with, const Outcome& without,
                       Tally& tally) {
  if (std::ranges::all_of(with.gradients, [&](const Gradient& gradient) {
        return is_zero(gradient, context.touched);
      }))
    return tally.add_nothing();
  LeafComparison leaf;
  leaf.stage = Stage::backward;
  leaf.path = "gradients";
  leaf.reason = Reason::structure;
  leaf.message = fmt::format("{} is differentiable here, {} is not", with.runner, without.runner);
  tally.add(std::move(leaf), Content::something);
}

void compare_with_null(const Context& context, const std::string& path, const Gradient& a,
                       const Gradient& b, Tally& tally) {
  LeafComparison leaf;
  leaf.stage = Stage::backward;
  leaf.path = path;
  const Gradient& there = a ? a : b;
  if (readable(*there)) {
    leaf.dtype = name(there->dtype);
    leaf.shape = there->shape;
  }
  if (!is_zero(there, context.touched)) {
    leaf.reason = Reason::structure;
    leaf.message = fmt::format("{}: only the {} has a gradient that is not zero", path,
                               a ? "target" : "reference");
  }
  tally.add(std::move(leaf), Content::zero);
}

}  // namespace

std::string gradient_path(const Context& context, std::size_t index) {
  return index < context.gradient_names.size()
             ? fmt::format("grad({})", context.gradient_names[index])
             : fmt::format("grad(#{})", index);
}

void compare_gradients(const Policy& policy, const Context& context, const Outcome& target,
                       const Outcome& reference, Tally& tally) {
  if (!target.has_gradients && !reference.has_gradients)
    return;
  if (target.has_gradients != reference.has_gradients) {
    if (context.values)
      compare_one_sided(context, target.has_gradients ? target : reference,
                        target.has_gradients ? reference : target, tally);
    return;
  }
  for (std::size_t i = 0; i < std::max(target.gradients.size(), reference.gradients.size()); ++i) {
    const auto at = [i](const Outcome& outcome) {
      return i < outcome.gradients.size() ? outcome.gradients[i] : Gradient{};
    };
    const Gradient a = at(target), b = at(reference);
    const std::string path = gradient_path(context, i);
    if (a && b)
      compare_leaf(policy, context, Stage::backward, path, *a, *b, tally);
    else if (!a && !b)
      tally.add_nothing();
    else if (context.values)
      compare_with_null(context, path, a, b, tally);
  }
}

}  // namespace opalign::compare
