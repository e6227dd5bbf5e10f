// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/draw.hpp>

#include <bit>

#include <opalign/value/philox.hpp>

namespace opalign::value {

DType Target::part() const {
  return dtype == DType::complex64    ? DType::float32
         : dtype == DType::complex128 ? DType::float64
                                      : dtype;
}

void draw_words(const Target& target, std::uint64_t first, std::span<std::uint32_t> out) {
  random_words(target.key, k_element_stream, first / 4, out);
}

void draw_words(const Target& target, std::uint64_t first, std::span<std::uint64_t> out) {
  std::array<std::uint32_t, 2 * k_chunk> words;
  random_words(target.key, k_element_stream, first / 2, {words.data(), 2 * out.size()});
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = words[2 * i] | std::uint64_t{words[2 * i + 1]} << 32;
}

void draw_units(const Target& target, std::uint64_t first, std::span<double> out) {
  if (target.part() == DType::float64) {
    std::array<std::uint64_t, k_chunk> words;
    draw_words(target, first, {words.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<double>(static_cast<std::int64_t>(words[i] >> 11)) * 0x1p-53;
    return;
  }
  std::array<std::uint32_t, k_chunk> words;
  draw_words(target, first, {words.data(), out.size()});
  // An int32 converts in vectors where a uint32 does not; adding 1/2 undoes the shift by 2^31.
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] =
        static_cast<double>(std::bit_cast<std::int32_t>(words[i] ^ 0x8000'0000u)) * 0x1p-32 + 0.5;
}

void draw_integers(const Target& target, std::int64_t low, std::int64_t high, std::uint64_t first,
                   std::span<std::int64_t> out) {
  constexpr std::uint64_t k_few = 1 << 16;  // 32 bits are enough to choose among so many
  const std::uint64_t count =
      low < high ? static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) : 1;
  const std::uint64_t base = static_cast<std::uint64_t>(low);
  if (count <= k_few) {
    std::array<std::uint32_t, k_chunk> words;
    draw_words(target, first, {words.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::int64_t>(base + (words[i] * count >> 32));
    return;
  }
  std::array<std::uint64_t, k_chunk> words;
  draw_words(target, first, {words.data(), out.size()});
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::int64_t>(base + scale_to(words[i], count));
}

}  // namespace opalign::value
