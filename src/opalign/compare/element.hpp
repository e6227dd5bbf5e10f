// SPDX-License-Identifier: Apache-2.0
// Elements of each dtype as the comparison needs them: bits, class, value, order. Loaders only;
// what the numbers mean for a verdict is elsewhere.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <opalign/base/dtype.hpp>

namespace opalign::compare {

enum class Class : std::uint8_t { finite, positive_infinity, negative_infinity, nan };

/// A binary floating-point format in `Bits_`: sign, exponent, `mantissa` bits. Without infinity
/// (float8_e4m3fn) the one largest magnitude is nan, else as in IEEE 754.
template <class Bits_, int mantissa, bool has_infinity = true>
struct FloatElement {
  using Bits = Bits_;
  static constexpr int k_width = std::numeric_limits<Bits>::digits;
  static constexpr Bits k_sign = static_cast<Bits>(Bits{1} << (k_width - 1));
  static constexpr Bits k_magnitude = static_cast<Bits>(k_sign - 1);
  static constexpr int k_bias = (1 << (k_width - 2 - mantissa)) - 1;
  static constexpr Bits k_first_nonfinite =
      has_infinity ? static_cast<Bits>(k_magnitude >> mantissa << mantissa) : k_magnitude;
  static constexpr std::int64_t k_first_normal = std::int64_t{1} << mantissa;
  /// From the magnitude's bits to those of the double of the same value, of normal numbers.
  static constexpr int k_to_double = 52 - mantissa;
  static constexpr std::int64_t k_rebias = std::int64_t{1023 - k_bias} << 52;
  static constexpr double k_subnormal_unit =
      std::bit_cast<double>(std::uint64_t(1024 - k_bias - mantissa) << 52);
  /// Relative errors are taken over at least this.
  static constexpr double k_floor = std::bit_cast<double>(std::uint64_t(1024 - k_bias) << 52);

  static constexpr bool is_finite(Bits bits) {
    return static_cast<Bits>(bits & k_magnitude) < k_first_nonfinite;
  }

  static constexpr Class class_of(Bits bits) {
    if (is_finite(bits))
      return Class::finite;
    if (!has_infinity || static_cast<Bits>(bits & k_magnitude) != k_first_nonfinite)
      return Class::nan;
    return bits & k_sign ? Class::negative_infinity : Class::positive_infinity;
  }

  /// The value of a finite element; exact.
  static constexpr double value(Bits bits) {
    if constexpr (std::is_same_v<Bits, std::uint64_t>) {
      return std::bit_cast<double>(bits);
    } else if constexpr (std::is_same_v<Bits, std::uint32_t>) {
      return std::bit_cast<float>(bits);
    } else {
      const std::int64_t magnitude = bits & k_magnitude;
      const double normal = std::bit_cast<double>((magnitude << k_to_double) + k_rebias);
      const double size =
          magnitude < k_first_normal ? static_cast<double>(magnitude) * k_subnormal_unit : normal;
      return bits & k_sign ? -size : size;
    }
  }

  /// Neighbouring values have neighbouring numbers; both zeros have 0.
  static constexpr std::int64_t ordered(Bits bits) {
    const auto magnitude = static_cast<std::int64_t>(bits & k_magnitude);
    return bits & k_sign ? -magnitude : magnitude;
  }
};

/// Real and imaginary part, one after the other.
template <class Part_>
struct ComplexElement {
  using Part = Part_;
  using Bits = std::array<typename Part::Bits, 2>;
  static constexpr double k_floor = Part::k_floor;
};

template <class T>
struct IntegerElement {
  using Bits = T;
  static constexpr double k_floor = 1;
  static constexpr T value(T bits) { return bits; }
};

/// Any byte but 0 is true.
struct BoolElement {
  using Bits = std::uint8_t;
  static constexpr double k_floor = 1;
  static constexpr std::uint8_t value(Bits bits) { return bits != 0; }
};

using Float16 = FloatElement<std::uint16_t, 10>;
using BFloat16 = FloatElement<std::uint16_t, 7>;
using Float32 = FloatElement<std::uint32_t, 23>;
using Float64 = FloatElement<std::uint64_t, 52>;
using Float8E4M3FN = FloatElement<std::uint8_t, 3, false>;
using Float8E5M2 = FloatElement<std::uint8_t, 2>;

template <class>
inline constexpr bool k_is_float = false;
template <class Bits, int mantissa, bool has_infinity>
inline constexpr bool k_is_float<FloatElement<Bits, mantissa, has_infinity>> = true;
template <class>
inline constexpr bool k_is_complex = false;
template <class Part>
inline constexpr bool k_is_complex<ComplexElement<Part>> = true;

template <class E>
typename E::Bits load(const std::byte* data, std::int64_t index) {
  typename E::Bits bits;
  std::memcpy(&bits, data + index * static_cast<std::int64_t>(sizeof bits), sizeof bits);
  return bits;
}

/// Calls `use` with a value of the dtype's element type.
template <class Use>
decltype(auto) visit_element(DType dtype, Use use) {
  switch (dtype) {
    case DType::boolean:
      return use(BoolElement{});
    case DType::uint8:
      return use(IntegerElement<std::uint8_t>{});
    case DType::uint16:
      return use(IntegerElement<std::uint16_t>{});
    case DType::uint32:
      return use(IntegerElement<std::uint32_t>{});
    case DType::uint64:
      return use(IntegerElement<std::uint64_t>{});
    case DType::int8:
      return use(IntegerElement<std::int8_t>{});
    case DType::int16:
      return use(IntegerElement<std::int16_t>{});
    case DType::int32:
      return use(IntegerElement<std::int32_t>{});
    case DType::int64:
      return use(IntegerElement<std::int64_t>{});
    case DType::float16:
      return use(Float16{});
    case DType::bfloat16:
      return use(BFloat16{});
    case DType::float32:
      return use(Float32{});
    case DType::float64:
      return use(Float64{});
    case DType::complex64:
      return use(ComplexElement<Float32>{});
    case DType::complex128:
      return use(ComplexElement<Float64>{});
    case DType::float8_e4m3fn:
      return use(Float8E4M3FN{});
    case DType::float8_e5m2:
      return use(Float8E5M2{});
  }
  __builtin_unreachable();  // every TensorView passed `readable` first
}

}  // namespace opalign::compare
