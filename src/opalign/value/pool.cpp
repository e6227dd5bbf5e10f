// SPDX-License-Identifier: Apache-2.0
#include <opalign/value/pool.hpp>

#include <array>
#include <cassert>

#include <opalign/value/draw.hpp>
#include <opalign/value/fill.hpp>
#include <opalign/value/philox.hpp>

namespace opalign::value {
namespace {

constexpr std::array k_sections{DType::float16, DType::bfloat16,  DType::float32,
                                DType::float64, DType::complex64, DType::complex128};

/// |x| in [1/16, 1 - 2^-8) with the sign of a number in (-1, 1).
double cotangent(std::uint64_t word) {
  const double x = centred(word);
  const double magnitude = 0x1p-4 + (x < 0 ? -x : x) * (1 - 0x1p-4 - 0x1p-8);
  return x < 0 ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::size_t> pool_offset(DType dtype) {
  std::size_t offset = 0;
  for (const DType section : k_sections) {
    if (section == dtype)
      return offset;
    offset += std::size_t{k_pool_elements} * size_of(section);
  }
  return std::nullopt;
}

std::uint64_t pool_start(std::string_view case_id, std::uint64_t seed) {
  return stream_key(case_id, "upstream", seed) >> 1;  // JSON readers like it signed
}

void fill_pool(std::uint64_t seed, std::span<std::byte> out) {
  assert(out.size() == k_pool_bytes);
  Stream real(seed, 1);
  Stream imaginary(seed, 2);
  std::array<double, 2 * k_chunk> pairs;
  std::array<double, k_chunk> reals;
  for (std::size_t first = 0; first < std::size_t{k_pool_elements}; first += k_chunk) {
    for (std::size_t i = 0; i < k_chunk; ++i) {
      reals[i] = pairs[2 * i] = cotangent(real.next());
      pairs[2 * i + 1] = cotangent(imaginary.next());
    }
    std::size_t offset = 0;
    for (const DType section : k_sections) {
      std::byte* place = out.data() + offset + first * size_of(section);
      if (section == DType::complex64 || section == DType::complex128)
        store(section == DType::complex64 ? DType::float32 : DType::float64,
              std::span<const double>(pairs), place);
      else
        store(section, std::span<const double>(reals), place);
      offset += std::size_t{k_pool_elements} * size_of(section);
    }
  }
}

}  // namespace opalign::value
