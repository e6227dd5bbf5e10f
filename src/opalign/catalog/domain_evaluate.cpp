// SPDX-License-Identifier: Apache-2.0
// Syntax tree and bound values to a fill; Python's meaning of the operators.
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/catalog/domain_node.hpp>

namespace opalign::catalog {
namespace {

using Node = Domain::Node;
using Kind = Node::Kind;
using Result = DomainResult;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

/// An operand of arithmetic: an integer, or else a double.
struct Operand {
  std::optional<std::int64_t> integer;
  double real;
};

std::optional<Operand> operand(const Result& result) {
  if (const bool* truth = std::get_if<bool>(&result))
    return Operand{*truth ? 1 : 0, *truth ? 1.0 : 0.0};
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&result))
    return Operand{*integer, static_cast<double>(*integer)};
  if (const double* real = std::get_if<double>(&result))
    return Operand{std::nullopt, *real};
  return std::nullopt;
}

Expected<Result> integer_arithmetic(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (kind) {
    case Kind::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Kind::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Kind::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    default: {
      // Python rounds quotients down and gives the remainder the sign of the divisor.
      overflow = b == -1 && __builtin_sub_overflow(0, a, &result);
      if (overflow)
        break;
      const std::int64_t rest = b == -1 ? 0 : a % b;
      const bool down = rest != 0 && (rest < 0) != (b < 0);
      if (kind == Kind::modulo)
        result = down ? rest + b : rest;
      else if (b != -1)
        result = a / b - (down ? 1 : 0);
    }
  }
  if (overflow)
    return fail("the result does not fit into 64 bits");
  return Result(result);
}

Result real_arithmetic(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::multiply:
      return a * b;
    case Kind::divide:
      return a / b;
    case Kind::floor_divide:
      return std::floor(a / b);
    default:
      return a - b * std::floor(a / b);
  }
}

Expected<Result> arithmetic(Kind kind, const Result& left, const Result& right) {
  const std::optional<Operand> a = operand(left), b = operand(right);
  if (!a || !b)
    return fail(fmt::format("expected a number, got {}", describe(a ? right : left)));
  const bool divides = kind == Kind::divide || kind == Kind::floor_divide || kind == Kind::modulo;
  if (divides && b->real == 0)
    return fail("division by zero");
  if (a->integer && b->integer && kind != Kind::divide)
    return integer_arithmetic(kind, *a->integer, *b->integer);
  return real_arithmetic(kind, a->real, b->real);
}

bool are_equal(const Result& left, const Result& right) {
  const std::optional<Operand> a = operand(left), b = operand(right);
  if (a && b)
    return a->integer && b->integer ? *a->integer == *b->integer : a->real == b->real;
  const auto* shape = std::get_if<const Shape*>(&left);
  const auto* other = std::get_if<const Shape*>(&right);
  return shape != nullptr && other != nullptr ? **shape == **other : left == right;
}

Expected<Result> comparison(Kind kind, const Result& left, const Result& right) {
  if (kind == Kind::equal || kind == Kind::not_equal)
    return Result(are_equal(left, right) == (kind == Kind::equal));
  const std::optional<Operand> a = operand(left), b = operand(right);
  if (!a || !b)
    return fail(fmt::format("expected a number, got {}", describe(a ? right : left)));
  const auto compare = [kind](auto x, auto y) {
    switch (kind) {
      case Kind::less:
        return x < y;
      case Kind::less_equal:
        return x <= y;
      case Kind::greater:
        return x > y;
      default:
        return x >= y;
    }
  };
  return Result(a->integer && b->integer ? compare(*a->integer, *b->integer)
                                         : compare(a->real, b->real));
}

Expected<bool> truth(const Result& result) {
  if (const std::optional<Operand> number = operand(result))
    return number->real != 0;
  if (std::holds_alternative<std::monostate>(result))
    return false;
  if (const auto* text = std::get_if<std::string_view>(&result))
    return !text->empty();
  if (const auto* list = std::get_if<const std::vector<DomainValue>*>(&result))
    return !(*list)->empty();
  if (const auto* shape = std::get_if<const Shape*>(&result))
    return !(*shape)->empty();
  return fail(fmt::format("expected a condition, got {}", describe(result)));
}

