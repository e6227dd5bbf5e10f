// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/philox.hpp>

#include <algorithm>

#include <opalign/base/clones.hpp>

namespace opalign::value {
namespace {

constexpr std::uint64_t k_multiplier_0 = 0xd2511f53;
constexpr std::uint64_t k_multiplier_1 = 0xcd9e8d57;
constexpr std::uint32_t k_weyl_0 = 0x9e3779b9;
constexpr std::uint32_t k_weyl_1 = 0xbb67ae85;
constexpr int k_rounds = 10;

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// Blocks computed side by side, one array a word, so that the compiler keeps them in vectors.
constexpr std::size_t k_lanes = 8;
constexpr std::size_t k_batch = 4 * k_lanes;

OPALIGN_INLINE void philox_batch(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                  std::uint32_t* out) {
  std::uint32_t c0[k_lanes], c1[k_lanes], c2[k_lanes], c3[k_lanes];
  for (std::size_t i = 0; i < k_lanes; ++i) {
    c0[i] = low(first_block + i);
    c1[i] = high(first_block + i);
    c2[i] = low(stream);
    c3[i] = high(stream);
  }
  std::uint32_t k0 = low(key), k1 = high(key);
  for (int round = 0; round < k_rounds; ++round) {
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const std::uint64_t p0 = k_multiplier_0 * c0[i];
      const std::uint64_t p1 = k_multiplier_1 * c2[i];
      c0[i] = high(p1) ^ c1[i] ^ k0;
      c1[i] = low(p1);
      c2[i] = high(p0) ^ c3[i] ^ k1;
      c3[i] = low(p0);
    }
    k0 += k_weyl_0;
    k1 += k_weyl_1;
  }
  for (std::size_t i = 0; i < k_lanes; ++i) {
    out[4 * i] = c0[i];
    out[4 * i + 1] = c1[i];
    out[4 * i + 2] = c2[i];
    out[4 * i + 3] = c3[i];
  }
}

}  // namespace

PhiloxBlock philox(PhiloxBlock c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < k_rounds; ++round) {
    const std::uint64_t p0 = k_multiplier_0 * c[0];
    const std::uint64_t p1 = k_multiplier_1 * c[2];
    c = {high(p1) ^ c[1] ^ key[0], low(p1), high(p0) ^ c[3] ^ key[1], low(p0)};
    key = {key[0] + k_weyl_0, key[1] + k_weyl_1};
  }
  return c;
}

OPALIGN_CLONES void random_words(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                                 std::span<std::uint32_t> out) {
  std::size_t done = 0;
  for (; done + k_batch <= out.size(); done += k_batch)
    philox_batch(key, stream, first_block + done / 4, out.data() + done);
  for (; done < out.size(); done += 4) {
    const std::uint64_t block = first_block + done / 4;
    const PhiloxBlock words =
        philox({low(block), high(block), low(stream), high(stream)}, {low(key), high(key)});
    std::copy_n(words.begin(), std::min<std::size_t>(4, out.size() - done), out.data() + done);
  }
}

std::uint64_t Stream::next() {
  if (m_used == k_buffer) {
    random_words(m_key, m_stream, m_next_block, m_words);
    m_next_block += k_buffer / 4;
    m_used = 0;
  }
  const std::uint64_t result = m_words[m_used] | std::uint64_t{m_words[m_used + 1]} << 32;
  m_used += 2;
  return result;
}

std::uint64_t Stream::below(std::uint64_t n) { return scale_to(next(), n); }

}  // namespace opalign::value
