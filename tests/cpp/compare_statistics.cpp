// SPDX-License-Identifier: Apache-2.0
// compare_tensors against a slow reference written from the definitions in base/judgement.hpp.
#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <map>
#include <random>

#include "compare_data.hpp"

using namespace compare_test;
using compare::compare_tensors;
using compare::Tolerance;

namespace {

using Real = long double;

template <class T>
T get(const TensorView& view, std::size_t index) {
  T value;
  std::memcpy(&value, view.data + index * sizeof(T), sizeof(T));
  return value;
}

/// Element `index`, or the part `index` of a complex tensor.
Real number(const TensorView& view, std::size_t index) {
  switch (view.dtype) {
    case DType::boolean:
      return get<std::uint8_t>(view, index) != 0;
    case DType::uint8:
      return get<std::uint8_t>(view, index);
    case DType::uint16:
      return get<std::uint16_t>(view, index);
    case DType::uint32:
      return get<std::uint32_t>(view, index);
    case DType::uint64:
      return static_cast<Real>(get<std::uint64_t>(view, index));
    case DType::int8:
      return get<std::int8_t>(view, index);
    case DType::int16:
      return get<std::int16_t>(view, index);
    case DType::int32:
      return get<std::int32_t>(view, index);
    case DType::int64:
      return static_cast<Real>(get<std::int64_t>(view, index));
    case DType::float16:
      return float16_value(get<std::uint16_t>(view, index));
    case DType::bfloat16:
      return bfloat16_value(get<std::uint16_t>(view, index));
    case DType::float32:
    case DType::complex64:
      return get<float>(view, index);
    case DType::float64:
    case DType::complex128:
      return get<double>(view, index);
    case DType::float8_e4m3fn:
      return float8_e4m3fn_value(get<std::uint8_t>(view, index));
    case DType::float8_e5m2:
      return float8_e5m2_value(get<std::uint8_t>(view, index));
  }
  return 0;
}

int class_of(Real x) { return std::isnan(x) ? 3 : std::isinf(x) ? (x > 0 ? 1 : 2) : 0; }

Real smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-14L;
    case DType::bfloat16:
    case DType::float32:
    case DType::complex64:
      return 0x1p-126L;
    case DType::float64:
    case DType::complex128:
      return 0x1p-1022L;
    case DType::float8_e4m3fn:
      return 0x1p-6L;
    case DType::float8_e5m2:
      return 0x1p-14L;
    default:
      return 1;
  }
}

/// Rank of each finite value of a format of at most 16 bits; both zeros share one.
const std::map<double, std::int64_t>& ranks(DType dtype) {
  static std::map<DType, std::map<double, std::int64_t>> tables;
  std::map<double, std::int64_t>& table = tables[dtype];
  if (table.empty()) {
    for (std::uint32_t bits = 0; bits < (size_of(dtype) == 1 ? 0x100U : 0x10000U); ++bits) {
      const auto value =
          static_cast<double>(number({dtype, {1}, reinterpret_cast<const std::byte*>(&bits)}, 0));
      if (std::isfinite(value))
        table.emplace(value, 0);
    }
    std::int64_t rank = 0;
    for (auto& entry : table)
      entry.second = rank++;
  }
  return table;
}

std::uint64_t ulp(DType dtype, Real x, Real y) {
  if (kind_of(dtype) != DTypeKind::floating || size_of(dtype) > 2)
    return 0;
  return static_cast<std::uint64_t>(
      std::abs(ranks(dtype).at(static_cast<double>(x)) - ranks(dtype).at(static_cast<double>(y))));
}

