// SPDX-License-Identifier: Apache-2.0
// Values: constants, names, sequences and the small constructs; numbers and tensors have own files.
#include <array>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/case/number.hpp>
#include <opalign/case/parser.hpp>

namespace opalign::cases {
namespace {

constexpr std::array<std::string_view, 17> k_words{
    "None",  "True",  "False", "Ellipsis", "nan",  "inf",   "math.inf", "Tensor", "list",
    "tuple", "slice", "Dtype", "VarType",  "type", "Place", "complex",  "float"};

bool is_size(std::string_view word) { return word == "paddle.Size" || word == "torch.Size"; }

}  // namespace

Expected<Value> Parser::value() {
  const char next = m_lexer.peek();
  if (is_word_start(next)) {
    const std::size_t at = m_lexer.offset();
    return value_of(m_lexer.word(), at);
  }
  TRY(count_value(m_lexer.offset()));
  if (is_digit(next) || next == '-' || next == '+')
    return number();
  switch (next) {
    case '"':
    case '\'': {
      TRY_ASSIGN(std::string && text, m_lexer.string());
      return Value{std::move(text)};
    }
    case '[': {
      TRY_ASSIGN(std::vector<Value> && elements, items('[', ']'));
      return Value{List{std::move(elements)}};
    }
    case '(':
      return group();
    case '.':
      if (m_lexer.starts_with("...")) {
        m_lexer.skip(3);
        return Value{Ellipsis{}};
      }
      return number();
    default:
      return m_lexer.expected("a value");
  }
}

Expected<Value> Parser::value_of(std::string_view word, std::size_t at) {
  TRY(count_value(at));
  const char next = m_lexer.peek();
  if (next == '(')
    return construct(word, at);
  if (next == '[' && word == "list") {
    TRY_ASSIGN(std::vector<Value> && elements, items('[', ']'));
    return Value{List{std::move(elements)}};
  }
  if (word == "None")
    return Value{None{}};
  if (word == "True" || word == "False")
    return Value{word == "True"};
  if (word == "Ellipsis")
    return Value{Ellipsis{}};
  if (is_variable(word))
    return Value{Name{std::string(word)}};
  if (const std::optional<double> special = nonfinite(word))
    return number_from(Part{.value = *special});
  return unknown(word, at);
}

Expected<Value> Parser::construct(std::string_view word, std::size_t at) {
  if (word == "Tensor")
    return tensor();
  if (word == "tuple") {
    TRY_ASSIGN(std::vector<Value> && elements, items('(', ')'));
    return Value{Tuple{std::move(elements)}};
  }
  if (word == "slice")
    return slice();
  if (word == "Dtype")
    return type_name(TypeName::Kind::dtype);
  if (word == "VarType")
    return type_name(TypeName::Kind::var_type);
  if (word == "type")
    return type_name(TypeName::Kind::python_type);
  if (word == "Place") {
    TRY_ASSIGN(std::string && name, place());
    return Value{Place{std::move(name)}};
  }
  if (word == "complex")
    return complex();
  if (word == "float") {
    TRY_ASSIGN(const double special, float_call());
    return Value{Float{special}};
  }
  if (is_size(word))
    return size(word, at);
  if (word.find('.') == std::string_view::npos)
    return unknown(word, at);
  TRY_ASSIGN(Call && nested, call(word, at));
  return Value{std::move(nested)};
}

/// (), (a,), (a, b): tuples; (a): a itself, as in Python.
Expected<Value> Parser::group() {
  TRY(open('('));
  std::vector<Value> elements;
  bool is_tuple = true;
  while (m_lexer.peek() != ')') {
    TRY_ASSIGN(Value && element, value());
    elements.push_back(std::move(element));
    is_tuple = m_lexer.accept(',');
    if (!is_tuple)
      break;
  }
  TRY(close(')', "',' or ')'"));
  if (elements.size() == 1 && !is_tuple)
    return std::move(elements.front());
  return Value{Tuple{std::move(elements)}};
}

/// slice(stop), slice(start, stop), slice(start, stop, step), as in Python.
Expected<Value> Parser::slice() {
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(std::vector<Value> && parts, items('(', ')'));
  if (parts.empty() || parts.size() > 3)
    return m_lexer.error_at(at,
                            fmt::format("expected 1 to 3 parts of a slice, got {}", parts.size()));
  if (parts.size() == 1)
    parts.insert(parts.begin(), Value{None{}});
  parts.resize(3, Value{None{}});
  return Value{Slice{std::move(parts)}};
}

Expected<Value> Parser::type_name(TypeName::Kind kind) {
  TRY(open('('));
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  const std::string_view name = m_lexer.word();
  if (kind == TypeName::Kind::python_type) {
    if (name.empty())
      return m_lexer.expected_at(at, "a type such as numpy.float32 or int");
  } else if (!parse_dtype(name)) {
    return unknown_dtype(name, at);
  }
  TRY(close(')', "')'"));
  return Value{TypeName{kind, std::string(name)}};
}

Expected<std::string> Parser::place() {
  TRY(open('('));
  m_lexer.peek();
  std::string name(m_lexer.word());
  if (name.empty())
    return m_lexer.expected("a device such as cpu or gpu:0");
  if (m_lexer.accept(':')) {
    const Digits index = m_lexer.digits();
    if (index.text.empty() || !index.is_integer)
      return m_lexer.expected("the number of a device");
    name.append(":").append(index.text);
  }
  TRY(close(')', "')'"));
  return name;
}

/// paddle.Size([2, 3]): how recorders write a list of sizes.
Expected<Value> Parser::size(std::string_view word, std::size_t at) {
  TRY_ASSIGN(std::vector<Value> && arguments, items('(', ')'));
  if (arguments.size() != 1 || !std::holds_alternative<List>(arguments.front().data))
    return m_lexer.error_at(
        at, fmt::format("expected {}([...]) with one list, got something else", word));
  return std::move(arguments.front());
}

Expected<std::vector<Value>> Parser::items(char open_bracket, char close_bracket) {
  TRY(open(open_bracket));
  std::vector<Value> elements;
  while (m_lexer.peek() != close_bracket) {
    TRY_ASSIGN(Value && element, value());
    elements.push_back(std::move(element));
    if (!m_lexer.accept(','))
      break;
  }
  TRY(close(close_bracket, close_bracket == ')' ? "',' or ')'" : "',' or ']'"));
  return elements;
}

Expected<void> Parser::open(char bracket) {
  if (m_lexer.peek() != bracket)
    return m_lexer.expected(fmt::format("'{}'", bracket));
  if (++m_depth > k_max_depth)
    return limit(m_lexer.offset(), "levels of brackets", k_max_depth);
  m_lexer.skip(1);
  return {};
}

Expected<void> Parser::close(char bracket, std::string_view what) {
  if (!m_lexer.accept(bracket))
    return m_lexer.expected(what);
  --m_depth;
  return {};
}

Expected<void> Parser::count_value(std::size_t at) {
  if (++m_values > k_max_values)
    return limit(at, "values in a case", k_max_values);
  return {};
}

tl::unexpected<Error> Parser::limit(std::size_t at, std::string_view what, std::size_t most) const {
  return m_lexer.error_at(at, fmt::format("expected at most {} {}, got more", most, what));
}

tl::unexpected<Error> Parser::unknown(std::string_view word, std::size_t at) const {
  std::vector<std::string_view> names(m_variables);
  names.insert(names.end(), k_words.begin(), k_words.end());
  return m_lexer.expected_at(at, "a value or the name of an assigned variable",
                             did_you_mean(word, names));
}

}  // namespace opalign::cases
