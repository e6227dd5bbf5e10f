// SPDX-License-Identifier: Apache-2.0
// Fills whose elements do not depend on each other: ranges, moments, splitting.
#include <algorithm>
#include <cmath>
#include <limits>

#include "value_support.hpp"

using namespace opalign::value;
using namespace value_test;
using opalign::DTypeKind;

namespace {

const std::vector<Fill> k_elementwise{
    Plain{},           Uniform{-3, 5}, Normal{1, 2},  Integers{-5, 9}, Integers{0, 1 << 20},
    Nonzero{0.5, 1.5}, Mask{0.3},      Constant{2.5}, Arange{-3, 0.5}, OneOf{{1, 2, -7}}};

}  // namespace

TEST_CASE("fill: an element depends on key and place, not on the size of the tensor") {
  for (const Fill& how : k_elementwise)
    for (const DType dtype : all_dtypes()) {
      CAPTURE(how.index());
      CAPTURE(name(dtype));
      const std::vector<std::byte> all = filled(how, dtype, {1000});
      for (const std::int64_t size : {0, 1, 3, 255, 256, 257, 513}) {
        const std::vector<std::byte> some = filled(how, dtype, {size});
        CHECK(std::equal(some.begin(), some.end(), all.begin()));
      }
      CHECK(filled(how, dtype, {10, 100}) == all);
    }
}

TEST_CASE("fill: other keys give other values") {
  for (const DType dtype : all_dtypes())
    CHECK(filled(Plain{}, dtype, {64}, 1) != filled(Plain{}, dtype, {64}, 2));
  CHECK(stream_key("a", "b", 0) != stream_key("a", "b", 1));
  CHECK(stream_key("a", "b", 0) != stream_key("a", "c", 0));
  CHECK(stream_key("a", "b", 0) != stream_key("ab", "", 0));
  CHECK(stream_key("a", "11", 1) != stream_key("a", "1", 11));
}

TEST_CASE("fill: 0-D tensors have one element, empty ones none") {
  for (const Fill& how : k_elementwise)
    for (const DType dtype : all_dtypes()) {
      CHECK(filled(how, dtype, {}) == filled(how, dtype, {1}));
      CHECK(filled(how, dtype, {3, 0, 2}).empty());
    }
}

TEST_CASE("fill: the buffer must have the size of the tensor") {
  std::vector<std::byte> out(11);
  const auto done = fill(Plain{}, DType::float32, {3}, 1, out);
  REQUIRE(!done);
  CHECK(done.error().message == "fill: expected room for [3] float32, got 11 bytes");
  CHECK(!fill(Plain{}, DType::float32, {-1}, 1, out));
}

TEST_CASE("plain: open interval, symmetric, without zero in float32 and float64") {
  for (const DType dtype : all_dtypes()) {
    if (!is_differentiable(dtype))
      continue;
    CAPTURE(name(dtype));
    for (std::size_t part = 0; part < (kind_of(dtype) == DTypeKind::complex ? 2 : 1); ++part) {
      const std::vector<double> values = numbers(Plain{}, dtype, {40000}, 3, part);
      const Moments m = moments(values);
      CHECK(m.least > -1);
      CHECK(m.most < 1);
      CHECK(m.least <= -0.875);
      CHECK(m.most >= 0.875);
      CHECK(std::abs(m.mean) < 0.01);
      CHECK(m.variance == doctest::Approx(1.0 / 3).epsilon(0.02));
      if (size_of(dtype) >= 4)
        CHECK(std::ranges::count(values, 0.0) == 0);
    }
  }
  CHECK(numbers(Plain{}, DType::complex64, {9}, 3, 0) !=
        numbers(Plain{}, DType::complex64, {9}, 3, 1));
}

TEST_CASE("plain: integers and bool") {
  for (const DType dtype : {DType::int8, DType::int16, DType::int32, DType::int64}) {
    const Moments m = moments(numbers(Plain{}, dtype, {20000}));
    CHECK(m.least == -100);
    CHECK(m.most == 99);
    CHECK(std::abs(m.mean + 0.5) < 1.5);
    CHECK(m.variance == doctest::Approx((200.0 * 200 - 1) / 12).epsilon(0.03));
  }
  for (const DType dtype : {DType::uint8, DType::uint16, DType::uint32, DType::uint64}) {
    const Moments m = moments(numbers(Plain{}, dtype, {20000}));
    CHECK(m.least == 0);
    CHECK(m.most == 199);
  }
  const Moments coins = moments(numbers(Plain{}, DType::boolean, {20000}));
  CHECK(coins.most == 1);
  CHECK(std::abs(coins.mean - 0.5) < 0.015);
}