TensorStats slow(const TensorView& a, const TensorView& b, const Tolerance& t) {
  const std::size_t parts = kind_of(a.dtype) == DTypeKind::complex ? 2 : 1;
  const auto count = static_cast<std::size_t>(a.shape[0]);
  TensorStats s;
  s.numel = a.shape[0];
  Real abs = 0, squares = 0, bias = 0, dot = 0, aa = 0, bb = 0, worst = 0, worst_abs = 0;
  Real finite_count = 0;
  bool worst_class = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    s.bit_equal += std::memcmp(a.data + i * size_of(a.dtype), b.data + i * size_of(a.dtype),
                               size_of(a.dtype)) == 0;
    Real error = 0, reference = 0, real = 0, p = 0, pa = 0, pb = 0;
    std::uint64_t ulps = 0;
    bool class_wrong = false, any_finite = false;
    for (std::size_t k = 0; k < parts; ++k) {
      const Real x = number(a, i * parts + k), y = number(b, i * parts + k);
      class_wrong |= class_of(x) != class_of(y);
      if (class_of(x) != 0 || class_of(y) != 0)
        continue;
      any_finite = true;
      error = std::hypot(error, x - y);
      reference = std::hypot(reference, y);
      real += k == 0 ? x - y : 0;
      p += x * y;
      pa += x * x;
      pb += y * y;
      ulps = std::max(ulps, ulp(a.dtype, x, y));
    }
    const Real limit = Real{t.atol} + Real{t.rtol} * reference;
    const bool wrong = class_wrong || error > limit;
    s.mismatched += wrong;
    s.class_mismatched += class_wrong;
    if (wrong && s.first_mismatch < 0)
      s.first_mismatch = index;
    const Real ratio = class_wrong ? 0 : limit > 0 ? error / limit : error > 0 ? HUGE_VALL : 0;
    if (class_wrong ? !worst_class
                    : !worst_class && (ratio > worst || (ratio == worst && error > worst_abs))) {
      worst = ratio;
      worst_abs = error;
      worst_class = class_wrong;
      s.worst = index;
    }
    if (class_wrong || !any_finite)
      continue;
    finite_count += 1;
    abs += error;
    squares += error * error;
    bias += real;
    dot += p;
    aa += pa;
    bb += pb;
    s.max_abs = std::max(s.max_abs, static_cast<double>(error));
    s.max_rel =
        std::max(s.max_rel, static_cast<double>(std::min<Real>(
                                error / std::max(reference, smallest_normal(a.dtype)), DBL_MAX)));
    s.max_ulp = std::max(s.max_ulp, ulps);
  }
  if (finite_count > 0) {
    s.mean_abs = static_cast<double>(abs / finite_count);
    s.rms_abs = static_cast<double>(std::sqrt(squares / finite_count));
    s.bias = static_cast<double>(bias / finite_count);
    s.cosine = aa > 0 && bb > 0 ? static_cast<double>(dot / std::sqrt(aa) / std::sqrt(bb))
               : aa == bb       ? 1
                                : 0;
  }
  return s;
}

/// Random bits, with exponents of doubles kept where sums do not overflow; bools are 0 or 1.
void draw(DType dtype, std::byte* out, std::mt19937_64& random) {
  const std::uint64_t bits[2] = {random(), random()};
  if (dtype == DType::boolean)
    return put(out, 0, static_cast<std::uint8_t>(bits[0] & 1));
  std::memcpy(out, bits, size_of(dtype));
  if (dtype == DType::float64 || dtype == DType::complex128)
    for (std::size_t part = 0; part < size_of(dtype) / 8; ++part)
      put(out, part,
          std::ldexp(static_cast<double>(bits[part]), static_cast<int>(bits[0] % 1600) - 800));
  const double specials[] = {0.0, -0.0, k_nan, k_inf, -k_inf, 1.0};
  if (is_differentiable(dtype) && bits[1] % 5 == 0)
    put_number(dtype, out, 0, specials[bits[1] / 5 % 6]);
}

/// One in `rare` elements of a is drawn apart from b's, and as many of the rest are one bit off.
std::pair<TensorView, TensorView> random_pair(DType dtype, std::size_t count, std::uint64_t rare,
                                              std::mt19937_64& random) {
  const std::size_t size = size_of(dtype);
  std::byte* a = allocate(count * size);
  std::byte* b = allocate(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    draw(dtype, b + i * size, random);
    std::memcpy(a + i * size, b + i * size, size);
    if (random() % rare == 0)
      draw(dtype, a + i * size, random);
    else if (random() % rare == 0 && dtype != DType::boolean)
      a[i * size] ^= std::byte{1};
  }
  const auto numel = static_cast<std::int64_t>(count);
  return {{dtype, {numel}, a}, {dtype, {numel}, b}};
}

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-9); }

void check_like_slow(const TensorView& a, const TensorView& b, const Tolerance& tolerance) {
  const TensorStats fast = compare_tensors(a, b, tolerance), want = slow(a, b, tolerance);
  CAPTURE(name(a.dtype));
  CAPTURE(a.shape[0]);
  CAPTURE(tolerance.atol);
  CHECK(fast.numel == want.numel);
  CHECK(fast.bit_equal == want.bit_equal);
  CHECK(fast.mismatched == want.mismatched);
  CHECK(fast.class_mismatched == want.class_mismatched);
  CHECK(fast.first_mismatch == want.first_mismatch);
  CHECK(fast.worst == want.worst);
  CHECK(fast.max_abs == near(want.max_abs));
  CHECK(fast.mean_abs == near(want.mean_abs));
  CHECK(fast.rms_abs == near(want.rms_abs));
  CHECK(fast.max_rel == near(want.max_rel));
  CHECK(fast.cosine == near(want.cosine));
  CHECK(std::fabs(fast.bias - want.bias) <= 1e-9 * want.mean_abs);
  if (kind_of(a.dtype) == DTypeKind::floating && size_of(a.dtype) <= 2)
    CHECK(fast.max_ulp == want.max_ulp);
}

}  // namespace

