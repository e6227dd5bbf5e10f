// SPDX-License-Identifier: Apache-2.0
// Policies: an element just under the limit passes, one just past it fails, for every dtype.
#include <doctest/doctest.h>

#include <cmath>

#include "compare_data.hpp"

using namespace compare_test;
using compare::compare_tensors;
using compare::Tolerance;

namespace {

bool same(const TensorView& a, const TensorView& b, const Tolerance& t) {
  return compare_tensors(a, b, t).mismatched == 0;
}

DType part_of(DType dtype) {
  return dtype == DType::complex64    ? DType::float32
         : dtype == DType::complex128 ? DType::float64
                                      : dtype;
}

/// The largest value of the dtype that is <= x.
double down_to(DType dtype, double x) {
  return is_differentiable(dtype) ? floor_to(part_of(dtype), x) : std::floor(x);
}

/// The next value of the dtype above x >= 1.
double above(DType dtype, double x) {
  double step = is_differentiable(dtype) ? x : 1;
  while (down_to(dtype, x + step / 2) > x)
    step /= 2;
  return down_to(dtype, x + step);
}

std::vector<double> element(DType dtype, double real, double imaginary = 0) {
  return kind_of(dtype) == DTypeKind::complex ? std::vector{real, imaginary} : std::vector{real};
}

}  // namespace

TEST_CASE("compare: each dtype passes just under the limit of each policy and fails just past it") {
  for (std::string_view name_of_policy : compare::policy_names())
    for (DType dtype : all_dtypes()) {
      if (dtype == DType::boolean)
        continue;
      const Tolerance t = policy(name_of_policy).tolerance[static_cast<std::size_t>(dtype)];
      const double b = is_differentiable(dtype) ? 1 : 100;
      const double limit = t.atol + t.rtol * b;
      double under = down_to(dtype, b + limit * (1 - 1e-12) - 4e-16);
      while (above(dtype, under) - b <= limit)
        under = above(dtype, under);
      const double past = above(dtype, under);
      CAPTURE(name_of_policy);
      CAPTURE(name(dtype));
      CAPTURE(under);
      CAPTURE(past);
      const TensorView reference = vector(dtype, element(dtype, b));
      CHECK(same(vector(dtype, element(dtype, under)), reference, t));
      CHECK_FALSE(same(vector(dtype, element(dtype, past)), reference, t));
      if (kind_of(dtype) == DTypeKind::complex) {
        const TensorView upright = vector(dtype, {0, b});
        CHECK(same(vector(dtype, {0, under}), upright, t));
        CHECK_FALSE(same(vector(dtype, {0, past}), upright, t));
      }
    }
}

TEST_CASE("compare: true and false differ under every policy") {
  for (std::string_view name_of_policy : compare::policy_names()) {
    const Tolerance t = policy(name_of_policy).tolerance[static_cast<std::size_t>(DType::boolean)];
    const auto bools = [](std::uint8_t value) {
      return integers<std::uint8_t>(DType::boolean, {value});
    };
    CHECK_FALSE(same(bools(0), bools(1), t));
    CHECK_FALSE(same(bools(1), bools(0), t));
    CHECK(same(bools(2), bools(1), t));
  }
}

TEST_CASE("compare: the limit is relative to the reference") {
  CHECK(same(floats({100}), floats({200}), {0, 0.5}));
  CHECK_FALSE(same(floats({200}), floats({100}), {0, 0.5}));
}

