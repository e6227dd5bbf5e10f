// SPDX-License-Identifier: Apache-2.0
// Fills whose elements depend on each other: what holds among them, in every dtype.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>
#include <set>

#include "value_support.hpp"

using namespace opalign::value;
using namespace value_test;

namespace {

std::set<double> line_of(const std::vector<double>& values, std::size_t first, std::size_t length,
                         std::size_t stride) {
  std::set<double> result;
  for (std::size_t i = 0; i < length; ++i)
    result.insert(values.at(first + i * stride));
  return result;
}

using Matrix = std::vector<std::vector<std::complex<double>>>;

Matrix matrix_of(const Fill& how, DType dtype, std::size_t rows, std::size_t columns,
                 std::size_t batch = 0) {
  const std::int64_t r = static_cast<std::int64_t>(rows), c = static_cast<std::int64_t>(columns);
  const std::vector<std::byte> data = filled(how, dtype, {2, r, c});
  Matrix result(rows, std::vector<std::complex<double>>(columns));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = (batch * rows + i) * columns + j;
      const bool is_complex = kind_of(dtype) == opalign::DTypeKind::complex;
      result[i][j] = {element(data, dtype, at), is_complex ? element(data, dtype, at, 1) : 0};
    }
  return result;
}

/// The least pivot of a Cholesky factorization; negative or 0 where the matrix is not definite.
double least_pivot(Matrix a) {
  double least = 1e300;
  for (std::size_t k = 0; k < a.size(); ++k) {
    least = std::min(least, a[k][k].real());
    if (least <= 0)
      return least;
    for (std::size_t i = k + 1; i < a.size(); ++i)
      for (std::size_t j = k + 1; j < a.size(); ++j)
        a[i][j] -= a[i][k] * std::conj(a[j][k]) / a[k][k].real();
  }
  return least;
}

bool is_hermitian(const Matrix& a) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j)
      if (a[i][j] != std::conj(a[j][i]))
        return false;
  return true;
}

}  // namespace

TEST_CASE("distinct: no two alike in a line along the axis") {
  for (const DType dtype : all_dtypes()) {
    if (dtype == DType::boolean || size_of(dtype) == 1)
      continue;
    CAPTURE(name(dtype));
    for (const std::int64_t n : {6, 9, 100, 200}) {
      const std::vector<double> values = numbers(Distinct{n, 1}, dtype, {4, 6, 5});
      for (std::size_t outer = 0; outer < 4; ++outer)
        for (std::size_t inner = 0; inner < 5; ++inner)
          CHECK(line_of(values, outer * 30 + inner, 6, 5).size() == 6);
      CHECK(moments(values).least >= 0);
      CHECK(moments(values).most < static_cast<double>(n));
    }
  }
}

TEST_CASE("distinct: the whole tensor, a permutation, and repetition only as often as needed") {
  const std::vector<double> all = numbers(Distinct{120, -1}, DType::int64, {4, 30});
  CHECK(line_of(all, 0, 120, 1).size() == 120);
  CHECK(!std::ranges::is_sorted(all));
  CHECK(moments(all).most == 119);
  CHECK(numbers(Distinct{1, -1}, DType::int32, {}) == std::vector<double>{0});
  std::map<double, int> seen;
  for (const double x : numbers(Distinct{3, 0}, DType::int32, {8}))
    ++seen[x];
  for (const auto& [value, times] : seen)
    CHECK((times == 2 || times == 3));
  CHECK(seen.size() == 3);
  CHECK(line_of(numbers(Distinct{1LL << 60, -1}, DType::int64, {500}), 0, 500, 1).size() == 500);
  // A bool holds two values, float8_e5m2 the integers up to 8.
  CHECK(line_of(numbers(Distinct{50, 0}, DType::boolean, {2}), 0, 2, 1).size() == 2);
  CHECK(line_of(numbers(Distinct{50, 0}, DType::float8_e5m2, {9}), 0, 9, 1).size() == 9);
}

TEST_CASE("distinct: every place takes every value equally often") {
  for (const std::int64_t n : {4, 40}) {
    const std::vector<double> values = numbers(Distinct{n, 1}, DType::int32, {20000, 4});
    for (std::size_t place = 0; place < 4; ++place) {
      double mean = 0;
      for (std::size_t line = 0; line < 20000; ++line)
        mean += values[4 * line + place] / 20000;
      CHECK(mean == doctest::Approx(static_cast<double>(n - 1) / 2).epsilon(0.03));
    }
  }
}

