// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011) and the streams of 32-bit words that fills are made of. It makes no reals and no ranges.
//
// Word w of stream (key, stream) is word w mod 4 of the block with counter
// (b low, b high, stream low, stream high), b = w div 4, and key (key low, key high).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace opalign::value {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// One block, the plain way.
[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

/// Words 4 * first_block … of the stream.
void random_words(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                  std::span<std::uint32_t> out);

/// Reads one stream from its start, for fills whose elements depend on each other.
class Stream {
 public:
  Stream(std::uint64_t key, std::uint64_t stream) : m_key(key), m_stream(stream) {}

  std::uint64_t next();
  /// An integer of [0, n), n > 0; off from uniform by less than n / 2^64.
  std::uint64_t below(std::uint64_t n);

 private:
  static constexpr std::size_t k_buffer = 32;  // one batch: most lines are short
  std::uint64_t m_key, m_stream;
  std::uint64_t m_next_block = 0;
  std::size_t m_used = k_buffer;
  std::array<std::uint32_t, k_buffer> m_words;
};

/// floor(x * n / 2^64): maps all 64-bit numbers onto [0, n).
[[nodiscard]] inline std::uint64_t scale_to(std::uint64_t x, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(x) * n) >> 64);
}

}  // namespace opalign::value
