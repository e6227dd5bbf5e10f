// SPDX-License-Identifier: Apache-2.0
// Statements and calls.
#include <opalign/case/parse.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/case/diagnostic.hpp>
#include <opalign/case/parser.hpp>
#include <opalign/case/utf8.hpp>

namespace opalign::cases {
namespace {

/// Words with a meaning of their own, which no variable may take.
constexpr auto k_reserved = std::to_array<std::string_view>(
    {"None", "True", "False", "Ellipsis", "nan", "NaN", "inf", "Infinity", "Tensor", "list",
     "tuple", "slice", "Dtype", "VarType", "type", "Place", "complex", "float", "check"});

bool is_reserved(std::string_view word) {
  return std::ranges::find(k_reserved, word) != k_reserved.end();
}

std::string_view head_of(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

}  // namespace

Expected<Case> parse(std::string_view text, Origin origin) {
  if (text.size() > k_max_text)
    return fail(fmt::format("{}:{}:1: expected at most {} bytes in a case, got {}", origin.file,
                            origin.line, k_max_text, text.size()));
  if (const std::size_t bad = first_invalid_utf8(text); bad != text.size())
    return tl::unexpected(diagnose(
        text, origin, bad, fmt::format("expected UTF-8 text, got {}", describe(text, bad))));
  return Parser(text, origin).parse();
}

Expected<Case> Parser::parse() {
  Case result;
  for (;;) {
    while (m_lexer.accept('\n') || m_lexer.accept(';')) {
    }
    if (m_lexer.at_end())
      break;
    if (result.statements.size() == k_max_statements)
      return limit(m_lexer.offset(), "statements in a case", k_max_statements);
    TRY_ASSIGN(Statement && next, statement());
    result.statements.push_back(std::move(next));
    const char end = m_lexer.peek();
    if (!m_lexer.at_end() && end != '\n' && end != ';')
      return m_lexer.expected("';' or the end of the line");
  }
  if (result.statements.empty())
    return m_lexer.expected("a case");
  return result;
}

Expected<Statement> Parser::statement() {
  const std::size_t at = m_lexer.offset();
  const std::string_view word = m_lexer.word();
  if (word.empty())
    return m_lexer.expected("a call such as paddle.abs(...) or an assignment");
  const char next = m_lexer.peek();
  if (next == '(') {
    if (word.find('.') == std::string_view::npos)
      return m_lexer.expected_at(at, "a call such as paddle.abs(...)");
    TRY_ASSIGN(Call && evaluated, call(word, at));
    return Evaluate{std::move(evaluated)};
  }
  if (next == '=') {
    if (word.find('.') != std::string_view::npos || is_reserved(word))
      return m_lexer.expected_at(at, "a variable's name");
    m_lexer.skip(1);
    TRY_ASSIGN(Value && assigned, value());
    if (!is_variable(word))
      m_variables.push_back(word);
    return Assign{std::string(word), std::move(assigned)};
  }
  if (word == "check") {
    TRY_ASSIGN(Check && checked, check());
    return checked;
  }
  return m_lexer.expected("'(' or '='");
}

Expected<Check> Parser::check() {
  Check result;
  do {
    m_lexer.peek();
    const std::size_t at = m_lexer.offset();
    const std::string_view name = m_lexer.word();
    if (!is_variable(name))
      return m_lexer.expected_at(at, "the name of an assigned variable",
                                 did_you_mean(name, m_variables));
    if (std::ranges::find(result.names, name) != result.names.end())
      return m_lexer.error_at(at, fmt::format("expected each name once, got '{}' again", name));
    result.names.emplace_back(name);
  } while (m_lexer.accept(','));
  return result;
}

Expected<Call> Parser::call(std::string_view callee, std::size_t at) {
  const std::string_view head = head_of(callee);
  Call result{std::string(callee), is_variable(head), {}};
  if (result.on_variable && callee.find('.', head.size() + 1) != std::string_view::npos)
    return m_lexer.expected_at(at, fmt::format("one method of '{}'", head));
  TRY(open('('));
  std::size_t keywords = 0;
  while (m_lexer.peek() != ')') {
    TRY_ASSIGN(Argument && next, argument(result, keywords));
    result.arguments.push_back(std::move(next));
    if (!m_lexer.accept(','))
      break;
  }
  TRY(close(')', "',' or ')'"));
  return result;
}

Expected<Argument> Parser::argument(const Call& call, std::size_t& keywords) {
  const std::size_t at = m_lexer.offset();
  const std::string_view word = m_lexer.word();
  if (word.empty() || m_lexer.peek() != '=') {
    if (keywords > 0 && !word.empty() && m_lexer.at_end())  // a line that was cut off
      return m_lexer.expected("'='");
    if (keywords > 0)
      return m_lexer.error_at(at,
                              "expected a keyword argument, got a positional one after a keyword");
    if (word.empty()) {
      TRY_ASSIGN(Value && positional, value());
      return Argument{{}, std::move(positional)};
    }
    TRY_ASSIGN(Value && positional, value_of(word, at));
    return Argument{{}, std::move(positional)};
  }
  if (word.find('.') != std::string_view::npos)
    return m_lexer.expected_at(at, "a keyword");
  const auto has_name = [&](const Argument& argument) { return argument.name == word; };
  if (std::ranges::any_of(call.arguments, has_name))
    return m_lexer.error_at(at, fmt::format("expected each keyword once, got '{}' again", word));
  if (++keywords > k_max_keywords)
    return limit(at, "keywords in a call", k_max_keywords);
  m_lexer.skip(1);
  TRY_ASSIGN(Value && named, value());
  return Argument{std::string(word), std::move(named)};
}

bool Parser::is_variable(std::string_view name) const {
  return std::ranges::find(m_variables, name) != m_variables.end();
}

}  // namespace opalign::cases
