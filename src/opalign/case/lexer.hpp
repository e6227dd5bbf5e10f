// SPDX-License-Identifier: Apache-2.0
// Lexer: a cursor over a case's text that takes words, digits, strings and punctuation from it on
// demand. It knows no grammar; newlines are visible to it, as they end statements.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <opalign/base/expected.hpp>
#include <opalign/case/characters.hpp>
#include <opalign/case/parse.hpp>

namespace opalign::cases {

/// Digits without a sign: 5, 5., .5, 1e-05.
struct Digits {
  std::string_view text;  ///< empty if there are none
  bool is_integer = true;
};

class Lexer {
 public:
  Lexer(std::string_view text, Origin origin)
      : m_begin(text.data()), m_at(m_begin), m_end(m_begin + text.size()), m_origin(origin) {}

  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(m_at - m_begin); }
  [[nodiscard]] bool at_end() const { return m_at == m_end; }
  /// The next byte, '\0' at the end.
  [[nodiscard]] char look() const { return at_end() ? '\0' : *m_at; }
  [[nodiscard]] bool starts_with(std::string_view token) const {
    return std::string_view(m_at, static_cast<std::size_t>(m_end - m_at)).starts_with(token);
  }

  /// The next byte after blanks and a comment, '\0' at the end.
  char peek() {
    while (m_at != m_end && is_blank(*m_at))
      ++m_at;
    if (look() == '#')
      skip_comment();
    return look();
  }
  void skip(std::size_t bytes) { m_at += bytes; }
  /// Skips blanks and takes `c` if it comes next; `c` is not '\0'.
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++m_at;
    return true;
  }

  /// name, or dotted.name; empty if none starts here.
  std::string_view word();
  Digits digits();
  /// "…" or '…', which starts here, without its quotes and escapes.
  Expected<std::string> string();

  /// Error at the next byte: `expected WHAT, got …`.
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what, std::string hint = {}) const {
    return expected_at(offset(), what, std::move(hint));
  }
  [[nodiscard]] tl::unexpected<Error> expected_at(std::size_t offset, std::string_view what,
                                                  std::string hint = {}) const;
  [[nodiscard]] tl::unexpected<Error> error_at(std::size_t offset, std::string_view sentence,
                                               std::string hint = {}) const;

 private:
  [[nodiscard]] std::string_view text() const { return {m_begin, m_end}; }
  void skip_comment();
  void skip_digits() {
    while (m_at != m_end && is_digit(*m_at))
      ++m_at;
  }
  Expected<void> escape(std::string& out);

  const char* m_begin;
  const char* m_at;
  const char* m_end;
  Origin m_origin;
};

}  // namespace opalign::cases
