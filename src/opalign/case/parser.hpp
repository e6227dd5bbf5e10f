// SPDX-License-Identifier: Apache-2.0
// Parser: recursive descent over docs/case-language.md, one object a text. parse.hpp is the door to
// it; nobody else includes this. Its limits keep hostile text cheap.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/case/case.hpp>
#include <opalign/case/lexer.hpp>

namespace opalign::cases {

inline constexpr std::size_t k_max_text = 1 << 20;  // bytes
inline constexpr int k_max_depth = 64;              // open brackets
inline constexpr std::size_t k_max_values = 65536;  // in a case; a Value takes some 200 bytes
inline constexpr std::size_t k_max_statements = 256;
inline constexpr std::size_t k_max_keywords = 256;  // of one call
inline constexpr std::size_t k_max_dims = 32;

class Parser {
 public:
  Parser(std::string_view text, Origin origin) : m_lexer(text, origin) {}
  Expected<Case> parse();

 private:
  /// A number with its sign, or nan or inf in any spelling; perhaps the imaginary part of another.
  struct Part {
    std::string_view digits = {};  ///< with '-' but without '+'; empty for nan and inf
    bool is_integer = false;
    bool is_imaginary = false;
    double value = 0;  ///< only of nan and inf
    [[nodiscard]] double real() const;
  };

  // parse.cpp: statements and calls
  Expected<Statement> statement();
  Expected<Check> check();
  Expected<Call> call(std::string_view callee, std::size_t at);
  Expected<Argument> argument(const Call& call, std::size_t& keywords);
  [[nodiscard]] bool is_variable(std::string_view name) const;

  // parse_value.cpp
  Expected<Value> value();
  Expected<Value> value_of(std::string_view word, std::size_t at);
  Expected<Value> construct(std::string_view word, std::size_t at);
  Expected<Value> group();
  Expected<Value> slice();
  Expected<Value> type_name(TypeName::Kind kind);
  Expected<Value> size(std::string_view word, std::size_t at);
  Expected<std::string> place();
  Expected<std::vector<Value>> items(char open_bracket, char close_bracket);
  Expected<void> count_value(std::size_t at);
  [[nodiscard]] tl::unexpected<Error> unknown(std::string_view word, std::size_t at) const;
  [[nodiscard]] tl::unexpected<Error> unknown_dtype(std::string_view name, std::size_t at) const;
  [[nodiscard]] tl::unexpected<Error> limit(std::size_t at, std::string_view what,
                                            std::size_t most) const;
  Expected<void> open(char bracket);
  Expected<void> close(char bracket, std::string_view what);

  // parse_number.cpp
  Expected<Value> number();
  Expected<Value> number_from(const Part& first);
  Expected<Part> part();
  Expected<double> float_call();
  Expected<Value> complex();

  // parse_tensor.cpp
  struct Attribute;
  static std::span<const Attribute> attributes();
  Expected<Value> tensor();
  Expected<void> attribute(Tensor& tensor, std::vector<const Attribute*>& given);
  Expected<std::vector<std::int64_t>> sizes(std::string_view what);
  Expected<std::string> text(std::string_view what);
  Expected<DType> dtype();
  Expected<Value> scalar();
  Expected<bool> boolean();
  Expected<void> full(Tensor& tensor);
  Expected<void> values(Tensor& tensor);
  Expected<void> domain(Tensor& tensor);
  Expected<void> layout(Tensor& tensor);
  Expected<void> grad(Tensor& tensor);
  Expected<void> tensor_place(Tensor& tensor);
  Expected<void> is_contiguous(Tensor& tensor);
  Expected<void> strides(Tensor& tensor);

  Lexer m_lexer;
  std::vector<std::string_view> m_variables;
  int m_depth = 0;
  std::size_t m_values = 0;
};

}  // namespace opalign::cases
