// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/domain_token.hpp>

namespace opalign::catalog {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Tokenizer::advance() {
  while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n'))
    ++m_at;
  if (m_at == m_text.size())
    return finish(Token::Kind::end, m_at);
  const char first = m_text[m_at];
  const char second = m_at + 1 < m_text.size() ? m_text[m_at + 1] : ' ';
  if (is_letter(first))
    take_word();
  else if (is_digit(first) || (first == '.' && is_digit(second)))
    take_number();
  else if (first == '"' || first == '\'')
    take_string(first);
  else
    take_symbol();
}

void Tokenizer::finish(Token::Kind kind, std::size_t start) {
  m_token = {kind, m_text.substr(start, m_at - start), start + 1};
}

void Tokenizer::take_word() {
  const std::size_t start = m_at;
  while (m_at < m_text.size() && (is_letter(m_text[m_at]) || is_digit(m_text[m_at])))
    ++m_at;
  finish(Token::Kind::word, start);
}

// Takes all that could belong to a number; whether it is one shows when it is converted.
void Tokenizer::take_number() {
  const std::size_t start = m_at;
  for (char before = ' '; m_at < m_text.size(); before = m_text[m_at++]) {
    const char c = m_text[m_at];
    const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
    if (!is_digit(c) && !is_letter(c) && c != '.' && !sign)
      break;
  }
  finish(Token::Kind::number, start);
}

void Tokenizer::take_string(char quote) {
  const std::size_t start = m_at;
  const std::size_t end = m_text.find(quote, start + 1);
  if (end == std::string_view::npos) {
    m_at = m_text.size();
    return finish(Token::Kind::bad, start);
  }
  m_at = end + 1;
  m_token = {Token::Kind::string, m_text.substr(start + 1, end - start - 1), start + 1};
}

void Tokenizer::take_symbol() {
  const std::size_t start = m_at;
  for (const std::string_view two : {"//", "==", "!=", "<=", ">="})
    if (m_text.substr(start).starts_with(two)) {
      m_at += 2;
      return finish(Token::Kind::symbol, start);
    }
  ++m_at;
  const bool known =
      std::string_view("+-*/%<>()[],.").find(m_text[start]) != std::string_view::npos;
  finish(known ? Token::Kind::symbol : Token::Kind::bad, start);
}

}  // namespace opalign::catalog
