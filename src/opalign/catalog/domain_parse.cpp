// SPDX-License-Identifier: Apache-2.0
// Text to syntax tree: recursive descent, about one function a line of the grammar.
#include <charconv>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/catalog/domain_node.hpp>
#include <opalign/catalog/domain_token.hpp>

namespace opalign::catalog {
namespace {

using Node = Domain::Node;
using Kind = Node::Kind;
using Place = std::size_t;  // in the list of nodes

// Texts come from case files too: neither parser nor evaluator may run out of stack.
constexpr int k_most_depth = 64;
constexpr std::size_t k_most_nodes = 1000;

class Parser {
 public:
  explicit Parser(std::string_view text) : m_text(text), m_tokens(text) {}

  Expected<Domain> parse() {
    TRY(domain());
    if (token().kind != Token::Kind::end)
      return expected("an operator or the end");
    return Domain(std::string(m_text), std::move(m_nodes));
  }

 private:
  using Operators = std::initializer_list<std::pair<std::string_view, Kind>>;

  const Token& token() const { return m_tokens.token(); }

  bool at(std::string_view text) const {
    return token().text == text &&
           (token().kind == Token::Kind::symbol || token().kind == Token::Kind::word);
  }

  bool accept(std::string_view text) {
    const bool found = at(text);
    if (found)
      m_tokens.advance();
    return found;
  }

  tl::unexpected<Error> error(std::size_t column, std::string message,
                              std::string hint = {}) const {
    return tl::unexpected(at_column(m_text, column, {std::move(message), std::move(hint)}));
  }

  tl::unexpected<Error> expected(std::string_view what) const {
    return error(token().column, token().kind == Token::Kind::end
                                     ? fmt::format("expected {}, got the end", what)
                                     : fmt::format("expected {}, got \"{}\"", what, token().text));
  }

  Expected<void> require(std::string_view symbol) {
    return accept(symbol) ? Expected<void>{} : expected(fmt::format("\"{}\"", symbol));
  }

  Expected<Place> add(Node node) {
    if (m_nodes.size() == k_most_nodes)
      return error(node.column,
                   fmt::format("expected at most {} operands and operators", k_most_nodes));
    m_nodes.push_back(std::move(node));
    return m_nodes.size() - 1;
  }

  Expected<Place> add(Kind kind, std::size_t column, std::vector<Place> operands) {
    Node node;
    node.kind = kind;
    node.column = column;
    node.operands = std::move(operands);
    return add(std::move(node));
  }

  Expected<Place> domain() {
    TRY_ASSIGN(const Place value, alternatives());
    const std::size_t column = token().column;
    if (!accept("if"))
      return value;
    TRY_ASSIGN(const Place condition, alternatives());
    TRY(require("else"));
    TRY(enter());
    TRY_ASSIGN(const Place otherwise, domain());
    --m_depth;
    return add(Kind::conditional, column, {value, condition, otherwise});
  }

  /// operand {operator operand}, grouped from the left.
  Expected<Place> chain(Operators operators, Expected<Place> (Parser::*operand)()) {
    TRY_ASSIGN(Place left, (this->*operand)());
    for (;;) {
      const std::size_t column = token().column;
      const auto* found = operators.begin();
      while (found != operators.end() && !at(found->first))
        ++found;
      if (found == operators.end())
        return left;
      m_tokens.advance();
      TRY_ASSIGN(const Place right, (this->*operand)());
      TRY_ASSIGN(left, add(found->second, column, {left, right}));
    }
  }

  Expected<Place> alternatives() { return chain({{"or", Kind::logical_or}}, &Parser::conjunction); }
  Expected<Place> conjunction() { return chain({{"and", Kind::logical_and}}, &Parser::negation); }

  Expected<Place> negation() {
    const std::size_t column = token().column;
    if (!accept("not"))
      return comparison();
    TRY(enter());
    TRY_ASSIGN(const Place operand, negation());
    --m_depth;
    return add(Kind::logical_not, column, {operand});
  }

  Expected<Place> comparison() {
    TRY_ASSIGN(Place left, sum());
    const std::size_t column = token().column;
    if (accept("is")) {
      const bool negated = accept("not");
      if (!accept("None"))
        return expected("\"None\"");
      TRY_ASSIGN(left, add(Kind::is_none, column, {left}));
      return negated ? add(Kind::logical_not, column, {left}) : left;
    }
    for (const auto& [symbol, kind] : Operators{{"==", Kind::equal},
                                                {"!=", Kind::not_equal},
                                                {"<=", Kind::less_equal},
                                                {"<", Kind::less},
                                                {">=", Kind::greater_equal},
                                                {">", Kind::greater}})
      if (accept(symbol)) {
        TRY_ASSIGN(const Place right, sum());
        return add(kind, column, {left, right});
      }
    return left;
  }

  Expected<Place> sum() {
    return chain({{"+", Kind::add}, {"-", Kind::subtract}}, &Parser::product);
  }

  Expected<Place> product() {
    return chain({{"*", Kind::multiply},
                  {"/", Kind::divide},
                  {"//", Kind::floor_divide},
                  {"%", Kind::modulo}},
                 &Parser::unary);
  }

