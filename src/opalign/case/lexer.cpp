// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/lexer.hpp>

#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include <opalign/case/diagnostic.hpp>
#include <opalign/case/utf8.hpp>

namespace opalign::cases {

void Lexer::skip_comment() {
  const void* newline = std::memchr(m_at, '\n', static_cast<std::size_t>(m_end - m_at));
  m_at = newline == nullptr ? m_end : static_cast<const char*>(newline);
}

std::string_view Lexer::word() {
  const char* start = m_at;
  if (!is_word_start(look()))
    return {};
  for (;;) {
    while (m_at != m_end && is_word(*m_at))
      ++m_at;
    if (m_end - m_at < 2 || *m_at != '.' || !is_word_start(m_at[1]))
      return {start, m_at};
    ++m_at;
  }
}

Digits Lexer::digits() {
  const char* start = m_at;
  skip_digits();
  bool is_integer = true;
  std::size_t count = static_cast<std::size_t>(m_at - start);
  if (look() == '.') {
    const char* point = m_at++;
    skip_digits();
    count += static_cast<std::size_t>(m_at - point) - 1;
    is_integer = false;
  }
  if (count == 0) {
    m_at = start;
    return {};
  }
  if (look() == 'e' || look() == 'E') {
    const char* mantissa_end = m_at++;
    if (look() == '+' || look() == '-')
      ++m_at;
    if (is_digit(look())) {
      skip_digits();
      is_integer = false;
    } else {
      m_at = mantissa_end;
    }
  }
  return {{start, m_at}, is_integer};
}

Expected<std::string> Lexer::string() {
  const std::size_t start = offset();
  const char quote = *m_at++;
  std::string out;
  for (;;) {
    const char* run = m_at;
    while (m_at != m_end && *m_at != quote && *m_at != '\\' && *m_at != '\n')
      ++m_at;
    out.append(run, m_at);
    if (at_end() || *m_at == '\n')
      return expected_at(start, fmt::format("a string that ends with {} on its line", quote));
    if (*m_at++ == quote)
      return out;
    TRY(escape(out));
  }
}

Expected<void> Lexer::escape(std::string& out) {
  constexpr std::string_view k_letters = "nrt0\\\"'";
  constexpr std::string_view k_meanings{"\n\r\t\0\\\"'", 7};
  const char letter = look();
  if (const std::size_t index = k_letters.find(letter);
      !at_end() && index != std::string_view::npos) {
    out += k_meanings[index];
    ++m_at;
    return {};
  }
  const int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 0;
  std::uint32_t code_point = 0;
  const char* last = m_at + 1 + digits;
  const bool fits = digits > 0 && m_end - m_at > digits;
  if (!fits || std::from_chars(m_at + 1, last, code_point, 16).ptr != last ||
      (code_point >= 0xD800 && code_point < 0xE000))
    return error_at(offset() - 1, "expected an escape, got a lone '\\'",
                    R"(escapes are \\ \" \' \n \r \t \0 \xHH \uHHHH)");
  append_utf8(out, code_point);
  m_at = last;
  return {};
}

tl::unexpected<Error> Lexer::expected_at(std::size_t offset, std::string_view what,
                                         std::string hint) const {
  return error_at(offset, fmt::format("expected {}, got {}", what, describe(text(), offset)),
                  std::move(hint));
}

tl::unexpected<Error> Lexer::error_at(std::size_t offset, std::string_view sentence,
                                      std::string hint) const {
  return tl::unexpected(diagnose(text(), m_origin, offset, sentence, std::move(hint)));
}

}  // namespace opalign::cases
