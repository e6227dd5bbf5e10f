// SPDX-License-Identifier: Apache-2.0
// The domain language of docs/catalog.md, "Domains": text is parsed once, then evaluated for each
// tensor of a case. It sees shapes, dtypes and literals, never elements; it draws nothing itself.
// The same language serves as a condition over bound arguments.
//
//   domain  = or ["if" or "else" domain]
//   or      = and {"or" and}      and = not {"and" not}      not = "not" not | compare
//   compare = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "is" ["not"] "None"]
//   sum     = product {("+" | "-") product}      product = unary {("*" | "/" | "//" | "%") unary}
//   unary   = "-" unary | item {"." ("shape" | "ndim" | "numel") | "[" domain "]"}
//   item    = number | string | "True" | "False" | "None" | "inf" | "nan" | name
//           | name "(" [domain {"," domain} [","]] ")" | "(" domain ")"
//
// Operators mean what they mean in Python, on 64-bit integers; overflow is an error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/shape.hpp>
#include <opalign/value/fill.hpp>

namespace opalign::catalog {

struct TensorFacts {
  DType dtype = DType::float32;
  Shape shape;
  bool operator==(const TensorFacts&) const = default;
};

/// What a domain may know of a bound parameter. None also stands for what has no form here.
struct DomainValue {
  std::variant<std::monostate /* None */, bool, std::int64_t, double, std::string, TensorFacts,
               std::vector<DomainValue>>
      data;
  bool operator==(const DomainValue&) const = default;
};

/// A parameter of the call and the value it is bound to.
struct NamedValue {
  std::string name;
  DomainValue value;
};

/// A parsed domain; copies share the syntax tree, which never changes.
class Domain {
 public:
  struct Node;
  Domain(std::string text, std::vector<Node> nodes);

  [[nodiscard]] const std::string& text() const { return m_text; }
  /// Operands before what uses them, the root last.
  [[nodiscard]] const std::vector<Node>& nodes() const { return *m_nodes; }
  /// Parameters that the text mentions (`self` is none), to hold it against a signature.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string m_text;
  std::shared_ptr<const std::vector<Node>> m_nodes;
};

/// Checks the grammar, function names and argument counts. Errors read
/// `domain "uniform(0": col 10: expected "," or ")", got the end`.
Expected<Domain> parse_domain(std::string_view text);

/// The fill of the tensor `self`, which is one of those bound in `names`.
Expected<value::Fill> evaluate(const Domain& domain, const TensorFacts& self,
                               std::span<const NamedValue> names);

/// Whether the condition holds, by Python's rules of truth; it has no `self`.
Expected<bool> evaluate_condition(const Domain& condition, std::span<const NamedValue> names);

}  // namespace opalign::catalog
