// SPDX-License-Identifier: Apache-2.0
// Normal values by the transform of Box and Muller, with a logarithm and a sine of our own: nothing
// but + - * / and sqrt, which IEEE 754 rounds alike everywhere.
//
// Block b of the stream gives numbers 2b and 2b+1. The radius comes from 53 bits: |x| <= 8.58. Both
// functions are within 4 units of the last place of double, so what shows is the resolution of the
// 53 bits alone.
#include <bit>
#include <cmath>

#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

constexpr double k_ln2 = 0x1.62e42fefa39efp-1;
constexpr double k_half_pi = 0x1.921fb54442d18p+0;

/// ln x for a normal x > 0: x = 2^e m with m in [1/sqrt 2, sqrt 2), ln m = 2 atanh((m-1)/(m+1)).
/// |s| <= 0.1716, so the first term left out is below 2^-57 of the sum.
double logarithm(double x) {
  constexpr double k_sqrt2 = 0x1.6a09e667f3bcdp+0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | 0x3ff0'0000'0000'0000);
  if (m >= k_sqrt2) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * z + 1.0 / k;
  return exponent * k_ln2 + 2 * s * sum;
}

struct Point {
  double cosine, sine;
};

/// The point of the unit circle at turn/4 + angle, angle in ±pi/4. Taylor: terms left out < 2^-58.
Point circle(unsigned turn, double angle) {
  const double z = angle * angle;
  double cosine = 1, sine = 1;
  for (int k = 18; k >= 2; k -= 2) {
    cosine = 1 - cosine * z * (1.0 / (k * (k - 1)));
    sine = 1 - sine * z * (1.0 / (k * (k + 1)));
  }
  sine *= angle;
  switch (turn & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

void draw_standard(const Target& target, std::uint64_t first, std::span<double> out) {
  std::array<std::uint64_t, k_chunk> words;
  const std::size_t even = (out.size() + 1) / 2 * 2;
  draw_words(target, first, std::span<std::uint64_t>(words.data(), even));
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const double unit =
        static_cast<double>(static_cast<std::int64_t>(words[i] >> 11) + 1) * 0x1p-53;
    const double radius = std::sqrt(-2 * logarithm(unit));
    const double fraction =
        static_cast<double>(static_cast<std::int64_t>(words[i + 1] << 2 >> 11)) * 0x1p-53;
    const Point point =
        circle(static_cast<unsigned>(words[i + 1] >> 62), (fraction - 0.5) * k_half_pi);
    out[i] = radius * point.cosine;
    if (i + 1 < out.size())
      out[i + 1] = radius * point.sine;
  }
}

}  // namespace

Expected<void> draw(const Normal& how, const Target& target) {
  if (target.dtype == DType::boolean)
    return draw(Plain{}, target);
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    draw_standard(target, first, out);
    for (double& x : out)
      x = how.mean + how.std * x;
  });
  return {};
}

}  // namespace opalign::value
