// SPDX-License-Identifier: Apache-2.0
// The words, numbers and symbols of a domain, one at a time; private to domain*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opalign::catalog {

struct Token {
  enum class Kind : std::uint8_t { end, word, number, string, symbol, bad };
  Kind kind = Kind::end;
  std::string_view text;   ///< a string without its quotes
  std::size_t column = 1;  ///< in bytes, from 1
};

class Tokenizer {
 public:
  /// The text must outlive the tokens.
  explicit Tokenizer(std::string_view text) : m_text(text) { advance(); }

  [[nodiscard]] const Token& token() const { return m_token; }
  void advance();

 private:
  void finish(Token::Kind kind, std::size_t start);
  void take_word();
  void take_number();
  void take_string(char quote);
  void take_symbol();

  std::string_view m_text;
  std::size_t m_at = 0;
  Token m_token;
};

}  // namespace opalign::catalog
