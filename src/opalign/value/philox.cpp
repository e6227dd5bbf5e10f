// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/philox.hpp>

#include <algorithm>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace opalign::value {
namespace {

constexpr std::uint64_t k_multiplier_0 = 0xd2511f53;
constexpr std::uint64_t k_multiplier_1 = 0xcd9e8d57;
constexpr std::uint32_t k_weyl_0 = 0x9e3779b9;
constexpr std::uint32_t k_weyl_1 = 0xbb67ae85;
constexpr int k_rounds = 10;

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// Blocks that are computed side by side.
constexpr std::size_t k_lanes = 8;
constexpr std::size_t k_batch = 4 * k_lanes;

using Batch = void (*)(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                       std::uint32_t* out);

void plain_batch(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                 std::uint32_t* out) {
  for (std::size_t i = 0; i < k_lanes; ++i) {
    const std::uint64_t block = first_block + i;
    const PhiloxBlock words =
        philox({low(block), high(block), low(stream), high(stream)}, {low(key), high(key)});
    std::copy_n(words.begin(), words.size(), out + 4 * i);
  }
}

#ifdef __x86_64__
[[gnu::target("avx2")]] inline __m256i all(std::uint64_t x) {
  return _mm256_set1_epi64x(static_cast<long long>(x));
}

/// Four blocks in a vector, each word in the lower half of 64 bits: the multiplication reads no
/// more, so what rounds leave in the upper halves needs no mask. GCC finds no such code by itself:
/// it shuffles halves together and apart in each round, and a whole fill takes twice as long.
[[gnu::target("avx2")]] void avx2_batch(std::uint64_t key, std::uint64_t stream,
                                        std::uint64_t first_block, std::uint32_t* out) {
  constexpr std::size_t k_vectors = k_lanes / 4;
  __m256i c0[k_vectors], c1[k_vectors], c2[k_vectors], c3[k_vectors];
  for (std::size_t v = 0; v < k_vectors; ++v) {
    c0[v] = _mm256_add_epi64(all(first_block + 4 * v), _mm256_set_epi64x(3, 2, 1, 0));
    c1[v] = _mm256_srli_epi64(c0[v], 32);
    c2[v] = all(low(stream));
    c3[v] = all(high(stream));
  }
  std::uint32_t k0 = low(key), k1 = high(key);
  for (int round = 0; round < k_rounds; ++round) {
    for (std::size_t v = 0; v < k_vectors; ++v) {
      const __m256i p0 = _mm256_mul_epu32(all(k_multiplier_0), c0[v]);
      const __m256i p1 = _mm256_mul_epu32(all(k_multiplier_1), c2[v]);
      c0[v] = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c1[v], all(k0)));
      c2[v] = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c3[v], all(k1)));
      c1[v] = p1;
      c3[v] = p0;
    }
    k0 += k_weyl_0;
    k1 += k_weyl_1;
  }
  for (std::size_t v = 0; v < k_vectors; ++v) {
    // Words 0 and 1 of the four blocks, and words 2 and 3.
    const __m256i first = _mm256_blend_epi32(c0[v], _mm256_slli_epi64(c1[v], 32), 0xaa);
    const __m256i second = _mm256_blend_epi32(c2[v], _mm256_slli_epi64(c3[v], 32), 0xaa);
    const __m256i even = _mm256_unpacklo_epi64(first, second);
    const __m256i odd = _mm256_unpackhi_epi64(first, second);
    auto* place = reinterpret_cast<__m256i_u*>(out + 16 * v);
    _mm256_storeu_si256(place, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(place + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }
}

const Batch draw_batch = __builtin_cpu_supports("avx2") ? avx2_batch : plain_batch;
#else
const Batch draw_batch = plain_batch;
#endif

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

void random_words(std::uint64_t key, std::uint64_t stream, std::uint64_t first_block,
                  std::span<std::uint32_t> out) {
  std::size_t done = 0;
  for (; done + k_batch <= out.size(); done += k_batch)
    draw_batch(key, stream, first_block + done / 4, out.data() + done);
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