TEST_CASE("uniform: rounding never reaches the upper end where the dtype has a value below it") {
  for (const DType dtype : all_dtypes()) {
    if (!is_differentiable(dtype))
      continue;
    CAPTURE(name(dtype));
    for (const auto& [low, high] : {std::pair{0.0, 1.0}, {-3.0, 5.0}, {0.1, 2.0}, {-2.0, -1.0}}) {
      const Moments m = moments(numbers(Uniform{low, high}, dtype, {50000}));
      CHECK(m.least >= low);
      CHECK(m.most < high);
      CHECK(m.mean == doctest::Approx((low + high) / 2).epsilon(0.04));
      CHECK(m.variance == doctest::Approx((high - low) * (high - low) / 12)
                              .epsilon(dtype == DType::float8_e5m2 ? 0.2 : 0.04));
    }
  }
  // No bfloat16 lies between: the nearest one is all there is.
  CHECK(numbers(Uniform{1000.1, 1000.2}, DType::bfloat16, {1}).at(0) == 1000);
  CHECK(numbers(Uniform{2, 2}, DType::float32, {3}) == std::vector<double>{2, 2, 2});
  constexpr double k_most = std::numeric_limits<double>::max();
  CHECK(std::isfinite(moments(numbers(Uniform{-k_most, k_most}, DType::float64, {99})).most));
}

TEST_CASE("uniform on integers: the integers of the range, within what the dtype holds") {
  const Moments m = moments(numbers(Uniform{-1.5, 2.5}, DType::int32, {1000}));
  CHECK(m.least == -1);
  CHECK(m.most == 2);
  CHECK(moments(numbers(Uniform{-5, 3}, DType::uint8, {1000})).least == 0);
  CHECK(moments(numbers(Uniform{-5, 3}, DType::uint8, {1000})).most == 2);
  const Moments wide = moments(numbers(Uniform{-1e30, 1e30}, DType::int8, {5000}));
  CHECK(wide.least == -128);
  CHECK(wide.most == 127);
}

TEST_CASE("integers: both ends, empty ranges, narrow dtypes, wide ranges") {
  for (const DType dtype : all_dtypes()) {
    if (dtype == DType::boolean)
      continue;
    CAPTURE(name(dtype));
    const Moments m = moments(numbers(Integers{2, 7}, dtype, {500}));
    CHECK(m.least == 2);
    CHECK(m.most == 6);
    CHECK(moments(numbers(Integers{3, 3}, dtype, {9})).most == 3);
    CHECK(moments(numbers(Integers{3, 1}, dtype, {9})).most == 3);
  }
  // 999 would round to 1000 in bfloat16, an index out of range.
  CHECK(moments(numbers(Integers{0, 1000}, DType::bfloat16, {9999})).most == 996);
  CHECK(moments(numbers(Integers{-1001, 0}, DType::bfloat16, {9999})).least == -1000);
  const Moments byte = moments(numbers(Integers{0, 1000}, DType::uint8, {9999}));
  CHECK(byte.most == 255);
  CHECK(std::abs(byte.mean - 127.5) < 5);
  CHECK(moments(numbers(Integers{300, 400}, DType::uint8, {9})).least == 255);
  CHECK(moments(numbers(Integers{-9, -1}, DType::uint8, {9})).most == 0);
  using Limits = std::numeric_limits<std::int64_t>;
  const Moments all =
      moments(numbers(Integers{Limits::min(), Limits::max()}, DType::int64, {9999}));
  CHECK(all.least < -9.2e18);
  CHECK(all.most > 9.2e18);
  CHECK(std::abs(moments(numbers(Integers{5, 6}, DType::boolean, {9999})).mean - 0.5) < 0.02);
}

TEST_CASE("normal: moments, tails and the whole distribution") {
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex64}) {
    const Moments m = moments(numbers(Normal{2, 0.5}, dtype, {50000}));
    CHECK(std::abs(m.mean - 2) < 0.01);
    CHECK(m.variance == doctest::Approx(0.25).epsilon(0.03));
  }
  std::vector<double> values = numbers(Normal{0, 1}, DType::float64, {200000});
  std::ranges::sort(values);
  double worst = 0;  // Kolmogorov-Smirnov: 1.95 / sqrt(n) has probability 1/1000
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
    worst = std::max(worst, std::abs(expected - static_cast<double>(i) / 200000));
  }
  CHECK(worst < 1.95 / std::sqrt(200000.0));
  CHECK(values.front() < -4);
  CHECK(values.back() > 4);
  CHECK(moments(numbers(Normal{0, 1000}, DType::int8, {999})).most == 127);
}

