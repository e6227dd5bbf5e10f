// SPDX-License-Identifier: Apache-2.0
// Every value of every narrow format, and what lies between two of them.
#include <opalign/base/float_bits.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

using namespace opalign;

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

struct Format {
  const char* name;
  DType dtype;
  int exponent_bits, fraction_bits;
  bool has_infinity;
  std::uint32_t largest;  ///< bits of the largest finite value
  std::uint32_t quiet_nan;
};

constexpr std::array k_formats{
    Format{"float16", DType::float16, 5, 10, true, 0x7bff, 0x7e00},
    Format{"bfloat16", DType::bfloat16, 8, 7, true, 0x7f7f, 0x7fc0},
    Format{"float8_e4m3fn", DType::float8_e4m3fn, 4, 3, false, 0x7e, 0x7f},
    Format{"float8_e5m2", DType::float8_e5m2, 5, 2, true, 0x7b, 0x7e},
};

std::uint32_t encode(const Format& format, double value) {
  switch (format.dtype) {
    case DType::float16:
      return float16_bits(value);
    case DType::bfloat16:
      return bfloat16_bits(value);
    case DType::float8_e4m3fn:
      return float8_e4m3fn_bits(value);
    default:
      return float8_e5m2_bits(value);
  }
}

double decode(const Format& format, std::uint32_t bits) {
  switch (format.dtype) {
    case DType::float16:
      return float16_value(static_cast<std::uint16_t>(bits));
    case DType::bfloat16:
      return bfloat16_value(static_cast<std::uint16_t>(bits));
    case DType::float8_e4m3fn:
      return float8_e4m3fn_value(static_cast<std::uint8_t>(bits));
    default:
      return float8_e5m2_value(static_cast<std::uint8_t>(bits));
  }
}

std::uint32_t sign_bit(const Format& format) {
  return 1u << (format.exponent_bits + format.fraction_bits);
}

/// The definition: sign, 2^(exponent - bias) and 1.fraction.
double by_definition(const Format& format, std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> format.fraction_bits);
  const int fraction = static_cast<int>(bits & ((1u << format.fraction_bits) - 1));
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int implicit = exponent == 0 ? 0 : 1 << format.fraction_bits;
  return std::ldexp(implicit + fraction, std::max(exponent, 1) - bias - format.fraction_bits);
}

}  // namespace

TEST_CASE("float bits: every finite value decodes by the definition and comes back") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    std::uint32_t wrong = 0;
    for (std::uint32_t bits = 0; bits <= format.largest; ++bits) {
      const double value = decode(format, bits);
      wrong += value != by_definition(format, bits) || encode(format, value) != bits;
      const double negative = decode(format, bits | sign_bit(format));
      wrong += negative != -value || !std::signbit(negative) ||
               encode(format, negative) != (bits | sign_bit(format));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float bits: between two values the nearest wins, and the even one in the middle") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    std::uint32_t wrong = 0;
    for (std::uint32_t bits = 0; bits < format.largest; ++bits) {
      const double middle = (decode(format, bits) + decode(format, bits + 1)) / 2;
      const std::uint32_t even = bits + bits % 2;
      wrong += encode(format, middle) != even;
      wrong += encode(format, -middle) != (even | sign_bit(format));
      wrong += encode(format, std::nextafter(middle, 0)) != bits;
      wrong += encode(format, std::nextafter(middle, k_infinity)) != bits + 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float bits: overflow gives infinity, or nan where there is none") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    const std::uint32_t over = format.largest + 1;
    const double largest = decode(format, format.largest);
    const double unit = largest - decode(format, format.largest - 1);
    CHECK(encode(format, std::nextafter(largest + unit / 2, 0)) == format.largest);
    // A tie goes to the even encoding: beyond the largest value unless that is the even one.
    CHECK(encode(format, largest + unit / 2) == (format.has_infinity ? over : format.largest));
    CHECK(encode(format, std::nextafter(largest + unit / 2, k_infinity)) == over);
    CHECK(encode(format, 1e300) == over);
    CHECK(encode(format, k_infinity) == over);
    CHECK(encode(format, -k_infinity) == (over | sign_bit(format)));
    CHECK(std::isinf(decode(format, over)) == format.has_infinity);
    CHECK(std::isnan(decode(format, over)) != format.has_infinity);
  }
  CHECK(decode(k_formats[0], 0x7bff) == 65504);
  CHECK(decode(k_formats[2], 0x7e) == 448);
  CHECK(decode(k_formats[3], 0x7b) == 57344);
}

