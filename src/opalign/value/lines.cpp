// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/lines.hpp>

#include <fmt/format.h>

#include <opalign/value/philox.hpp>

namespace opalign::value {

Expected<Lines> lines_along(const char* fill, int axis, const Target& target) {
  if (axis == -1)
    return Lines{target.numel > 0 ? 1 : 0, target.numel, 1};
  if (axis < 0 || axis >= static_cast<int>(target.shape.size()))
    return fail(fmt::format("{}: expected an axis of the shape {}, got {}", fill,
                            to_string(target.shape), axis));
  if (target.numel == 0)
    return Lines{0, 0, 1};
  const auto at = target.shape.begin() + axis;
  std::int64_t stride = 1;
  for (auto size = at + 1; size != target.shape.end(); ++size)
    stride *= *size;
  return Lines{target.numel / *at, *at, stride};
}

Expected<void> draw(const Probability& how, const Target& target) {
  if (how.axis < 0)
    return fail(fmt::format("probability: expected an axis of the shape {}, got {}",
                            to_string(target.shape), how.axis));
  TRY_ASSIGN(const Lines lines, lines_along("probability", how.axis, target));
  const bool real = target.is_real() || target.is_complex();
  std::vector<double> values(static_cast<std::size_t>(lines.length));
  for (std::int64_t line = 0; line < lines.count; ++line) {
    Stream stream(target.key, 1 + static_cast<std::uint64_t>(line));
    if (!real) {
      // Integers can only put all of it on one element.
      std::ranges::fill(values, 0);
      values[stream.below(values.size())] = 1;
    } else {
      double sum = 0;
      for (double& value : values) {
        value = 1.0625 + centred(stream.next());
        sum += value;
      }
      for (double& value : values)
        value /= sum;
    }
    store_line<double>(target, lines, line, values);
  }
  return {};
}

}  // namespace opalign::value