TEST_CASE("compare: nan, infinities, zeros, subnormals") {
  const Tolerance loose{1e30, 1e30};
  for (DType dtype : all_dtypes()) {
    if (!is_differentiable(dtype))
      continue;
    CAPTURE(name(dtype));
    const auto one = [dtype](double x) { return vector(dtype, element(dtype, x)); };
    CHECK(same(one(k_nan), one(-k_nan), {}));
    CHECK(same(one(-0.0), one(0.0), {}));
    CHECK_FALSE(same(one(k_nan), one(1), loose));
    CHECK_FALSE(same(one(1), one(k_nan), loose));
    if (dtype == DType::float8_e4m3fn)
      continue;  // has no infinity
    CHECK(same(one(k_inf), one(k_inf), {}));
    CHECK_FALSE(same(one(k_inf), one(-k_inf), loose));
    CHECK_FALSE(same(one(k_inf), one(k_nan), loose));
    CHECK_FALSE(same(one(k_inf), one(1), loose));
  }
  CHECK_FALSE(same(floats({0x1p-149}), floats({0}), {}));
  CHECK(same(floats({0x1p-149}), floats({0}), {0x1p-149, 0}));
  CHECK_FALSE(same(floats({0x1p-148}), floats({0}), {0x1p-149, 0}));
  CHECK_FALSE(same(vector(DType::float16, {0x1p-24}), vector(DType::float16, {0}), {}));
}

TEST_CASE("compare: integers are exact beyond 2^53") {
  const auto i64 = [](std::int64_t x) { return integers<std::int64_t>(DType::int64, {x}); };
  const auto u64 = [](std::uint64_t x) { return integers<std::uint64_t>(DType::uint64, {x}); };
  constexpr std::int64_t k_big = (std::int64_t{1} << 53) + 1;
  CHECK_FALSE(same(i64(k_big), i64(k_big - 1), {}));
  CHECK(same(i64(k_big), i64(k_big - 1), {1, 0}));
  CHECK_FALSE(same(i64(k_big + 1), i64(k_big - 1), {1, 0}));
  CHECK_FALSE(same(i64(INT64_MIN), i64(INT64_MIN + 1), {}));
  CHECK_FALSE(same(i64(INT64_MIN), i64(INT64_MAX), {1, 1}));
  CHECK_FALSE(same(u64(UINT64_MAX), u64(UINT64_MAX - 1), {}));
  CHECK(same(u64(UINT64_MAX), u64(0), {0x1p64, 0}));
  const TensorStats s = compare_tensors(i64(INT64_MIN), i64(INT64_MAX), {});
  CHECK(s.max_abs == 0x1p64);
  CHECK(s.bias == -0x1p64);
}

TEST_CASE("compare: policies by name") {
  CHECK(policy("torch").name == "torch");
  const auto at = [](const compare::Policy& p, DType dtype) {
    return p.tolerance[static_cast<std::size_t>(dtype)];
  };
  CHECK(at(policy("torch"), DType::float16).rtol == 1e-3);
  CHECK(at(policy("torch"), DType::float16).atol == 1e-5);
  CHECK(at(policy("torch"), DType::float32).atol == 1e-5);
  CHECK(at(policy("torch"), DType::float64).rtol == 1e-7);
  CHECK(at(policy("torch"), DType::complex64).rtol == 1.3e-6);
  CHECK(at(policy("torch"), DType::complex128).atol == 1e-7);
  CHECK(at(policy("torch"), DType::int64).atol == 0);
  CHECK(at(policy("torch"), DType::float8_e5m2).rtol == 0);
  CHECK(at(policy("paddleapitest"), DType::int64).atol == 1e-2);

  const compare::Policy exact = compare::make_policy("torch", 0.0, std::nullopt).value();
  CHECK(at(exact, DType::bfloat16).atol == 0);
  CHECK(at(exact, DType::bfloat16).rtol == 1.6e-2);
  CHECK(at(compare::make_policy("torch", 0.0, 0.5).value(), DType::boolean).rtol == 0.5);

  CHECK(compare::make_policy("pytorch", {}, {}).error().text() ==
        "unknown policy 'pytorch'\n  hint: the policies are paddleapitest, torch");
  CHECK(compare::make_policy("torch", -1.0, {}).error().message ==
        "--atol: expected a finite number >= 0, got -1");
  CHECK_FALSE(compare::make_policy("torch", {}, k_nan));
}