TEST_CASE("float bits: nan stays nan, quiet, with its sign") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(encode(format, nan) == format.quiet_nan);
    CHECK(encode(format, std::copysign(nan, -1)) == (format.quiet_nan | sign_bit(format)));
    const double signalling = std::bit_cast<double>(std::uint64_t{0x7ff0'0000'0000'0001});
    CHECK(encode(format, signalling) == format.quiet_nan);
    std::uint32_t wrong = 0;
    const std::uint32_t first = format.largest + (format.has_infinity ? 2u : 1u);
    for (std::uint32_t bits = first; bits < sign_bit(format); ++bits)
      wrong += !std::isnan(decode(format, bits)) ||
               encode(format, decode(format, bits)) != (bits | format.quiet_nan);
    CHECK(wrong == 0);
  }
}

TEST_CASE("float bits: what is too small becomes a zero with its sign") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    const double least = decode(format, 1);
    for (const double tiny : {0.0, 5e-324, 1e-310, 1e-200, least / 2}) {
      CHECK(encode(format, tiny) == 0);
      CHECK(encode(format, -tiny) == sign_bit(format));
    }
  }
}

TEST_CASE("float bits: round_into is the same conversion, for each floating dtype") {
  const std::array values{1.1, -0.3, 448.1, 1e-7, 70000.0};
  std::array<std::byte, 5 * 8> out;
  for (const Format& format : k_formats) {
    round_into(format.dtype, values, out.data());
    const std::size_t size = size_of(format.dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, out.data() + i * size, size);
      CHECK(bits == encode(format, values[i]));
    }
  }
  round_into(DType::float32, values, out.data());
  float single;
  std::memcpy(&single, out.data(), sizeof single);
  CHECK(single == 1.1f);
  round_into(DType::float64, values, out.data());
  CHECK(std::memcmp(out.data(), values.data(), sizeof values) == 0);
}

TEST_CASE("float bits: round_into of many values is that of each, whatever stands beside it") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    // In order, so that there are blocks of ordinary values, of special ones and with both.
    std::vector<double> values;
    for (std::uint32_t bits = 0; bits <= format.largest; ++bits) {
      const double value = decode(format, bits);
      const double middle = (value + decode(format, std::min(bits + 1, format.largest))) / 2;
      values.insert(values.end(), {value, middle, -std::nextafter(middle, k_infinity)});
    }
    values.insert(values.end(), {1e300, -1e300, k_infinity, std::nan(""), 5e-324, -0.0, 1.5});
    std::vector<std::byte> out(values.size() * size_of(format.dtype));
    round_into(format.dtype, values, out.data());
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, out.data() + i * size_of(format.dtype), size_of(format.dtype));
      wrong += bits != encode(format, values[i]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float bits: floor_to is the largest value that is not above") {
  for (const Format& format : k_formats) {
    CAPTURE(format.name);
    std::uint32_t wrong = 0;
    for (std::uint32_t bits = 0; bits < format.largest; ++bits) {
      const double low = decode(format, bits), high = decode(format, bits + 1);
      wrong += floor_to(format.dtype, low) != low;
      wrong += floor_to(format.dtype, std::nextafter(high, 0)) != low;
      wrong += floor_to(format.dtype, -high) != -high;
      wrong += floor_to(format.dtype, std::nextafter(-low, -k_infinity)) != -high;
    }
    CHECK(wrong == 0);
    const double largest = decode(format, format.largest);
    CHECK(floor_to(format.dtype, k_infinity) == largest);
    CHECK(floor_to(format.dtype, -k_infinity) == -largest);
  }
  CHECK(floor_to(DType::float32, 0.1) < 0.1);
  CHECK(floor_to(DType::float32, 0.1) == double{std::nextafter(0.1f, 0.0f)});
  CHECK(floor_to(DType::float32, 1e300) == double{std::numeric_limits<float>::max()});
  CHECK(floor_to(DType::float64, 0.1) == 0.1);
}
