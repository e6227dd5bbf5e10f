// SPDX-License-Identifier: Apache-2.0
// Fill: how the elements of one tensor are drawn, with every number resolved. It knows nothing of
// cases or catalogs; catalog/domain.hpp turns an entry's text into one of these.
//
// Guarantee: the bytes depend on (key, fill, dtype, shape) alone, never on the machine, the thread
// count or the order of calls. Random bits come from Philox4x32-10 (philox.hpp), reals from + - * /
// and sqrt alone: no libm is called.
//
// Plain … OneOf are elementwise: element i depends on (key, i) and on no shape. Number i (two an
// element where the dtype is complex) takes word i of the stream, or words 2i and 2i + 1 where 32
// bits are too few: float64, complex128, ranges of more than 2^16 integers, normal.
//
// Reals are drawn in double and rounded once, to nearest even, into the dtype. A range [low, high)
// stays half open even then: a value that would round to `high`, or below `low`, becomes the
// nearest of the dtype inside, as long as it has one. Integer dtypes saturate, and bool is "not 0".
// Complex elements have two independent parts from the fills Plain, Uniform, Normal, Integers and
// Nonzero and the matrix fills, and the imaginary part 0 from all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <opalign/base/dtype.hpp>
#include <opalign/base/expected.hpp>
#include <opalign/base/shape.hpp>
#include <opalign/base/touched.hpp>

namespace opalign::value {

/// The default: floats and complex parts uniform in (-1, 1), the narrow ones too, signed integers
/// in [-100, 100), unsigned in [0, 200), bool true with probability 1/2.
struct Plain {
  bool operator==(const Plain&) const = default;
};
/// Reals in [low, high); on integer dtypes the integers of that range; an empty range gives `low`.
struct Uniform {
  double low, high;
  bool operator==(const Uniform&) const = default;
};
/// By the transform of Box and Muller, exact but for the rounding of double; |x - mean| <= 8.6 std.
/// Rounded to the nearest integer on integer dtypes; p = 1/2 on bool.
struct Normal {
  double mean, std;
  bool operator==(const Normal&) const = default;
};
/// Integers in [low, high), as any dtype, narrowed to what an integer dtype holds; an empty range
/// gives `low`. On bool: p = 1/2.
struct Integers {
  std::int64_t low, high;
  bool operator==(const Integers&) const = default;
};
/// |x| in [low, high) with a random sign (no sign on unsigned dtypes; bool is true): values away
/// from zero.
struct Nonzero {
  double low, high;
  bool operator==(const Nonzero&) const = default;
};
/// True, or 1, with probability p; else 0.
struct Mask {
  double p;
  bool operator==(const Mask&) const = default;
};
/// The same value everywhere.
struct Constant {
  double value;
  bool operator==(const Constant&) const = default;
};
/// start + step * flat index.
struct Arange {
  double start, step;
  bool operator==(const Arange&) const = default;
};
/// One of the values, each as likely.
struct OneOf {
  std::vector<double> values;
  bool operator==(const OneOf&) const = default;
};
/// Integers of [0, n), no two alike within a line along `axis` (from 0; -1: in the whole tensor).
/// Where a line is longer than n, or the dtype holds fewer integers without gaps, the values repeat
/// only as often as they must.
struct Distinct {
  std::int64_t n;
  int axis;
  bool operator==(const Distinct&) const = default;
};
/// Integers in [low, high), ascending over the flat tensor.
struct SortedIntegers {
  std::int64_t low, high;
  bool operator==(const SortedIntegers&) const = default;
};
/// Positive, lines along `axis` sum to 1 but for the rounding of each element; integer dtypes get
/// one 1 a line. `axis` counts from 0.
struct Probability {
  int axis;
  bool operator==(const Probability&) const = default;
};
/// Last two dims n x n: symmetric (Hermitian) positive definite; diagonal in (1, 2), all others
/// smaller than 1/n, so that it is well conditioned and its determinant harmless.
struct PositiveDefinite {
  bool operator==(const PositiveDefinite&) const = default;
};
/// Last two dims n x n: symmetric (Hermitian), uniform in (-1, 1); integers in [-100, 100],
/// unsigned ones in [0, 200].
struct Symmetric {
  bool operator==(const Symmetric&) const = default;
};
/// Last two dims m x n: triangular, diagonal of magnitude in (0.5, 1.5), all others smaller than
/// 1/max(m, n).
struct Triangular {
  bool upper;
  bool operator==(const Triangular&) const = default;
};
/// Last two dims m x n: as PositiveDefinite without the symmetry, far from rank deficient.
struct WellConditioned {
  bool operator==(const WellConditioned&) const = default;
};
/// Last dim 4: boxes x1, y1, x2, y2 with x1 < x2, y1 < y2 inside width x height, sides at least 1
/// where that fits.
struct Boxes {
  double width, height;
  bool operator==(const Boxes&) const = default;
};
/// Integers >= 0 that sum to n over the whole tensor; n must be exact in the dtype.
struct Split {
  std::int64_t n;
  bool operator==(const Split&) const = default;
};
/// Values given one by one, cycled if there are fewer; more than elements are an error.
struct Explicit {
  std::vector<double> real;
  std::vector<double> imag;           ///< empty, or as long as `real`
  std::vector<std::int64_t> integer;  ///< exact integers, used for integer dtypes when not empty
  bool operator==(const Explicit&) const = default;
};

using Fill = std::variant<Plain, Uniform, Normal, Integers, Nonzero, Mask, Constant, Arange, OneOf,
                          Distinct, SortedIntegers, Probability, PositiveDefinite, Symmetric,
                          Triangular, WellConditioned, Boxes, Split, Explicit>;

/// Key of a tensor's stream: hash of the case id, the argument's path and the run's seed.
[[nodiscard]] std::uint64_t stream_key(std::string_view case_id, std::string_view path,
                                       std::uint64_t seed);

/// Draws the elements of a dense row-major tensor into `out`, which has numel(shape) *
/// size_of(dtype) bytes. Fails where the fill makes no sense for the shape (boxes without 4).
/// `touched` is told of what has been drawn where the fill is elementwise.
Expected<void> fill(const Fill& how, DType dtype, const Shape& shape, std::uint64_t key,
                    std::span<std::byte> out, const Touched& touched = {});

}  // namespace opalign::value
