// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/shape.hpp>

#include <fmt/ranges.h>

namespace opalign {

std::optional<std::int64_t> numel(const Shape& shape) {
  std::int64_t product = 1;
  bool overflowed = false;
  bool empty = false;
  for (std::int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    overflowed |= __builtin_mul_overflow(product, size == 0 ? 1 : size, &product);
  }
  if (empty)
    return 0;
  return overflowed ? std::nullopt : std::optional(product);
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace opalign
