// SPDX-License-Identifier: Apache-2.0
// The lines of a tensor along one axis, for fills whose elements depend on the rest of their line.
#pragma once

#include <span>

#include <opalign/value/draw.hpp>

namespace opalign::value {

struct Lines {
  std::int64_t count;
  std::int64_t length;
  std::int64_t stride;  ///< elements from one of a line to the next
};

/// Axis -1: one line of all elements. Fails where the shape has no such axis.
Expected<Lines> lines_along(const char* fill, int axis, const Target& target);

/// Stores one line; the imaginary parts are 0.
template <class Number>
void store_line(const Target& target, const Lines& lines, std::int64_t line,
                std::span<const Number> values) {
  const std::int64_t first =
      line / lines.stride * lines.length * lines.stride + line % lines.stride;
  const std::size_t size = size_of(target.dtype);
  if (lines.stride == 1 && !target.is_complex()) {
    store(target.dtype, values, target.out + static_cast<std::size_t>(first) * size);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::array<Number, 2> parts{values[i], Number{0}};
    const std::size_t at =
        static_cast<std::size_t>(first) + i * static_cast<std::size_t>(lines.stride);
    store(target.part(), std::span<const Number>(parts.data(), target.parts()),
          target.out + at * size);
  }
}

}  // namespace opalign::value
