// SPDX-License-Identifier: Apache-2.0
// Case: an operator call (or a few statements) as a plain value, exactly what the text says; it
// does not know what any name means. The grammar stands in docs/case-language.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <opalign/base/dtype.hpp>
#include <opalign/base/shape.hpp>

namespace opalign::cases {

struct Value;

struct None {
  bool operator==(const None&) const = default;
};
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};
/// An integer of any size: beyond int64 only `digits` has it (decimal, with sign).
struct BigInteger {
  std::string digits;
  bool operator==(const BigInteger&) const = default;
};
/// nan equals nan here: equality of cases is equality of text.
struct Float {
  double value = 0;
  bool operator==(const Float& other) const;
};
struct Complex {
  double real = 0, imag = 0;
  bool operator==(const Complex& other) const;
};
/// Dtype(float32), VarType(float32), type(numpy.float32), type(int): a type object.
struct TypeName {
  enum class Kind : std::uint8_t { dtype, var_type, python_type };
  Kind kind = Kind::dtype;
  std::string name;  ///< "float32", "numpy.float32", "int"
  bool operator==(const TypeName&) const = default;
};
struct Place {
  std::string name;  ///< "cpu", "gpu:0"
  bool operator==(const Place&) const = default;
};
/// A variable that an earlier statement assigned.
struct Name {
  std::string name;
  bool operator==(const Name&) const = default;
};
struct List {
  std::vector<Value> items;
  bool operator==(const List&) const;
};
struct Tuple {
  std::vector<Value> items;
  bool operator==(const Tuple&) const;
};
struct Slice {
  std::vector<Value> parts;  ///< start, stop, step: always three
  bool operator==(const Slice&) const;
};

enum class Layout : std::uint8_t {
  contiguous,
  transposed,  ///< last two dims swapped in memory
  step,        ///< every second element of the last dim
  offset,      ///< starts one element into its buffer
  broadcast,   ///< first dim has stride 0
};

struct Tensor {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<Value> full;    ///< `full=v`: none or one value for all elements
  std::vector<Value> values;  ///< `values=[…]`, flat, row-major
  std::optional<std::string> domain;
  Layout layout = Layout::contiguous;
  std::optional<bool> grad;
  std::optional<std::string> place;                  ///< `place=Place(cpu)`, kept as written
  std::optional<std::vector<std::int64_t>> strides;  ///< `strides=[…]`, in elements
  std::optional<bool> is_contiguous;
  bool operator==(const Tensor&) const;
};

struct Argument;
/// `paddle.concat(...)`, or `b.cast_(...)` on a variable.
struct Call {
  std::string callee;
  bool on_variable = false;  ///< callee is "variable.method"
  std::vector<Argument> arguments;
  bool operator==(const Call&) const;
};

struct Value {
  std::variant<None, bool, std::int64_t, BigInteger, Float, Complex, std::string, Ellipsis,
               TypeName, Place, Name, Slice, List, Tuple, Tensor, Call>
      data;
  bool operator==(const Value&) const = default;
};

struct Argument {
  std::string name;  ///< empty for a positional one
  Value value;
  bool operator==(const Argument&) const = default;
};

struct Assign {
  std::string target;
  Value value;
  bool operator==(const Assign&) const = default;
};
struct Evaluate {
  Call call;
  bool operator==(const Evaluate&) const = default;
};
struct Check {
  std::vector<std::string> names;
  bool operator==(const Check&) const = default;
};
using Statement = std::variant<Assign, Evaluate, Check>;

/// One call is a case of one Evaluate statement.
struct Case {
  std::vector<Statement> statements;
  bool operator==(const Case&) const = default;
};

}  // namespace opalign::cases
