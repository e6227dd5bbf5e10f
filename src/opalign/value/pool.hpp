// SPDX-License-Identifier: Apache-2.0
// The pool of upstream gradients that all workers share (docs/protocol.md, "Memory"): its layout
// and its bytes. Which slice an output takes is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <opalign/base/dtype.hpp>

namespace opalign::value {

/// Outputs larger than the pool read it round and round, so it has 127 * 2048 elements: whole pages
/// of each dtype, and rows of the usual lengths do not meet the same elements again soon.
inline constexpr std::int64_t k_pool_elements = 260096;
/// float16, bfloat16, float32, float64, complex64, complex128 in this order: 40 bytes an element.
inline constexpr std::size_t k_pool_bytes = std::size_t{k_pool_elements} * 40;

/// Where the section of a dtype starts, a multiple of 4096; nothing for dtypes without one.
[[nodiscard]] std::optional<std::size_t> pool_offset(DType dtype);

/// The element that the slices of a case start from, in any round: the `pool` of its run frame.
[[nodiscard]] std::uint64_t pool_start(std::string_view case_id, std::uint64_t seed);

/// Writes the pool, k_pool_bytes. Element i is one real value with |x| in [1/16, 1 - 2^-8) and a
/// random sign, rounded once into each dtype (no dtype rounds it to 1); it is also the real part of
/// element i of the complex sections, whose imaginary parts are drawn independently.
void fill_pool(std::uint64_t seed, std::span<std::byte> out);

}  // namespace opalign::value
