// SPDX-License-Identifier: Apache-2.0
// Character classes of the case language, free of locales.
#pragma once

namespace opalign::cases {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] constexpr bool is_word(char c) { return is_word_start(c) || is_digit(c); }
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace opalign::cases
