// SPDX-License-Identifier: Apache-2.0
// Conversions between double and the floating formats that C++ does not have; exact integer code,
// independent of the rounding mode. It does no arithmetic in those formats.
//
//              exponent/fraction bits   smallest subnormal   largest   infinity
//   float16           5/10                   2^-24            65504      yes
//   bfloat16          8/7                    2^-133          ~3.39e38    yes
//   float8_e5m2       5/2                    2^-16            57344      yes
//   float8_e4m3fn     4/3                    2^-9              448       no; S.1111.111 is nan
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <opalign/base/dtype.hpp>

namespace opalign {

/// Bits of the nearest value, ties to even. Beyond the largest value: infinity, or nan where the
/// format has none. nan stays nan: sign and leading payload bits are kept, and it is made quiet.
[[nodiscard]] std::uint16_t float16_bits(double value);
[[nodiscard]] std::uint16_t bfloat16_bits(double value);
[[nodiscard]] std::uint8_t float8_e4m3fn_bits(double value);
[[nodiscard]] std::uint8_t float8_e5m2_bits(double value);

/// The value of the bits, exact.
[[nodiscard]] double float16_value(std::uint16_t bits);
[[nodiscard]] double bfloat16_value(std::uint16_t bits);
[[nodiscard]] double float8_e4m3fn_value(std::uint8_t bits);
[[nodiscard]] double float8_e5m2_value(std::uint8_t bits);

/// Rounds each value once into the floating `dtype` and writes values.size() elements.
void round_into(DType dtype, std::span<const double> values, std::byte* out);

/// The largest finite value of the floating `dtype` that is <= x; -(largest) if there is none.
/// x is not nan.
[[nodiscard]] double floor_to(DType dtype, double x);

}  // namespace opalign
