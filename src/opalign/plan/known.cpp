// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/known.hpp>

#include <algorithm>

#include <opalign/plan/inputs.hpp>

namespace opalign::plan {
namespace {

bool holds(const catalog::Known& known, const catalog::Bound& bound,
           std::span<const Input> inputs) {
  if (!known.dtypes.empty() && std::ranges::none_of(inputs, [&](const Input& input) {
        return std::ranges::find(known.dtypes, input.dtype) != known.dtypes.end();
      }))
    return false;
  // A condition that makes no sense for these arguments excuses nothing.
  return !known.when || holds_for(*known.when, bound).value_or(false);
}

}  // namespace

std::vector<std::vector<KnownDifference>> known_differences(
    const catalog::Entry& entry, const catalog::Bound& bound, std::span<const Input> inputs,
    std::span<const std::string> frameworks) {
  std::vector<std::vector<KnownDifference>> found;
  // It is the API's own framework that differs from the others.
  if (entry.known.empty() || !entry.api.starts_with(frameworks.front() + "."))
    return found;
  found.resize(frameworks.size() - 1);
  for (const catalog::Known& known : entry.known) {
    if (!holds(known, bound, inputs))
      continue;
    for (std::size_t i = 1; i < frameworks.size(); ++i)
      if (frameworks[i] != frameworks.front() &&
          (known.reference.empty() || known.reference == frameworks[i]))
        found[i - 1].push_back(known.difference);
  }
  return found;
}

}  // namespace opalign::plan