TEST_CASE("normal: neighbours are independent") {
  const std::vector<double> values = numbers(Normal{0, 1}, DType::float64, {100000});
  double neighbours = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    neighbours += values[i] * values[i + 1] / 50000;
    squares += (values[i] * values[i] - 1) * (values[i + 1] * values[i + 1] - 1) / 50000;
  }
  CHECK(std::abs(neighbours) < 0.02);
  CHECK(std::abs(squares) < 0.04);
}

TEST_CASE("nonzero: magnitudes in range with both signs") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    const bool integers = !is_differentiable(dtype);
    const Fill how = integers ? Nonzero{1, 10} : Nonzero{0.5, 1.5};
    std::vector<double> values = numbers(how, dtype, {5000});
    const double negative =
        static_cast<double>(std::ranges::count_if(values, [](double x) { return x < 0; }));
    const bool has_sign =
        kind_of(dtype) != DTypeKind::boolean && kind_of(dtype) != DTypeKind::unsigned_integer;
    CHECK(negative / 5000 == doctest::Approx(has_sign ? 0.5 : 0).epsilon(0.05));
    for (double& x : values)
      x = std::abs(x);
    const Moments m = moments(values);
    CHECK(m.least >= (integers ? 1 : 0.5));
    CHECK(m.most < (integers ? 10 : 1.5));
    if (dtype != DType::boolean)
      CHECK(m.most >= (integers ? 9 : 1.25));
  }
}

TEST_CASE("mask, constant, arange, one_of") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    CHECK(std::abs(moments(numbers(Mask{0.3}, dtype, {20000})).mean - 0.3) < 0.012);
    CHECK(moments(numbers(Mask{0}, dtype, {999})).most == 0);
    CHECK(moments(numbers(Mask{1}, dtype, {999})).least == 1);
    CHECK(numbers(Constant{1}, dtype, {3}) == std::vector<double>{1, 1, 1});
    const bool is_bool = dtype == DType::boolean;
    CHECK(numbers(Arange{2, 3}, dtype, {3}) ==
          (is_bool ? std::vector<double>{1, 1, 1} : std::vector<double>{2, 5, 8}));
    const std::vector<double> chosen = numbers(OneOf{{1, 4, 6}}, dtype, {3000});
    for (const double value : {1, 4, 6})
      CHECK(static_cast<double>(std::ranges::count(chosen, is_bool ? 1 : value)) ==
            doctest::Approx(is_bool ? 3000 : 1000).epsilon(0.1));
  }
  CHECK(numbers(Constant{-1.5}, DType::int32, {1}).at(0) == -2);
  CHECK(numbers(Constant{1e30}, DType::uint64, {1}).at(0) == 0x1p64);
  CHECK(numbers(Constant{-3}, DType::uint16, {1}).at(0) == 0);
  CHECK(numbers(Constant{std::numeric_limits<double>::quiet_NaN()}, DType::int32, {1}).at(0) == 0);
  CHECK(std::isinf(numbers(Constant{1e6}, DType::float16, {1}).at(0)));
  CHECK(numbers(Constant{2}, DType::complex128, {1}, 7, 1).at(0) == 0);
  CHECK(error_of(OneOf{}, DType::float32, {2}) == "one_of: expected at least one value, got none");
}

TEST_CASE("explicit values: cycled, exact integers, complex parts") {
  Explicit how;
  how.real = {1.5, -2, 3};
  CHECK(numbers(how, DType::float32, {5}) == std::vector<double>{1.5, -2, 3, 1.5, -2});
  CHECK(numbers(how, DType::complex64, {3}, 7, 1) == std::vector<double>{0, 0, 0});
  CHECK(error_of(how, DType::float32, {2}) ==
        "values: expected at most 2 for the shape [2], got 3");
  CHECK(error_of(Explicit{}, DType::float32, {2}) ==
        "values: expected some for the shape [2], got none");
  CHECK(error_of(Explicit{}, DType::float32, {0}) == "no error");
  how.imag = {7, 8, 9};
  CHECK(numbers(how, DType::complex64, {4}, 7, 0) == std::vector<double>{1.5, -2, 3, 1.5});
  CHECK(numbers(how, DType::complex64, {4}, 7, 1) == std::vector<double>{7, 8, 9, 7});
  Explicit exact;
  exact.integer = {9007199254740993, -1};
  const std::vector<std::byte> data = filled(exact, DType::int64, {2});
  std::int64_t first;
  std::memcpy(&first, data.data(), sizeof first);
  CHECK(first == 9007199254740993);
  CHECK(numbers(exact, DType::float32, {2}) == std::vector<double>{9007199254740992, -1});
}
