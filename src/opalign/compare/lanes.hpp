// SPDX-License-Identifier: Apache-2.0
// Statistics of floating elements, four at a time: what measure.hpp says of one element, for blocks
// in which nothing is remarkable. A block with anything else is left to the caller's loop.
//
// Sums are kept a lane each and added up at the end, in one order on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <opalign/base/clones.hpp>
#include <opalign/compare/compare.hpp>
#include <opalign/compare/element.hpp>

namespace opalign::compare {

struct Sums {
  std::int64_t count = 0;  ///< elements that are finite on both sides
  double abs = 0, squares = 0, difference = 0, ab = 0, aa = 0, bb = 0;
};

template <class F>
class Lanes {
 public:
  static constexpr std::int64_t k_block = 64;

  /// Adds the elements of a block. False, and nothing is added, where one of them is not finite,
  /// not within its limit, or worse than the worst so far: `ratio` times its limit or `relative`
  /// times its reference.
  OPALIGN_INLINE bool add(const std::byte* a, const std::byte* b, const Tolerance& tolerance,
                          double ratio, double relative) {
    std::array<Integers, k_vectors> a_bits, b_bits;
    std::array<Doubles, k_vectors> x, y;
    Integers special{};
    for (int i = 0; i < k_vectors; ++i) {
      special |= decode(a, i, a_bits[i], x[i]);
      special |= decode(b, i, b_bits[i], y[i]);
    }
    for (int i = 0; i < k_vectors; ++i) {
      const Doubles abs = magnitude(x[i] - y[i]);
      const Doubles reference = magnitude(y[i]);
      const Doubles limit = tolerance.atol + tolerance.rtol * reference;
      const Doubles base = reference > F::k_floor ? reference : Doubles{} + F::k_floor;
      special |= ~(abs <= limit) | (abs > ratio * limit) | (abs > relative * base);
    }
    if ((special[0] | special[1] | special[2] | special[3]) != 0)
      return false;
    for (int i = 0; i < k_vectors; ++i) {
      const Doubles difference = x[i] - y[i];
      const Doubles abs = magnitude(difference);
      m_difference += difference;
      m_abs += abs;
      m_squares += abs * abs;
      m_ab += x[i] * y[i];
      m_aa += x[i] * x[i];
      m_bb += y[i] * y[i];
      m_max_abs = abs > m_max_abs ? abs : m_max_abs;
      const Integers p = ordered(a_bits[i]), q = ordered(b_bits[i]);
      const Naturals ulp = p > q ? natural(p) - natural(q) : natural(q) - natural(p);
      m_max_ulp = ulp > m_max_ulp ? ulp : m_max_ulp;
      m_equal -= a_bits[i] == b_bits[i];
    }
    m_blocks += 1;
    return true;
  }

  /// Adds all that was counted here.
  void add_to(Sums& sums, TensorStats& stats) const {
    sums.count += m_blocks * k_block;
    for (int lane = 0; lane < k_lanes; ++lane) {
      sums.abs += m_abs[lane];
      sums.squares += m_squares[lane];
      sums.difference += m_difference[lane];
      sums.ab += m_ab[lane];
      sums.aa += m_aa[lane];
      sums.bb += m_bb[lane];
      stats.max_abs = std::max(stats.max_abs, m_max_abs[lane]);
      stats.max_ulp = std::max(stats.max_ulp, m_max_ulp[lane]);
      stats.bit_equal += m_equal[lane];
    }
  }

 private:
  static constexpr int k_lanes = 4;
  static constexpr int k_vectors = k_block / k_lanes;
  using Doubles [[gnu::vector_size(32)]] = double;
  using Integers [[gnu::vector_size(32)]] = std::int64_t;
  using Naturals [[gnu::vector_size(32)]] = std::uint64_t;
  using Floats [[gnu::vector_size(16)]] = float;
  using Ints [[gnu::vector_size(16)]] = std::int32_t;
  using Bits = typename F::Bits;
  using Raw [[gnu::vector_size(4 * sizeof(Bits))]] = Bits;
  static constexpr auto k_sign = static_cast<std::int64_t>(F::k_sign);
  static constexpr auto k_magnitude = static_cast<std::int64_t>(F::k_magnitude);

  /// Vector number i; all ones where an element is not finite.
  OPALIGN_INLINE static Integers decode(const std::byte* data, int i, Integers& bits,
                                        Doubles& value) {
    Raw raw;
    std::memcpy(&raw, data + static_cast<std::size_t>(i) * sizeof raw, sizeof raw);
    bits = __builtin_convertvector(raw, Integers);
    const Integers size = bits & k_magnitude;
    if constexpr (sizeof(Bits) == 8) {
      std::memcpy(&value, &raw, sizeof value);
    } else if constexpr (sizeof(Bits) == 4) {
      Floats single;
      std::memcpy(&single, &raw, sizeof single);
      value = __builtin_convertvector(single, Doubles);
    } else {
      const Integers normal_bits = (size << F::k_to_double) + F::k_rebias;
      Doubles normal;
      std::memcpy(&normal, &normal_bits, sizeof normal);
      const Doubles subnormal =
          __builtin_convertvector(__builtin_convertvector(size, Ints), Doubles) *
          F::k_subnormal_unit;
      const Doubles positive = size < F::k_first_normal ? subnormal : normal;
      value = (bits & k_sign) != 0 ? -positive : positive;
    }
    return size >= std::int64_t{F::k_first_nonfinite};
  }

  OPALIGN_INLINE static Doubles magnitude(const Doubles& x) {
    Integers bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= std::int64_t{0x7fff'ffff'ffff'ffff};
    Doubles result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }

  OPALIGN_INLINE static Naturals natural(const Integers& x) {
    return __builtin_convertvector(x, Naturals);
  }

  OPALIGN_INLINE static Integers ordered(const Integers& bits) {
    const Integers size = bits & k_magnitude;
    return (bits & k_sign) != 0 ? -size : size;
  }

  Doubles m_abs{}, m_squares{}, m_difference{}, m_ab{}, m_aa{}, m_bb{}, m_max_abs{};
  Naturals m_max_ulp{};
  Integers m_equal{};
  std::int64_t m_blocks = 0;
};

}  // namespace opalign::compare
