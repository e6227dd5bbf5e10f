// SPDX-License-Identifier: Apache-2.0
// The error of one element of the target (a) at one element of the reference (b).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <opalign/compare/compare.hpp>
#include <opalign/compare/element.hpp>

namespace opalign::compare {

struct Measure {
  bool other_class = false;       ///< classes differ; nothing below is meant
  bool finite = true;             ///< false: nan on both sides, or the same infinity
  bool within = true;             ///< |a-b| <= limit
  double abs = 0;                 ///< |a-b|
  double limit = 0;               ///< atol + rtol * |b|
  double reference = 0;           ///< |b|
  double difference = 0;          ///< a-b, of complex elements the real part
  double ab = 0, aa = 0, bb = 0;  ///< products for the cosine: Re(a conj(b)), |a|^2, |b|^2
  std::uint64_t ulp = 0;
};

/// Units in the last place between two finite elements: |ordered(a) - ordered(b)|, where ordered(x)
/// counts the values of the format from 0 to x, negative below 0. So 1 is one representable value
/// apart, crossing zero and subnormals included, and +0 and -0 are 0 apart.
template <class F>
std::uint64_t ulp_distance(typename F::Bits a, typename F::Bits b) {
  const std::int64_t x = F::ordered(a), y = F::ordered(b);
  return x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
               : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
}

template <class F>
Measure measure_float(typename F::Bits a_bits, typename F::Bits b_bits, const Tolerance& t) {
  Measure m;
  if (!F::is_finite(a_bits) || !F::is_finite(b_bits)) [[unlikely]] {
    m.finite = false;
    m.other_class = F::class_of(a_bits) != F::class_of(b_bits);
    return m;
  }
  const double a = F::value(a_bits), b = F::value(b_bits);
  m.difference = a - b;
  m.abs = std::fabs(m.difference);
  m.reference = std::fabs(b);
  m.limit = t.atol + t.rtol * m.reference;
  m.within = m.abs <= m.limit;
  m.ab = a * b;
  m.aa = a * a;
  m.bb = b * b;
  m.ulp = ulp_distance<F>(a_bits, b_bits);
  return m;
}

/// sqrt(x^2 + y^2); only a double can overflow in between.
template <class Part>
double modulus(double x, double y) {
  if constexpr (std::is_same_v<Part, Float64>)
    return std::hypot(x, y);
  else
    return std::sqrt(x * x + y * y);
}

/// By modulus. The class is judged for each part; a part that is not finite and agrees counts as 0.
template <class C>
Measure measure_complex(typename C::Bits a, typename C::Bits b, const Tolerance& t) {
  using F = typename C::Part;
  const Measure re = measure_float<F>(a[0], b[0], t), im = measure_float<F>(a[1], b[1], t);
  Measure m;
  m.other_class = re.other_class || im.other_class;
  m.finite = re.finite || im.finite;
  if (m.other_class) [[unlikely]]
    return m;
  m.difference = re.difference;
  m.abs = modulus<F>(re.difference, im.difference);
  m.reference = modulus<F>(re.reference, im.reference);
  m.limit = t.atol + t.rtol * m.reference;
  m.within = m.abs <= m.limit;
  m.ab = re.ab + im.ab;
  m.aa = re.aa + im.aa;
  m.bb = re.bb + im.bb;
  m.ulp = std::max(re.ulp, im.ulp);
  return m;
}

/// Exact: the difference of two 64-bit integers never passes through a double before it is judged.
template <class E>
Measure measure_integer(typename E::Bits a_bits, typename E::Bits b_bits, const Tolerance& t) {
  const auto a = E::value(a_bits), b = E::value(b_bits);
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  const std::uint64_t distance = a > b ? ua - ub : ub - ua;
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  Measure m;
  m.abs = static_cast<double>(distance);
  m.difference = a > b ? m.abs : -m.abs;
  m.reference = std::fabs(y);
  m.limit = t.atol + t.rtol * m.reference;
  m.within = m.limit >= 0x1p64 || distance <= static_cast<std::uint64_t>(m.limit);
  m.ab = x * y;
  m.aa = x * x;
  m.bb = y * y;
  return m;
}

template <class E>
Measure measure(typename E::Bits a, typename E::Bits b, const Tolerance& t) {
  if constexpr (k_is_complex<E>)
    return measure_complex<E>(a, b, t);
  else if constexpr (k_is_float<E>)
    return measure_float<E>(a, b, t);
  else
    return measure_integer<E>(a, b, t);
}

/// How bad an element is: a class mismatch before any number, then error over limit, then error.
struct Badness {
  bool other_class = false;
  double ratio = 0;
  double abs = 0;

  explicit Badness(const Measure& m)
      : other_class(m.other_class),
        ratio(m.limit > 0 ? m.abs / m.limit
              : m.abs > 0 ? HUGE_VAL
                          : 0),
        abs(m.abs) {}
  Badness() = default;

  [[nodiscard]] bool worse_than(const Badness& that) const {
    if (other_class != that.other_class)
      return other_class;
    return ratio > that.ratio || (ratio == that.ratio && abs > that.abs);
  }
};

}  // namespace opalign::compare