Expected<Result> attribute(Kind kind, const Result& of) {
  const auto* tensor = std::get_if<const TensorFacts*>(&of);
  if (tensor == nullptr)
    return fail(fmt::format("expected a tensor, got {}", describe(of)));
  const Shape& shape = (*tensor)->shape;
  if (kind == Kind::shape)
    return Result(&shape);
  if (kind == Kind::ndim)
    return Result(static_cast<std::int64_t>(shape.size()));
  const std::optional<std::int64_t> count = numel(shape);
  if (!count)
    return fail("the number of elements does not fit into 64 bits");
  return Result(*count);
}

Expected<Result> item(const Result& of, const Result& index) {
  const auto* list = std::get_if<const std::vector<DomainValue>*>(&of);
  const auto* shape = std::get_if<const Shape*>(&of);
  if (list == nullptr && shape == nullptr)
    return fail(fmt::format("expected a list, got {}", describe(of)));
  const auto* place = std::get_if<std::int64_t>(&index);
  if (place == nullptr)
    return fail(fmt::format("expected an integer index, got {}", describe(index)));
  const std::int64_t size =
      static_cast<std::int64_t>(list != nullptr ? (*list)->size() : (*shape)->size());
  const std::int64_t at = *place < 0 ? *place + size : *place;
  if (at < 0 || at >= size)
    return fail(shape != nullptr
                    ? fmt::format("index {} is outside the shape {}", *place, to_string(**shape))
                    : fmt::format("index {} is outside a list of {}", *place, size));
  const std::size_t i = static_cast<std::size_t>(at);
  return shape != nullptr ? Result((**shape)[i]) : to_result((**list)[i]);
}

class Evaluator {
 public:
  Evaluator(const Domain& domain, const TensorFacts* self, std::span<const NamedValue> names)
      : m_domain(domain), m_nodes(domain.nodes()), m_self(self), m_names(names) {}

  Expected<Result> run() const { return evaluate(m_nodes.size() - 1); }

  Error place(const Node& node, Error error) const {
    return at_column(m_domain.text(), node.column, std::move(error));
  }

 private:
  Expected<Result> evaluate(std::size_t place_of_node) const {
    const Node& node = m_nodes[place_of_node];
    switch (node.kind) {
      case Kind::literal:
        return to_result(node.literal);
      case Kind::name:
        return look_up(node);
      case Kind::logical_and:
      case Kind::logical_or: {
        TRY_ASSIGN(Result left, evaluate(node.operands[0]));
        TRY_ASSIGN(const bool holds, placed(node, truth(left)));
        return holds == (node.kind == Kind::logical_or) ? std::move(left)
                                                        : evaluate(node.operands[1]);
      }
      case Kind::conditional: {
        TRY_ASSIGN(const Result condition, evaluate(node.operands[1]));
        TRY_ASSIGN(const bool holds, placed(node, truth(condition)));
        return evaluate(node.operands[holds ? 0 : 2]);
      }
      case Kind::call:
        return call(node);
      default:
        break;
    }
    TRY_ASSIGN(const Result first, evaluate(node.operands[0]));
    if (node.operands.size() == 1)
      return placed(node, unary(node.kind, first));
    TRY_ASSIGN(const Result second, evaluate(node.operands[1]));
    return placed(node, binary(node.kind, first, second));
  }

  static Expected<Result> unary(Kind kind, const Result& of) {
    switch (kind) {
      case Kind::negate:
        if (const double* real = std::get_if<double>(&of))
          return Result(-*real);
        return arithmetic(Kind::subtract, Result(std::int64_t{0}), of);
      case Kind::is_none:
        return Result(std::holds_alternative<std::monostate>(of));
      case Kind::logical_not: {
        TRY_ASSIGN(const bool holds, truth(of));
        return Result(!holds);
      }
      default:
        return attribute(kind, of);
    }
  }

