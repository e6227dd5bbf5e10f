// SPDX-License-Identifier: Apache-2.0
// The names that a tensor's layouts have in a case's text.
#pragma once

#include <array>
#include <string_view>

#include <opalign/case/case.hpp>

namespace opalign::cases {

/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 5> k_layout_names{"contiguous", "transposed", "step",
                                                                "offset", "broadcast"};

[[nodiscard]] constexpr std::string_view name(Layout layout) {
  return k_layout_names[static_cast<std::size_t>(layout)];
}

}  // namespace opalign::cases