TEST_CASE("distinct: errors") {
  CHECK(error_of(Distinct{5, 2}, DType::int32, {3, 4}) ==
        "distinct: expected an axis of the shape [3, 4], got 2");
  CHECK(error_of(Distinct{0, 0}, DType::int32, {3}) ==
        "distinct: expected n >= 1 for the shape [3], got 0");
  CHECK(error_of(Distinct{0, 0}, DType::int32, {0}) == "no error");
}

TEST_CASE("sorted: ascending, in range, with both gaps and repetition") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    const std::vector<double> values = numbers(SortedIntegers{1, 7}, dtype, {3, 50});
    CHECK(std::ranges::is_sorted(values));
    CHECK(moments(values).least >= (dtype == DType::boolean ? 0 : 1));
    CHECK(moments(values).most == (dtype == DType::boolean ? 1 : 6));
  }
  CHECK(line_of(numbers(SortedIntegers{0, 100}, DType::int32, {100}), 0, 100, 1).size() < 80);
  CHECK(numbers(SortedIntegers{4, 4}, DType::int32, {2}) == std::vector<double>{4, 4});
}

TEST_CASE("split: parts that sum to the whole") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    const std::int64_t n = size_of(dtype) == 1 ? (dtype == DType::boolean ? 1 : 8) : 200;
    const std::vector<double> parts = numbers(Split{n}, dtype, {5, 2});
    CHECK(moments(parts).least >= 0);
    CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == static_cast<double>(n));
  }
  CHECK(numbers(Split{7}, DType::int32, {}) == std::vector<double>{7});
  CHECK(error_of(Split{-1}, DType::int8, {2}) == "split: expected 0 <= n <= 127 for int8, got -1");
  CHECK(error_of(Split{128}, DType::int8, {2}) ==
        "split: expected 0 <= n <= 127 for int8, got 128");
  CHECK(error_of(Split{1}, DType::int8, {0}) ==
        "split: expected an element to hold 1, got the shape [0]");
  CHECK(error_of(Split{0}, DType::int8, {0}) == "no error");
}

TEST_CASE("probability: positive, and lines sum to 1") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    const bool real = opalign::is_differentiable(dtype);
    const double unit = dtype == DType::float16    ? 1e-3
                        : dtype == DType::bfloat16 ? 8e-3
                        : size_of(dtype) == 1      ? 0.15
                                                   : 1e-6;
    for (const int axis : {0, 1, 2}) {
      const std::vector<double> values = numbers(Probability{axis}, dtype, {4, 5, 6});
      const std::size_t length = static_cast<std::size_t>(4 + axis), stride = axis == 0   ? 30
                                                                              : axis == 1 ? 6
                                                                                          : 1;
      for (std::size_t line = 0; line < 120 / length; ++line) {
        double sum = 0;
        for (std::size_t i = 0; i < length; ++i)
          sum += values[line / stride * length * stride + line % stride + i * stride];
        CHECK(std::abs(sum - 1) <= (real ? unit : 0));
      }
      CHECK((moments(values).least > 0) == real);
    }
  }
  CHECK(numbers(Probability{0}, DType::float32, {1}) == std::vector<double>{1});
  CHECK(error_of(Probability{0}, DType::float32, {}) ==
        "probability: expected an axis of the shape [], got 0");
  CHECK(error_of(Probability{-1}, DType::float32, {3}) ==
        "probability: expected an axis of the shape [3], got -1");
  CHECK(error_of(Probability{1}, DType::float32, {0, 3}) == "no error");
}

TEST_CASE("spd: hermitian and positive definite in every dtype and size") {
  for (const DType dtype : all_dtypes())
    for (const std::size_t n : {1u, 2u, 3u, 17u, 64u}) {
      CAPTURE(name(dtype));
      CAPTURE(n);
      for (const std::size_t batch : {0u, 1u}) {
        const Matrix a = matrix_of(PositiveDefinite{}, dtype, n, n, batch);
        CHECK(is_hermitian(a));
        CHECK(least_pivot(a) > 0.25);
      }
    }
  const Matrix a = matrix_of(PositiveDefinite{}, DType::complex128, 3, 3);
  CHECK(a[0][1].imag() != 0);
  CHECK(a[0][1] != matrix_of(PositiveDefinite{}, DType::complex128, 3, 3, 1)[0][1]);
}