TEST_CASE("compare: statistics equal the slow reference, all dtypes, lengths 0 to 67") {
  std::mt19937_64 random(1);
  for (DType dtype : all_dtypes())
    for (std::size_t count = 0; count <= 67; ++count)
      for (const Tolerance& tolerance : {Tolerance{0, 0}, Tolerance{0.01, 0.01}}) {
        const auto [a, b] = random_pair(dtype, count, 4, random);
        check_like_slow(a, b, tolerance);
      }
}

TEST_CASE("compare: statistics of long tensors, in which little is remarkable") {
  std::mt19937_64 random(1);
  for (DType dtype : all_dtypes())
    for (std::size_t count : {64, 1000, 5000})
      for (const Tolerance& tolerance : {Tolerance{0.01, 0.01}, Tolerance{1e300, 0}})
        for (const std::uint64_t rare : {100, 2000}) {
          const auto [a, b] = random_pair(dtype, count, rare, random);
          check_like_slow(a, b, tolerance);
        }
  const std::vector<double> far(128, DBL_MAX), near_by(128, -DBL_MAX);
  const TensorStats s =
      compare_tensors(vector(DType::float64, far), vector(DType::float64, near_by), {k_inf, 0});
  CHECK(s.max_ulp == 2 * 0x7fefffffffffffffULL);
  CHECK(s.mismatched == 0);
}

TEST_CASE("compare: ulp counts representable values, across zero too") {
  const auto ulps = [](const TensorView& a, const TensorView& b) {
    return compare_tensors(a, b, {}).max_ulp;
  };
  const float next = std::nextafter(1.0F, 2.0F);
  CHECK(ulps(floats({next}), floats({1})) == 1);
  CHECK(ulps(floats({0x1p-149}), floats({-0x1p-149})) == 2);
  CHECK(ulps(floats({-0.0}), floats({0.0})) == 0);
  CHECK(ulps(floats({0x1p-126}), floats({0})) == 1U << 23);
  CHECK(ulps(vector(DType::float64, {2}), vector(DType::float64, {1})) == std::uint64_t{1} << 52);
  CHECK(ulps(vector(DType::float64, {-DBL_MAX}), vector(DType::float64, {DBL_MAX})) ==
        2 * 0x7fefffffffffffffULL);
  CHECK(ulps(vector(DType::complex64, {1, next}), vector(DType::complex64, {1, 1})) == 1);
  CHECK(ulps(vector(DType::int32, {7}), vector(DType::int32, {5})) == 0);
}

TEST_CASE("compare: statistics stay finite at the ends of float64") {
  const TensorView a = vector(DType::float64, {DBL_MAX, -DBL_MAX, 1}),
                   b = vector(DType::float64, {-DBL_MAX, -DBL_MAX, 1});
  const TensorStats s = compare_tensors(a, b, {0.01, 0.01});
  CHECK(s.mismatched == 1);
  CHECK(s.worst == 0);
  CHECK(s.max_abs == DBL_MAX);
  CHECK(s.mean_abs == DBL_MAX);
  CHECK(s.rms_abs == DBL_MAX);
  CHECK(s.bias == DBL_MAX);
  CHECK(s.cosine == doctest::Approx(0));

  const TensorStats tiny =
      compare_tensors(vector(DType::float64, {5e-324, 0}), vector(DType::float64, {0, 5e-324}), {});
  CHECK(tiny.cosine == 0);
  CHECK(tiny.rms_abs == 5e-324);
  CHECK(tiny.max_ulp == 1);
}

TEST_CASE("compare: a complex part that is not finite and agrees leaves the other to be compared") {
  const TensorView b = vector(DType::complex64, {k_inf, 2}),
                   a = vector(DType::complex64, {k_inf, 2.5});
  const TensorStats s = compare_tensors(a, b, {0.01, 0.01});
  CHECK(s.class_mismatched == 0);
  CHECK(s.mismatched == 1);
  CHECK(s.max_abs == 0.5);
}

TEST_CASE("compare: unreadable or unlike tensors give empty statistics") {
  const TensorView good = floats({1, 2});
  for (const TensorView& bad :
       {TensorView{DType::float32, {2}, nullptr}, TensorView{DType::float32, {-1}, good.data},
        TensorView{DType::float64, {std::int64_t{1} << 62}, good.data},
        TensorView{static_cast<DType>(99), {2}, good.data}, floats({1, 2, 3}),
        vector(DType::int32, {1, 2})}) {
    CHECK(compare_tensors(bad, good, {}).numel == 0);
    CHECK(compare_tensors(good, bad, {}).numel == 0);
  }
}
