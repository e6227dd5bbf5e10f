// SPDX-License-Identifier: Apache-2.0
// From drawn numbers to elements of any dtype but the complex ones: one rounding, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <opalign/base/dtype.hpp>

namespace opalign::value {

/// Floating dtypes: nearest, ties to even. Integers: nearest, ties away from zero, saturating; nan
/// gives 0. bool: whether it is not 0.
void store(DType dtype, std::span<const double> values, std::byte* out);
/// Integers saturate; floating dtypes round by way of double (exact up to 2^53).
void store(DType dtype, std::span<const std::int64_t> values, std::byte* out);

/// The nearest integer, ties away from zero, saturating; nan gives 0.
[[nodiscard]] std::int64_t to_integer(double x);
/// The smallest integer >= x, saturating; x is not nan.
[[nodiscard]] std::int64_t ceiling(double x);

/// What a random value of [low, high) may be so that rounding keeps it there: the smallest and the
/// largest value of the floating dtype in it. Where it has none, everything.
struct Interval {
  double bottom, top;

  /// x, or the end it lies beyond. As both ends are values of the dtype and rounding is monotonic,
  /// what comes of rounding lies in the interval too.
  [[nodiscard]] double clamp(double x) const { return x < bottom ? bottom : x > top ? top : x; }
};
[[nodiscard]] Interval representable(DType dtype, double low, double high);

/// The integers from `lowest` to `highest` that the dtype holds exactly, all of them; a complex
/// dtype counts by its part, uint64 only up to the largest int64.
struct ExactIntegers {
  std::int64_t lowest, highest;
};
[[nodiscard]] ExactIntegers exact_integers(DType dtype);

}  // namespace opalign::value
