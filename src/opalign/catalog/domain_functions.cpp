// SPDX-License-Identifier: Apache-2.0
// The functions of the domain language, the domains first of all: one entry of the table each.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <opalign/catalog/domain_node.hpp>

namespace opalign::catalog {
namespace {

using Result = DomainResult;
using Call = FunctionCall;

std::optional<double> as_number(const Result& result) {
  if (const bool* truth = std::get_if<bool>(&result))
    return *truth ? 1 : 0;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&result))
    return static_cast<double>(*integer);
  if (const double* real = std::get_if<double>(&result))
    return *real;
  return std::nullopt;
}

std::optional<std::int64_t> as_integer(const Result& result) {
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&result))
    return *integer;
  const std::optional<double> number = as_number(result);
  if (!number || !(std::abs(*number) < 0x1p63) || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

tl::unexpected<Error> expected(const Call& call, std::string_view what, const Result& got) {
  return fail(fmt::format("{}: expected {}, got {}", call.name, what, describe(got)));
}

Expected<double> number(const Call& call, std::size_t i) {
  const std::optional<double> value = as_number(call.arguments[i]);
  return value ? Expected<double>(*value) : expected(call, "a number", call.arguments[i]);
}

Expected<double> finite(const Call& call, std::size_t i) {
  TRY_ASSIGN(const double value, number(call, i));
  return std::isfinite(value) ? Expected<double>(value)
                              : expected(call, "a finite number", call.arguments[i]);
}

Expected<double> finite_from(const Call& call, std::size_t i, double least, std::string_view what) {
  TRY_ASSIGN(const double value, finite(call, i));
  return value >= least ? Expected<double>(value) : expected(call, what, call.arguments[i]);
}

Expected<std::int64_t> integer(const Call& call, std::size_t i) {
  const std::optional<std::int64_t> value = as_integer(call.arguments[i]);
  return value ? Expected<std::int64_t>(*value) : expected(call, "an integer", call.arguments[i]);
}

Expected<std::int64_t> count(const Call& call, std::size_t i) {
  TRY_ASSIGN(const std::int64_t value, integer(call, i));
  return value >= 0 ? Expected<std::int64_t>(value)
                    : expected(call, "an integer >= 0", call.arguments[i]);
}

/// Argument i as an axis of the tensor, counted from 0.
Expected<int> axis(const Call& call, std::size_t i) {
  TRY_ASSIGN(const std::int64_t value, integer(call, i));
  const std::int64_t ndim = static_cast<std::int64_t>(call.self->shape.size());
  if (value < -ndim || value >= ndim)
    return fail(fmt::format("{}: expected an axis of the shape {}, got {}", call.name,
                            to_string(call.self->shape), value));
  return static_cast<int>(value < 0 ? value + ndim : value);
}

bool holds_integers(const Call& call) {
  return call.self != nullptr && !is_differentiable(call.self->dtype);
}

Expected<void> require_tensor(const Call& call) {
  if (call.self == nullptr)
    return fail(fmt::format("{}: a condition has no tensor to fill", call.name));
  return {};
}

template <class Fill>
Expected<Result> simple(const Call&) {
  return Result(value::Fill(Fill{}));
}

template <class Fill>
Expected<Result> two_reals(const Call& call) {
  TRY_ASSIGN(const double a, finite(call, 0));
  TRY_ASSIGN(const double b, finite(call, 1));
  return Result(value::Fill(Fill{a, b}));
}

template <class Fill>
Expected<Result> two_integers(const Call& call) {
  TRY_ASSIGN(const std::int64_t low, integer(call, 0));
  TRY_ASSIGN(const std::int64_t high, integer(call, 1));
  return Result(value::Fill(Fill{low, high}));
}

Expected<Result> positive(const Call& call) {
  return Result(holds_integers(call) ? value::Fill(value::Integers{1, 10})
                                     : value::Fill(value::Uniform{0.1, 2}));
}

Expected<Result> nonzero(const Call& call) {
  return Result(
      value::Fill(holds_integers(call) ? value::Nonzero{1, 10} : value::Nonzero{0.5, 1.5}));
}

Expected<Result> normal(const Call& call) {
  TRY_ASSIGN(const double mean, finite(call, 0));
  TRY_ASSIGN(const double std, finite_from(call, 1, 0, "a deviation >= 0"));
  return Result(value::Fill(value::Normal{mean, std}));
}

Expected<Result> index(const Call& call) {
  TRY_ASSIGN(const std::int64_t n, count(call, 0));
  return Result(value::Fill(value::Integers{0, n}));
}

Expected<Result> mask(const Call& call) {
  TRY_ASSIGN(const double p, number(call, 0));
  if (!(p >= 0 && p <= 1))
    return expected(call, "a probability", call.arguments[0]);
  return Result(value::Fill(value::Mask{p}));
}

Expected<Result> constant(const Call& call) {
  TRY_ASSIGN(const double value, number(call, 0));
  return Result(value::Fill(value::Constant{value}));
}

Expected<Result> one_of(const Call& call) {
  value::OneOf fill;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    TRY_ASSIGN(const double value, number(call, i));
    fill.values.push_back(value);
  }
  return Result(value::Fill(std::move(fill)));
}