  Expected<Place> unary() {
    const std::size_t column = token().column;
    if (accept("-")) {
      TRY(enter());
      TRY_ASSIGN(const Place operand, unary());
      --m_depth;
      return add(Kind::negate, column, {operand});
    }
    TRY_ASSIGN(Place place, item());
    for (;;) {
      const std::size_t suffix = token().column;
      if (accept(".")) {
        TRY_ASSIGN(const Kind kind, attribute());
        TRY_ASSIGN(place, add(kind, suffix, {place}));
      } else if (accept("[")) {
        TRY(enter());
        TRY_ASSIGN(const Place index, domain());
        --m_depth;
        TRY(require("]"));
        TRY_ASSIGN(place, add(Kind::item, suffix, {place, index}));
      } else {
        return place;
      }
    }
  }

  Expected<Kind> attribute() {
    for (const auto& [name, kind] :
         Operators{{"shape", Kind::shape}, {"ndim", Kind::ndim}, {"numel", Kind::numel}})
      if (accept(name))
        return kind;
    return expected("shape, ndim or numel");
  }

  Expected<Place> item() {
    const Token first = token();
    if (accept("(")) {
      TRY(enter());
      TRY_ASSIGN(const Place inside, domain());
      --m_depth;
      TRY(require(")"));
      return inside;
    }
    switch (first.kind) {
      case Token::Kind::number:
        return number(first);
      case Token::Kind::string:
        m_tokens.advance();
        return literal(first, {std::string(first.text)});
      case Token::Kind::word:
        return word(first);
      default:
        return expected("a value");
    }
  }

  Expected<Place> literal(const Token& where, DomainValue value) {
    Node node;
    node.column = where.column;
    node.literal = std::move(value);
    return add(std::move(node));
  }

  Expected<Place> number(const Token& first) {
    m_tokens.advance();
    const char* end = first.text.data() + first.text.size();
    std::int64_t integer = 0;
    const std::from_chars_result whole = std::from_chars(first.text.data(), end, integer);
    if (whole.ec == std::errc{} && whole.ptr == end)
      return literal(first, {integer});
    double real = 0;
    const std::from_chars_result result = std::from_chars(first.text.data(), end, real);
    if (result.ec != std::errc{} || result.ptr != end)
      return error(first.column, fmt::format("expected a number, got \"{}\"", first.text));
    return literal(first, {real});
  }

  Expected<Place> word(const Token& first) {
    constexpr double k_infinity = std::numeric_limits<double>::infinity();
    constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
    m_tokens.advance();
    if (first.text == "True" || first.text == "False")
      return literal(first, {first.text == "True"});
    if (first.text == "None")
      return literal(first, {});
    if (first.text == "inf" || first.text == "nan")
      return literal(first, {first.text == "inf" ? k_infinity : k_nan});
    for (const std::string_view keyword : {"if", "else", "and", "or", "not", "is"})
      if (first.text == keyword)
        return error(first.column, fmt::format("expected a value, got \"{}\"", first.text));
    Node node;
    node.column = first.column;
    node.name = std::string(first.text);
    node.function = find_function(first.text);
    if (at("("))
      return call(std::move(node));
    node.kind = Kind::name;
    if (node.function != nullptr && node.function->least > 0)
      node.function = nullptr;
    return add(std::move(node));
  }

  Expected<Place> call(Node node) {
    if (node.function == nullptr) {
      std::vector<std::string_view> known;
      for (const Function& function : functions())
        known.push_back(function.name);
      return error(node.column, fmt::format("unknown function \"{}\"", node.name),
                   did_you_mean(node.name, known));
    }
    node.kind = Kind::call;
    m_tokens.advance();
    TRY(enter());
    while (!accept(")")) {
      TRY_ASSIGN(const Place argument, domain());
      node.operands.push_back(argument);
      if (!at(")") && !accept(","))
        return expected("\",\" or \")\"");
    }
    --m_depth;
    const std::size_t given = node.operands.size();
    const auto& [name, least, most, unused] = *node.function;
    if (given < least || given > most) {
      const std::string count = least == most          ? fmt::format("{}", least)
                                : most == k_any_number ? fmt::format("at least {}", least)
                                                       : fmt::format("{} or {}", least, most);
      return error(node.column,
                   fmt::format("{}: expected {} argument{}, got {}", name, count,
                               count == "1" || count == "at least 1" ? "" : "s", given));
    }
    return add(std::move(node));
  }

  /// Counts a level of nesting; whoever called it counts down when that is parsed.
  Expected<void> enter() {
    if (++m_depth > k_most_depth)
      return error(token().column,
                   fmt::format("expected at most {} levels of nesting", k_most_depth));
    return {};
  }

  std::string_view m_text;
  Tokenizer m_tokens;
  std::vector<Node> m_nodes;
  int m_depth = 0;
};

}  // namespace

Expected<Domain> parse_domain(std::string_view text) { return Parser(text).parse(); }

}  // namespace opalign::catalog
