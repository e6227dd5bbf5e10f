// SPDX-License-Identifier: Apache-2.0
// Shape: sizes of a tensor's dimensions, outermost first; all sizes are >= 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opalign {

using Shape = std::vector<std::int64_t>;

/// Product of the sizes (1 for a 0-D tensor); nothing if a size is negative or the product
/// overflows.
[[nodiscard]] std::optional<std::int64_t> numel(const Shape& shape);
/// "[2, 3]", the spelling of the case language.
[[nodiscard]] std::string to_string(const Shape& shape);

}  // namespace opalign