Expected<Result> distinct(const Call& call) {
  TRY(require_tensor(call));
  TRY_ASSIGN(const std::int64_t n, count(call, 0));
  value::Distinct fill{n, -1};
  if (call.arguments.size() == 2) {
    TRY_ASSIGN(fill.axis, axis(call, 1));
  }
  return Result(value::Fill(fill));
}

Expected<Result> probability(const Call& call) {
  TRY(require_tensor(call));
  static const Result k_last{std::int64_t{-1}};
  const Call along{call.name, call.arguments.empty() ? std::span(&k_last, 1) : call.arguments,
                   call.self};
  TRY_ASSIGN(const int which, axis(along, 0));
  return Result(value::Fill(value::Probability{which}));
}

Expected<Result> triangular(const Call& call) {
  TRY_ASSIGN(const double upper, number(call, 0));
  return Result(value::Fill(value::Triangular{upper != 0}));
}

Expected<Result> boxes(const Call& call) {
  constexpr double k_least = std::numeric_limits<double>::min();
  TRY_ASSIGN(const double width, finite_from(call, 0, k_least, "a width above 0"));
  TRY_ASSIGN(const double height, finite_from(call, 1, k_least, "a height above 0"));
  return Result(value::Fill(value::Boxes{width, height}));
}

Expected<Result> split(const Call& call) {
  TRY_ASSIGN(const std::int64_t n, count(call, 0));
  return Result(value::Fill(value::Split{n}));
}

Expected<Result> length(const Call& call) {
  const Result& of = call.arguments[0];
  std::size_t size = 0;
  if (const auto* list = std::get_if<const std::vector<DomainValue>*>(&of))
    size = (*list)->size();
  else if (const auto* shape = std::get_if<const Shape*>(&of))
    size = (*shape)->size();
  else
    return expected(call, "a list", of);
  return Result(static_cast<std::int64_t>(size));
}

/// The least (sign 1) or the greatest (sign -1) of the arguments, or of the one list.
template <int sign>
Expected<Result> extreme(const Call& call) {
  std::vector<Result> items(call.arguments.begin(), call.arguments.end());
  if (items.size() == 1) {
    const Result only = items.front();
    items.clear();
    if (const auto* shape = std::get_if<const Shape*>(&only))
      items.assign((*shape)->begin(), (*shape)->end());
    else if (const auto* list = std::get_if<const std::vector<DomainValue>*>(&only))
      for (const DomainValue& item : **list)
        items.push_back(to_result(item));
    else
      return expected(call, "a list or several numbers", only);
    if (items.empty())
      return fail(fmt::format("{}: expected numbers, got an empty list", call.name));
  }
  std::size_t best = 0;
  double best_number = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<double> value = as_number(items[i]);
    if (!value)
      return expected(call, "numbers", items[i]);
    if (i == 0 || sign * *value < sign * best_number) {
      best = i;
      best_number = *value;
    }
  }
  return std::move(items[best]);
}

Expected<Result> is_tensor(const Call& call) {
  return Result(std::holds_alternative<const TensorFacts*>(call.arguments[0]));
}

Expected<Result> dtype(const Call& call) {
  const auto* tensor = std::get_if<const TensorFacts*>(&call.arguments[0]);
  if (tensor == nullptr)
    return expected(call, "a tensor", call.arguments[0]);
  return Result(name((*tensor)->dtype));
}

constexpr std::array k_functions{
    Function{"plain", 0, 0, simple<value::Plain>},
    Function{"uniform", 2, 2, two_reals<value::Uniform>},
    Function{"normal", 2, 2, normal},
    Function{"integers", 2, 2, two_integers<value::Integers>},
    Function{"index", 1, 1, index},
    Function{"positive", 0, 0, positive},
    Function{"nonzero", 0, 0, nonzero},
    Function{"mask", 1, 1, mask},
    Function{"constant", 1, 1, constant},
    Function{"arange", 2, 2, two_reals<value::Arange>},
    Function{"one_of", 1, k_any_number, one_of},
    Function{"permutation", 1, 1, distinct},
    Function{"distinct", 1, 2, distinct},
    Function{"sorted", 2, 2, two_integers<value::SortedIntegers>},
    Function{"probability", 0, 1, probability},
    Function{"spd", 0, 0, simple<value::PositiveDefinite>},
    Function{"symmetric", 0, 0, simple<value::Symmetric>},
    Function{"triangular", 1, 1, triangular},
    Function{"well_conditioned", 0, 0, simple<value::WellConditioned>},
    Function{"boxes", 2, 2, boxes},
    Function{"split", 1, 1, split},
    Function{"len", 1, 1, length},
    Function{"min", 1, k_any_number, extreme<1>},
    Function{"max", 1, k_any_number, extreme<-1>},
    Function{"is_tensor", 1, 1, is_tensor},
    Function{"dtype", 1, 1, dtype},
};

}  // namespace

std::span<const Function> functions() { return k_functions; }

const Function* find_function(std::string_view name) {
  const auto* found = std::ranges::find(k_functions, name, &Function::name);
  return found == k_functions.end() ? nullptr : found;
}

}  // namespace opalign::catalog
