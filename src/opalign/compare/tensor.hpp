// SPDX-License-Identifier: Apache-2.0
// Questions about one tensor: may it be read, does agreement on it prove anything, is it finite;
// and its elements as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <opalign/base/tensor_view.hpp>
#include <opalign/base/touched.hpp>

namespace opalign::compare {

/// False for what only a liar sends: an unknown dtype, negative sizes, sizes beyond 63 bits of
/// bytes, elements without memory. All other functions of this folder need a readable tensor.
[[nodiscard]] bool readable(const TensorView& view);

/// What a tensor holds; all but `something` prove nothing when they agree.
enum class Content : std::uint8_t { empty, zero, nan, something };
/// zero and nan: every element is (of complex elements both parts). Stops at the first that is not.
[[nodiscard]] Content content_of(const TensorView& view, const Touched& touched = {});

/// Flat index of the first element that is nan or infinite.
[[nodiscard]] std::optional<std::int64_t> first_nonfinite(const TensorView& view,
                                                          const Touched& touched = {});

/// The element with the fewest digits that read back, in its own dtype, as the same value.
[[nodiscard]] std::string element_text(const TensorView& view, std::int64_t flat);
/// Position along each dimension.
[[nodiscard]] std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape);

}  // namespace opalign::compare
