// SPDX-License-Identifier: Apache-2.0
// Numbers: integers of any size, floats as Python reads them, complex numbers, nan and inf.
#include <cctype>
#include <charconv>
#include <cstdint>

#include <opalign/case/number.hpp>
#include <opalign/case/parser.hpp>

namespace opalign::cases {
namespace {

constexpr std::string_view k_number = "a number";

Value integer(std::string_view digits) {
  std::int64_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{})
    return Value{number};
  const bool negative = digits.front() == '-';
  digits.remove_prefix(negative ? 1 : 0);
  digits.remove_prefix(digits.find_first_not_of('0'));
  std::string text(negative ? 1 : 0, '-');
  text += digits;
  return Value{BigInteger{std::move(text)}};
}

/// What float("…") makes of its text: nan or inf in any case, a sign, blanks around.
std::optional<double> read_float_text(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t first = text.find_first_not_of(' ');
  text =
      first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+'))
    text.erase(0, 1);
  Lexer lexer(text, {});
  std::optional<double> number;
  if (const Digits digits = lexer.digits(); !digits.text.empty() && lexer.at_end())
    number = read_double(digits.text);
  else if (text == "nan" || text == "inf")
    number = nonfinite(text);
  else if (text == "infinity")
    number = nonfinite("inf");
  return number && negative ? -*number : number;
}

/// The double nearest to a real value; nothing for any other value.
std::optional<double> to_real(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*number);
  if (const auto* number = std::get_if<BigInteger>(&value.data))
    return read_double(number->digits);
  if (const auto* number = std::get_if<Float>(&value.data))
    return number->value;
  return std::nullopt;
}

}  // namespace

double Parser::Part::real() const { return digits.empty() ? value : read_double(digits); }

Expected<Value> Parser::number() {
  TRY_ASSIGN(const Part first, part());
  return number_from(first);
}

Expected<Value> Parser::number_from(const Part& first) {
  if (first.is_imaginary)
    return Value{Complex{0, first.real()}};
  if (m_lexer.look() == '+' || m_lexer.look() == '-') {
    const std::size_t at = m_lexer.offset();
    TRY_ASSIGN(const Part second, part());
    if (!second.is_imaginary)
      return m_lexer.expected_at(at, "an imaginary part such as +2j");
    return Value{Complex{first.real(), second.real()}};
  }
  if (first.is_integer)
    return integer(first.digits);
  return Value{Float{first.real()}};
}

Expected<Parser::Part> Parser::part() {
  const std::size_t at = m_lexer.offset();
  const bool negative = m_lexer.look() == '-';
  if (negative || m_lexer.look() == '+')
    m_lexer.skip(1);
  const double sign = negative ? -1 : 1;
  if (const std::string_view word = m_lexer.word(); !word.empty()) {
    if (word == "float") {
      TRY_ASSIGN(const double number, float_call());
      return Part{.value = sign * number};
    }
    const bool is_imaginary = word == "nanj" || word == "infj";
    const std::optional<double> special = nonfinite(is_imaginary ? word.substr(0, 3) : word);
    if (!special)
      return m_lexer.expected_at(at, k_number);
    return Part{.is_imaginary = is_imaginary, .value = sign * *special};
  }
  const Digits digits = m_lexer.digits();
  if (digits.text.empty())
    return m_lexer.expected_at(at, k_number);
  const bool is_imaginary = m_lexer.look() == 'j' || m_lexer.look() == 'J';
  if (is_imaginary)
    m_lexer.skip(1);
  if (is_word(m_lexer.look()))
    return m_lexer.expected_at(at, k_number);
  const char* start = digits.text.data() - (negative ? 1 : 0);
  return Part{.digits = {start, digits.text.data() + digits.text.size()},
              .is_integer = digits.is_integer && !is_imaginary,
              .is_imaginary = is_imaginary};
}

/// ("nan") or (1.5), what stands behind `float`.
Expected<double> Parser::float_call() {
  TRY(open('('));
  const char next = m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  std::optional<double> number;
  if (next == '"' || next == '\'') {
    TRY_ASSIGN(std::string && text, m_lexer.string());
    number = read_float_text(std::move(text));
  } else {
    TRY_ASSIGN(const Value inner, value());
    number = to_real(inner);
  }
  if (!number)
    return m_lexer.expected_at(at, "a number or a string such as \"nan\"");
  TRY(close(')', "')'"));
  return *number;
}

/// (1.0, -2.0) or (1.0), what stands behind `complex`.
Expected<Value> Parser::complex() {
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(std::vector<Value> && parts, items('(', ')'));
  Complex number;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<double> part = to_real(parts[i]);
    if (!part || i > 1)
      return m_lexer.error_at(at, "expected complex(real, imaginary) of numbers");
    (i == 0 ? number.real : number.imag) = *part;
  }
  return Value{number};
}

}  // namespace opalign::cases
