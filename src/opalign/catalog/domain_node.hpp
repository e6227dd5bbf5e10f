// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a domain and the functions it may call; private to domain*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <opalign/catalog/domain.hpp>

namespace opalign::catalog {

struct Function;

struct Domain::Node {
  enum class Kind : std::uint8_t {
    literal,
    name,
    shape,  // of operand 0, as the next two
    ndim,
    numel,
    item,  // operand 0 [operand 1]
    negate,
    logical_not,
    is_none,
    logical_and,
    logical_or,
    conditional,  // operand 0 if operand 1 else operand 2
    call,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
  };

  Kind kind = Kind::literal;
  std::size_t column = 1;  ///< of the operator or the first letter, in bytes from 1
  DomainValue literal;
  std::string name;
  std::vector<std::size_t> operands;   ///< places in the list of nodes
  const Function* function = nullptr;  ///< of a call, or of a name that is also a domain
};

/// What a node comes out as; it points into the tree and the bound values.
using DomainResult =
    std::variant<std::monostate, bool, std::int64_t, double, std::string_view, const TensorFacts*,
                 const std::vector<DomainValue>*, const Shape*, value::Fill>;

/// A bound value or a literal as a result.
[[nodiscard]] DomainResult to_result(const DomainValue& value);

/// How messages name a result: `None`, `3`, `a tensor`.
[[nodiscard]] std::string describe(const DomainResult& result);

struct FunctionCall {
  std::string_view name;
  std::span<const DomainResult> arguments;
  const TensorFacts* self;  ///< null in a condition
};

struct Function {
  std::string_view name;
  std::size_t least, most;  ///< arguments
  Expected<DomainResult> (*evaluate)(const FunctionCall& call);
};

inline constexpr std::size_t k_any_number = 1000;

/// All functions, the domains among them; sorted by nothing.
[[nodiscard]] std::span<const Function> functions();
/// Null if there is none of the name.
[[nodiscard]] const Function* find_function(std::string_view name);

/// Adds the text and the column: `domain "index(": col 7: …`.
[[nodiscard]] Error at_column(std::string_view text, std::size_t column, Error error);

}  // namespace opalign::catalog
