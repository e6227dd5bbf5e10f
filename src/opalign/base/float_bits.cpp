// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/float_bits.hpp>

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include <opalign/base/clones.hpp>

namespace opalign {
namespace {

constexpr int k_double_fraction = 52;
constexpr int k_double_bias = 1023;
constexpr std::uint64_t k_one = std::uint64_t{1} << k_double_fraction;
constexpr std::uint64_t k_double_infinity = 0x7ff0'0000'0000'0000;

template <class Bits_, int k_exponent_, int k_fraction_, bool k_has_infinity_>
struct Format {
  using Bits = Bits_;
  static constexpr int k_fraction = k_fraction_;
  static constexpr bool k_has_infinity = k_has_infinity_;
  static constexpr int k_bias = (1 << (k_exponent_ - 1)) - 1;
  static constexpr Bits k_sign = static_cast<Bits>(1u << (k_exponent_ + k_fraction_));
  static constexpr Bits k_top_exponent =
      static_cast<Bits>(((1u << k_exponent_) - 1) << k_fraction_);
  static constexpr Bits k_nan =
      static_cast<Bits>(k_has_infinity_ ? k_top_exponent | (1u << (k_fraction_ - 1)) : k_sign - 1u);
  /// What overflow becomes; one above the largest finite value.
  static constexpr Bits k_overflow = k_has_infinity_ ? k_top_exponent : k_nan;
  /// From the bits of a double: what is rounded away, and the difference of the biases.
  static constexpr int k_drop = k_double_fraction - k_fraction_;
  static constexpr std::uint64_t k_rebias = std::uint64_t{k_double_bias - k_bias}
                                            << k_double_fraction;
};
using Float16 = Format<std::uint16_t, 5, 10, true>;
using BFloat16 = Format<std::uint16_t, 8, 7, true>;
using E4M3 = Format<std::uint8_t, 4, 3, false>;
using E5M2 = Format<std::uint8_t, 5, 2, true>;

/// x / 2^shift, nearest, ties to even; 0 < shift < 64.
constexpr std::uint64_t shift_right_to_even(std::uint64_t x, int shift) {
  const std::uint64_t odd = (x >> shift) & 1;
  return (x + (std::uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

template <class F>
typename F::Bits encode(double value) {
  using Bits = typename F::Bits;

  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const unsigned sign = (bits >> 63) != 0 ? F::k_sign : 0u;
  std::uint64_t rounded;
  if (magnitude >= F::k_rebias + k_one) [[likely]] {
    if (magnitude > k_double_infinity) {
      const std::uint64_t payload = (magnitude & (k_one - 1)) >> F::k_drop;
      return static_cast<Bits>(sign | F::k_nan | (F::k_has_infinity ? payload : 0));
    }
    rounded = shift_right_to_even(magnitude - F::k_rebias, F::k_drop);
    if (rounded > F::k_overflow)
      rounded = F::k_overflow;
  } else {
    // The result is subnormal, or rounds up to the smallest normal; its unit is
    // 2^(1-bias-fraction).
    const int below =
        k_double_bias - F::k_bias + 1 - static_cast<int>(magnitude >> k_double_fraction);
    const int shift = F::k_drop + below;
    rounded = shift > k_double_fraction + 1
                  ? 0
                  : shift_right_to_even((magnitude & (k_one - 1)) | k_one, shift);
  }
  return static_cast<Bits>(sign | rounded);
}

template <class F>
double decode(typename F::Bits bits) {
  const std::uint64_t sign = (bits & F::k_sign) != 0 ? std::uint64_t{1} << 63 : 0;
  const std::uint64_t magnitude = bits & static_cast<typename F::Bits>(F::k_sign - 1);
  const bool special = F::k_has_infinity ? magnitude >= F::k_top_exponent : magnitude == F::k_nan;
  if (special)
    return std::bit_cast<double>(sign | k_double_infinity | (magnitude << F::k_drop));
  if (magnitude >> F::k_fraction != 0)
    return std::bit_cast<double>(sign | ((magnitude << F::k_drop) + F::k_rebias));
  constexpr double k_unit = std::bit_cast<double>(
      std::uint64_t{k_double_bias + 1 - F::k_bias - F::k_fraction} << k_double_fraction);
  return std::bit_cast<double>(
      sign | std::bit_cast<std::uint64_t>(static_cast<double>(magnitude) * k_unit));
}

/// `encode` of a normal number that does not overflow, without branches, so that loops become
/// vectors. Returns a negative number where the value is another and the bits are not meant.
template <class F>
OPALIGN_INLINE std::int64_t encode_normal(double value, typename F::Bits& out) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t rounded = shift_right_to_even(magnitude - F::k_rebias, F::k_drop);
  const std::uint64_t sign = bits >> 63 << (std::numeric_limits<typename F::Bits>::digits - 1);
  out = static_cast<typename F::Bits>(sign | rounded);
  return static_cast<std::int64_t>((magnitude - F::k_rebias - k_one) | (F::k_overflow - rounded));
}

template <class F>
OPALIGN_INLINE void encode_each(std::span<const double> values, std::byte* out) {
  constexpr std::size_t k_block = 64;
  std::array<typename F::Bits, k_block> bits;
  std::size_t done = 0;
  for (; done + k_block <= values.size(); done += k_block) {
    const double* numbers = values.data() + done;
    std::int64_t other = 0;
    for (std::size_t i = 0; i < k_block; ++i)
      other |= encode_normal<F>(numbers[i], bits[i]);
    for (std::size_t i = 0; other < 0 && i < k_block; ++i)
      bits[i] = encode<F>(numbers[i]);
    std::memcpy(out + done * sizeof bits[0], bits.data(), sizeof bits);
  }
  for (; done < values.size(); ++done) {
    bits[0] = encode<F>(values[done]);
    std::memcpy(out + done * sizeof bits[0], bits.data(), sizeof bits[0]);
  }
}

OPALIGN_CLONES void encode_float16(std::span<const double> values, std::byte* out) {
  encode_each<Float16>(values, out);
}
OPALIGN_CLONES void encode_bfloat16(std::span<const double> values, std::byte* out) {
  encode_each<BFloat16>(values, out);
}

/// `bits` are the nearest value to x in a sign-magnitude format with this sign bit.
template <class Bits>
Bits step_below(Bits bits, Bits sign) {
  if ((bits & sign) != 0)
    return static_cast<Bits>(bits + 1);
  return bits == 0 ? static_cast<Bits>(sign | 1) : static_cast<Bits>(bits - 1);
}

template <class F>
double floor_in(double x) {
  const double largest = decode<F>(static_cast<typename F::Bits>(F::k_overflow - 1));
  if (x >= largest)
    return largest;
  if (x <= -largest)
    return -largest;
  const typename F::Bits nearest = encode<F>(x);
  const double value = decode<F>(nearest);
  return value <= x ? value : decode<F>(step_below<typename F::Bits>(nearest, F::k_sign));
}

double floor_in_float32(double x) {
  constexpr float k_largest = std::numeric_limits<float>::max();
  if (x >= double{k_largest})
    return k_largest;
  if (x <= -double{k_largest})
    return -k_largest;
  const float nearest = static_cast<float>(x);
  if (double{nearest} <= x)
    return nearest;
  return std::bit_cast<float>(step_below(std::bit_cast<std::uint32_t>(nearest), 0x8000'0000u));
}

}  // namespace

std::uint16_t float16_bits(double value) { return encode<Float16>(value); }
std::uint16_t bfloat16_bits(double value) { return encode<BFloat16>(value); }
std::uint8_t float8_e4m3fn_bits(double value) { return encode<E4M3>(value); }
std::uint8_t float8_e5m2_bits(double value) { return encode<E5M2>(value); }

double float16_value(std::uint16_t bits) { return decode<Float16>(bits); }
double bfloat16_value(std::uint16_t bits) { return decode<BFloat16>(bits); }
double float8_e4m3fn_value(std::uint8_t bits) { return decode<E4M3>(bits); }
double float8_e5m2_value(std::uint8_t bits) { return decode<E5M2>(bits); }

void round_into(DType dtype, std::span<const double> values, std::byte* out) {
  switch (dtype) {
    case DType::float16:
      return encode_float16(values, out);
    case DType::bfloat16:
      return encode_bfloat16(values, out);
    case DType::float8_e4m3fn:
      return encode_each<E4M3>(values, out);
    case DType::float8_e5m2:
      return encode_each<E5M2>(values, out);
    case DType::float32:
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float value = static_cast<float>(values[i]);
        std::memcpy(out + i * sizeof value, &value, sizeof value);
      }
      return;
    default:
      assert(dtype == DType::float64);
      if (!values.empty())
        std::memcpy(out, values.data(), values.size_bytes());
  }
}

double floor_to(DType dtype, double x) {
  switch (dtype) {
    case DType::float16:
      return floor_in<Float16>(x);
    case DType::bfloat16:
      return floor_in<BFloat16>(x);
    case DType::float8_e4m3fn:
      return floor_in<E4M3>(x);
    case DType::float8_e5m2:
      return floor_in<E5M2>(x);
    case DType::float32:
      return floor_in_float32(x);
    default: {
      constexpr double k_largest = std::numeric_limits<double>::max();
      return x > k_largest ? k_largest : x < -k_largest ? -k_largest : x;
    }
  }
}

}  // namespace opalign
