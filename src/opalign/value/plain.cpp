// SPDX-License-Identifier: Apache-2.0
// The default fill, which nearly every tensor of a run gets: float32 has a path of its own.
// Reals are odd multiples of 2^-24 (2^-53 for float64) in (-1, 1): symmetric, never 0 or ±1, exact
// in float32 and float64, and rounded once, away from ±1, for the narrower dtypes.
#include <cstring>

#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

std::int32_t odd_number(std::uint32_t word) {
  return static_cast<std::int32_t>(word >> 8) * 2 + 1 - (1 << 24);
}

void draw_float32(const Target& target) {
  const std::size_t total = static_cast<std::size_t>(target.numel) * target.parts();
  std::array<std::uint32_t, k_chunk> words;
  std::array<float, k_chunk> values;
  in_chunks(target, total, sizeof(float), [&](std::size_t first, std::size_t n) {
    draw_words(target, first, {words.data(), n});
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<float>(odd_number(words[i])) * 0x1p-24f;
    std::memcpy(target.out + first * sizeof(float), values.data(), n * sizeof(float));
  });
}

void draw_float64(const Target& target) {
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    std::array<std::uint64_t, k_chunk> words;
    draw_words(target, first, {words.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = centred(words[i]);
  });
}

void draw_narrow(const Target& target) {
  const Interval inside = representable(target.dtype, -1, 1);
  const Interval open{-inside.top, inside.top};
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    std::array<std::uint32_t, k_chunk> words;
    draw_words(target, first, {words.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = open.clamp(static_cast<double>(odd_number(words[i])) * 0x1p-24);
  });
}

}  // namespace

Expected<void> draw(const Plain&, const Target& target) {
  switch (kind_of(target.dtype)) {
    case DTypeKind::boolean:
      return draw(Integers{0, 2}, target);
    case DTypeKind::unsigned_integer:
      return draw(Integers{0, 200}, target);
    case DTypeKind::signed_integer:
      return draw(Integers{-100, 100}, target);
    case DTypeKind::floating:
    case DTypeKind::complex:
      break;
  }
  if (target.part() == DType::float32)
    draw_float32(target);
  else if (target.part() == DType::float64)
    draw_float64(target);
  else
    draw_narrow(target);
  return {};
}

}  // namespace opalign::value