  static Expected<Result> binary(Kind kind, const Result& left, const Result& right) {
    if (kind == Kind::item)
      return item(left, right);
    return kind >= Kind::equal ? comparison(kind, left, right) : arithmetic(kind, left, right);
  }

  template <class T>
  Expected<T> placed(const Node& node, Expected<T> result) const {
    if (!result)
      return tl::unexpected(place(node, std::move(result.error())));
    return result;
  }

  Expected<Result> look_up(const Node& node) const {
    for (const NamedValue& known : m_names)
      if (known.name == node.name)
        return to_result(known.value);
    if (node.name == "self" && m_self != nullptr)
      return Result(m_self);
    if (node.function != nullptr)
      return placed(node, node.function->evaluate({node.name, {}, m_self}));
    return tl::unexpected(
        place(node, {fmt::format("unknown name \"{}\"", node.name), hint_for(node.name)}));
  }

  /// The nearest name, or one that the word begins.
  std::string hint_for(std::string_view word) const {
    std::vector<std::string_view> known{"self"};
    for (const NamedValue& name : m_names)
      known.push_back(name.name);
    for (const Function& function : functions())
      known.push_back(function.name);
    for (const NamedValue& name : m_names)
      if (name.name.starts_with(word))
        return fmt::format("did you mean \"{}\"?", name.name);
    return did_you_mean(word, known);
  }

  Expected<Result> call(const Node& node) const {
    std::vector<Result> arguments;
    arguments.reserve(node.operands.size());
    for (const std::size_t argument : node.operands) {
      TRY_ASSIGN(Result value, evaluate(argument));
      arguments.push_back(std::move(value));
    }
    return placed(node, node.function->evaluate({node.name, arguments, m_self}));
  }

  const Domain& m_domain;
  const std::vector<Node>& m_nodes;
  const TensorFacts* m_self;
  std::span<const NamedValue> m_names;
};

}  // namespace

DomainResult to_result(const DomainValue& value) {
  return std::visit(
      Overloaded{[](const std::string& text) { return Result(std::string_view(text)); },
                 [](const TensorFacts& tensor) { return Result(&tensor); },
                 [](const std::vector<DomainValue>& list) { return Result(&list); },
                 [](const auto& plain) { return Result(plain); }},
      value.data);
}

std::string describe(const DomainResult& result) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("None"); },
                 [](bool truth) { return std::string(truth ? "True" : "False"); },
                 [](std::int64_t integer) { return fmt::format("{}", integer); },
                 [](double real) { return fmt::format("{}", real); },
                 [](std::string_view text) { return fmt::format("\"{}\"", text); },
                 [](const TensorFacts*) { return std::string("a tensor"); },
                 [](const std::vector<DomainValue>*) { return std::string("a list"); },
                 [](const Shape*) { return std::string("a list"); },
                 [](const value::Fill&) { return std::string("a domain"); }},
      result);
}

Expected<value::Fill> evaluate(const Domain& domain, const TensorFacts& self,
                               std::span<const NamedValue> names) {
  const Evaluator evaluator(domain, &self, names);
  TRY_ASSIGN(Result result, evaluator.run());
  if (value::Fill* fill = std::get_if<value::Fill>(&result))
    return std::move(*fill);
  const std::string got = describe(result);
  return tl::unexpected(evaluator.place(
      domain.nodes().back(), {fmt::format("expected a domain, got {}", got),
                              operand(result) ? fmt::format("write constant({})", got) : ""}));
}

Expected<bool> evaluate_condition(const Domain& condition, std::span<const NamedValue> names) {
  const Evaluator evaluator(condition, nullptr, names);
  TRY_ASSIGN(const Result result, evaluator.run());
  Expected<bool> holds = truth(result);
  if (!holds)
    return tl::unexpected(evaluator.place(condition.nodes().back(), std::move(holds.error())));
  return holds;
}

}  // namespace opalign::catalog
