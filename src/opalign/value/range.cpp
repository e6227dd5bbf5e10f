// SPDX-License-Identifier: Apache-2.0
// Fills from a range: each element on its own, complex parts drawn one by one. Reals are drawn in
// double and rounded once; rounding never leaves [low, high) where the dtype has a value in it.
#include <algorithm>
#include <limits>

#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

bool is_integer(DType dtype) {
  return kind_of(dtype) == DTypeKind::signed_integer ||
         kind_of(dtype) == DTypeKind::unsigned_integer;
}

void draw_integer_elements(const Integers& range, const Target& target) {
  each_chunk<std::int64_t>(target, Parts::independent,
                           [&](std::uint64_t first, std::span<std::int64_t> out) {
                             draw_integers(target, range.low, range.high, first, out);
                           });
}

void draw_integral_reals(const Integers& range, const Target& target) {
  const Interval inside =
      representable(target.part(), static_cast<double>(range.low), static_cast<double>(range.high));
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    std::array<std::int64_t, k_chunk> integers;
    draw_integers(target, range.low, range.high, first, {integers.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = inside.clamp(static_cast<double>(integers[i]));
  });
}

/// Magnitudes in [low, high), low >= 0, with a random sign: the last bit of a number twice as
/// large.
void draw_signed_integers(const Integers& magnitude, const Target& target) {
  constexpr std::int64_t k_most = std::int64_t{1} << 62;
  const std::int64_t count = std::clamp(magnitude.high - magnitude.low, std::int64_t{1}, k_most);
  each_chunk<std::int64_t>(target, Parts::real_only,
                           [&](std::uint64_t first, std::span<std::int64_t> out) {
                             draw_integers(target, 0, 2 * count, first, out);
                             for (std::int64_t& x : out) {
                               const std::int64_t size = magnitude.low + x / 2;
                               x = x % 2 != 0 ? -size : size;
                             }
                           });
}

}  // namespace

Integers within(DType dtype, const Integers& range) {
  const ExactIntegers held = exact_integers(dtype);
  constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end = held.highest == k_most ? k_most : held.highest + 1;
  return {std::clamp(range.low, held.lowest, held.highest), std::min(range.high, end)};
}

Expected<void> draw(const Integers& how, const Target& target) {
  if (target.dtype == DType::boolean)
    draw_integer_elements({0, 2}, target);
  else if (is_integer(target.dtype))
    draw_integer_elements(within(target.dtype, how), target);
  else
    draw_integral_reals(how, target);
  return {};
}

Expected<void> draw(const Uniform& how, const Target& target) {
  if (!target.is_real() && !target.is_complex())
    return draw(Integers{ceiling(how.low), ceiling(how.high)}, target);
  if (!(how.low < how.high))
    return draw(Constant{how.low}, target);
  const Interval inside = representable(target.part(), how.low, how.high);
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    draw_units(target, first, out);
    for (double& x : out)
      x = inside.clamp(how.low * (1 - x) + how.high * x);
  });
  return {};
}

Expected<void> draw(const Nonzero& how, const Target& target) {
  if (target.dtype == DType::boolean)
    return draw(Constant{1}, target);
  if (is_integer(target.dtype)) {
    const Integers magnitude =
        within(target.dtype, {std::max<std::int64_t>(ceiling(how.low), 0), ceiling(how.high)});
    if (kind_of(target.dtype) == DTypeKind::unsigned_integer)
      return draw(magnitude, target);
    draw_signed_integers(magnitude, target);
    return {};
  }
  const Interval inside = representable(target.part(), how.low, how.high);
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    draw_units(target, first, out);
    for (double& x : out) {
      // The first bit of x is the sign; the others are the magnitude.
      const bool negative = x >= 0.5;
      const double unit = negative ? 2 * x - 1 : 2 * x;
      const double magnitude = inside.clamp(how.low * (1 - unit) + how.high * unit);
      x = negative ? -magnitude : magnitude;
    }
  });
  return {};
}

Expected<void> draw(const Mask& how, const Target& target) {
  each_chunk<std::int64_t>(target, Parts::real_only,
                           [&](std::uint64_t first, std::span<std::int64_t> out) {
                             std::array<std::uint32_t, k_chunk> words;
                             draw_words(target, first, {words.data(), out.size()});
                             for (std::size_t i = 0; i < out.size(); ++i)
                               out[i] = static_cast<double>(words[i]) * 0x1p-32 < how.p ? 1 : 0;
                           });
  return {};
}

}  // namespace opalign::value
