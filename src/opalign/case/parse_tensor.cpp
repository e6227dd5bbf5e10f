// SPDX-License-Identifier: Apache-2.0
// Tensor([2, 3], "float32", attribute=…): shape, dtype, and what may be said beyond them.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/case/layout.hpp>
#include <opalign/case/parser.hpp>

namespace opalign::cases {

/// What may follow the dtype. A tensor has at most one attribute of a group.
struct Parser::Attribute {
  enum class Group : std::uint8_t { alone, elements, memory };
  std::string_view name;
  Expected<void> (Parser::*read)(Tensor&);
  Group group = Group::alone;
};

namespace {
constexpr std::size_t k_positional = 3;  // the first three attributes need no keyword
}  // namespace

std::span<const Parser::Attribute> Parser::attributes() {
  static constexpr std::array<Attribute, 8> k_attributes{{
      {"place", &Parser::tensor_place},
      {"is_contiguous", &Parser::is_contiguous},
      {"strides", &Parser::strides, Attribute::Group::memory},
      {"full", &Parser::full, Attribute::Group::elements},
      {"values", &Parser::values, Attribute::Group::elements},
      {"domain", &Parser::domain, Attribute::Group::elements},
      {"layout", &Parser::layout, Attribute::Group::memory},
      {"grad", &Parser::grad},
  }};
  return k_attributes;
}

Expected<Value> Parser::tensor() {
  Value result{Tensor{}};
  Tensor& tensor = std::get<Tensor>(result.data);
  TRY(open('('));
  TRY_ASSIGN(tensor.shape, sizes("a size >= 0"));
  if (!m_lexer.accept(','))
    return m_lexer.expected("',' and a dtype");
  TRY_ASSIGN(tensor.dtype, dtype());
  std::vector<const Attribute*> given;
  while (m_lexer.accept(',') && m_lexer.peek() != ')')
    TRY(attribute(tensor, given));
  TRY(close(')', "',' or ')'"));
  return result;
}

Expected<void> Parser::attribute(Tensor& tensor, std::vector<const Attribute*>& given) {
  const std::span<const Attribute> known = attributes();
  const std::size_t at = m_lexer.offset();
  Lexer ahead = m_lexer;
  const std::string_view word = ahead.word();
  if (word.empty() || ahead.peek() != '=') {
    if (given.size() >= k_positional ||
        (!given.empty() && given.back() != &known[given.size() - 1]))
      return m_lexer.expected("an attribute such as full=1");
    given.push_back(&known[given.size()]);
    return (this->*given.back()->read)(tensor);
  }
  const auto found = std::ranges::find(known, word, &Attribute::name);
  if (found == known.end()) {
    const auto names = known | std::views::transform(&Attribute::name);
    return m_lexer.expected_at(at, "an attribute of a tensor", did_you_mean(word, names));
  }
  for (const Attribute* other : given)
    if (other == &*found)
      return m_lexer.error_at(at,
                              fmt::format("expected each attribute once, got '{}' again", word));
    else if (other->group == found->group && other->group != Attribute::Group::alone)
      return m_lexer.error_at(
          at, fmt::format("expected one of '{}' and '{}', got both", other->name, word));
  given.push_back(&*found);
  m_lexer = ahead;
  m_lexer.skip(1);
  return (this->*found->read)(tensor);
}

Expected<std::vector<std::int64_t>> Parser::sizes(std::string_view what) {
  if (m_lexer.peek() == 'l' && m_lexer.starts_with("list["))
    m_lexer.skip(4);
  TRY(open('['));
  std::array<std::int64_t, k_max_dims> numbers;
  std::size_t count = 0;
  while (m_lexer.peek() != ']') {
    const std::size_t at = m_lexer.offset();
    if (count == k_max_dims)
      return limit(at, "dimensions", k_max_dims);
    const Digits digits = m_lexer.digits();
    const char* end = digits.text.data() + digits.text.size();
    if (digits.text.empty() || !digits.is_integer || is_word(m_lexer.look()) ||
        std::from_chars(digits.text.data(), end, numbers[count]).ec != std::errc{})
      return m_lexer.expected_at(at, what);
    ++count;
    if (!m_lexer.accept(','))
      break;
  }
  TRY(close(']', "',' or ']'"));
  return std::vector<std::int64_t>(numbers.data(), numbers.data() + count);
}

Expected<std::string> Parser::text(std::string_view what) {
  const char next = m_lexer.peek();
  if (next != '"' && next != '\'')
    return m_lexer.expected(what);
  return m_lexer.string();
}

Expected<DType> Parser::dtype() {
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(const std::string name, text("a dtype such as \"float32\""));
  const std::optional<DType> known = parse_dtype(name);
  if (!known)
    return unknown_dtype(name, at);
  return *known;
}

tl::unexpected<Error> Parser::unknown_dtype(std::string_view word, std::size_t at) const {
  std::array<std::string_view, k_dtype_count> names;
  for (int i = 0; i < k_dtype_count; ++i)
    names[static_cast<std::size_t>(i)] = opalign::name(static_cast<DType>(i));
  return m_lexer.expected_at(at, "a dtype", did_you_mean(word, names));
}

Expected<Value> Parser::scalar() {
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(Value && element, value());
  const bool is_scalar = std::visit(
      []<class T>(const T&) {
        return std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
               std::is_same_v<T, BigInteger> || std::is_same_v<T, Float> ||
               std::is_same_v<T, Complex>;
      },
      element.data);
  if (!is_scalar)
    return m_lexer.expected_at(at, "a number or a boolean");
  return std::move(element);
}

Expected<bool> Parser::boolean() {
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  const std::string_view word = m_lexer.word();
  if (word != "True" && word != "False")
    return m_lexer.expected_at(at, "True or False");
  return word == "True";
}

Expected<void> Parser::full(Tensor& tensor) {
  TRY_ASSIGN(Value && element, scalar());
  tensor.full.push_back(std::move(element));
  return {};
}

Expected<void> Parser::values(Tensor& tensor) {
  if (m_lexer.peek() == 'l' && m_lexer.starts_with("list["))
    m_lexer.skip(4);
  TRY(open('['));
  while (m_lexer.peek() != ']') {
    TRY_ASSIGN(Value && element, scalar());
    tensor.values.push_back(std::move(element));
    if (!m_lexer.accept(','))
      break;
  }
  return close(']', "',' or ']'");
}

Expected<void> Parser::domain(Tensor& tensor) {
  TRY_ASSIGN(tensor.domain, text("a domain such as \"uniform(-1, 1)\""));
  return {};
}

Expected<void> Parser::layout(Tensor& tensor) {
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(const std::string word, text("a layout such as \"transposed\""));
  const auto found = std::ranges::find(k_layout_names, word);
  if (found == k_layout_names.end())
    return m_lexer.expected_at(at, "a layout", did_you_mean(word, k_layout_names));
  tensor.layout = static_cast<Layout>(found - k_layout_names.begin());
  return {};
}

Expected<void> Parser::grad(Tensor& tensor) {
  TRY_ASSIGN(tensor.grad, boolean());
  return {};
}

Expected<void> Parser::tensor_place(Tensor& tensor) {
  if (m_lexer.peek() != 'P' || m_lexer.word() != "Place")
    return m_lexer.expected("a place such as Place(cpu)");
  TRY_ASSIGN(tensor.place, place());
  return {};
}

Expected<void> Parser::is_contiguous(Tensor& tensor) {
  TRY_ASSIGN(tensor.is_contiguous, boolean());
  return {};
}

Expected<void> Parser::strides(Tensor& tensor) {
  m_lexer.peek();
  const std::size_t at = m_lexer.offset();
  TRY_ASSIGN(std::vector<std::int64_t> && steps, sizes("a stride >= 0"));
  if (steps.size() != tensor.shape.size())
    return m_lexer.error_at(at, fmt::format("expected {} strides, one a dimension, got {}",
                                            tensor.shape.size(), steps.size()));
  tensor.strides = std::move(steps);
  return {};
}

}  // namespace opalign::cases