TEST_CASE("symmetric: hermitian, with values of both signs") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    CHECK(is_hermitian(matrix_of(Symmetric{}, dtype, 9, 9)));
    const Moments m = moments(numbers(Symmetric{}, dtype, {9, 9}));
    CHECK(m.least < m.most);
    const bool has_sign = kind_of(dtype) != opalign::DTypeKind::boolean &&
                          kind_of(dtype) != opalign::DTypeKind::unsigned_integer;
    CHECK((m.least < 0) == has_sign);
  }
  CHECK(matrix_of(Symmetric{}, DType::complex64, 3, 3)[0][2].imag() != 0);
}

TEST_CASE("triangular and well conditioned: zeros, and a diagonal that outweighs its row") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{8, 8}, {5, 8}, {8, 5}}) {
      const Matrix upper = matrix_of(Triangular{true}, dtype, rows, columns);
      const Matrix lower = matrix_of(Triangular{false}, dtype, rows, columns);
      const Matrix full = matrix_of(WellConditioned{}, dtype, rows, columns);
      for (std::size_t i = 0; i < rows; ++i) {
        double rest = 0;
        for (std::size_t j = 0; j < columns; ++j) {
          CHECK((i <= j || std::abs(upper[i][j]) == 0));
          CHECK((i >= j || std::abs(lower[i][j]) == 0));
          rest += i == j ? 0 : std::abs(full[i][j]);
        }
        if (i < columns) {
          CHECK(std::abs(full[i][i]) - rest > 0.25);
          // Negative numbers have no place in unsigned dtypes.
          CHECK((kind_of(dtype) == opalign::DTypeKind::unsigned_integer ||
                 std::abs(upper[i][i]) >= 0.5));
        }
      }
    }
  }
  CHECK(std::abs(matrix_of(Triangular{true}, DType::float32, 8, 8)[0][7]) > 0);
  CHECK(std::abs(matrix_of(Triangular{false}, DType::float32, 8, 8)[7][0]) > 0);
}

TEST_CASE("matrices: shapes that are none are errors, empty ones are not") {
  CHECK(error_of(PositiveDefinite{}, DType::float32, {2, 3}) ==
        "spd: expected a square matrix, got the shape [2, 3]");
  CHECK(error_of(Symmetric{}, DType::float32, {3}) ==
        "symmetric: expected a matrix, got the shape [3]");
  CHECK(error_of(WellConditioned{}, DType::float32, {}) ==
        "well_conditioned: expected a matrix, got the shape []");
  CHECK(error_of(Triangular{true}, DType::float32, {4}) ==
        "triangular: expected a matrix, got the shape [4]");
  CHECK(error_of(PositiveDefinite{}, DType::float32, {0, 0}) == "no error");
  CHECK(error_of(Triangular{true}, DType::float32, {3, 0}) == "no error");
}

TEST_CASE("boxes: ordered and inside, in every dtype") {
  for (const DType dtype : all_dtypes())
    for (const auto& [width, height] :
         {std::pair{800.0, 640.0}, {31.5, 7.0}, {1.0, 1.0}, {2000.0, 3.0}}) {
      CAPTURE(name(dtype));
      CAPTURE(width);
      const std::vector<double> v = numbers(Boxes{width, height}, dtype, {300, 4});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < v.size(); i += 4)
        wrong += !(0 <= v[i] && v[i] < v[i + 2] && v[i + 2] <= width && 0 <= v[i + 1] &&
                   v[i + 1] < v[i + 3] && v[i + 3] <= height);
      CHECK(wrong == 0);
    }
  const std::vector<double> v = numbers(Boxes{100, 50}, DType::float32, {500, 4});
  for (std::size_t i = 0; i < v.size(); i += 4)
    CHECK(v[i + 2] - v[i] > 0.999);
  CHECK(moments(v).most > 90);
  CHECK(error_of(Boxes{3, 3}, DType::float32, {4, 5}) ==
        "boxes: expected a last dim of 4, got the shape [4, 5]");
  CHECK(error_of(Boxes{0, 3}, DType::float32, {4, 4}) ==
        "boxes: expected a width and a height above 0, got 0 and 3");
  CHECK(error_of(Boxes{3, 3}, DType::float32, {0, 4}) == "no error");
}
