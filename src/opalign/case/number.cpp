// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/number.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace opalign::cases {
namespace {

/// Whether a number that no double holds is too large, rather than too near to zero.
bool is_huge(std::string_view digits) {
  constexpr std::int64_t k_beyond = 1'000'000'000'000;  // more digits than any text has
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const std::int64_t magnitude =
      static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::string_view power = digits.substr(std::min(e + 1, digits.size()));
  const bool negative = power.starts_with('-');
  power.remove_prefix(negative || power.starts_with('+') ? 1 : 0);
  std::int64_t exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec ==
      std::errc::result_out_of_range)
    exponent = k_beyond;
  return magnitude + (negative ? -1 : 1) * std::min(exponent, k_beyond) > 0;
}

}  // namespace

std::optional<double> nonfinite(std::string_view word) {
  for (const std::string_view prefix : {"math.", "numpy.", "np."})
    if (word.starts_with(prefix)) {
      word.remove_prefix(prefix.size());
      break;
    }
  if (word == "nan" || word == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "Infinity")
    return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

double read_double(std::string_view digits) {
  double number = 0;
  const std::errc error = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec;
  if (error != std::errc::result_out_of_range)
    return number;
  const double magnitude = is_huge(digits) ? std::numeric_limits<double>::infinity() : 0.0;
  return digits.starts_with('-') ? -magnitude : magnitude;
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += std::isnan(number) ? "nan" : number > 0 ? "math.inf" : "-math.inf";
    return;
  }
  std::array<char, 32> buffer;
  const double magnitude = std::fabs(number);
  // repr() turns to exponents below 1e-4 and from 1e16 on.
  const bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const std::to_chars_result written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(buffer.data(), written.ptr);
  out += digits;
  if (fixed && digits.find('.') == std::string_view::npos)
    out += ".0";
}

}  // namespace opalign::cases
