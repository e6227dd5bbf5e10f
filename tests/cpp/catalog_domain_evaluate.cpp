// SPDX-License-Identifier: Apache-2.0
// Domains against bound arguments: Python's arithmetic, every domain, every message.
#include <opalign/catalog/domain.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace opalign;
using namespace opalign::catalog;
using value::Fill;

namespace {

using List = std::vector<DomainValue>;

const TensorFacts k_x{DType::float32, {3, 4, 5}};
const TensorFacts k_labels{DType::int64, {3, 4}};

const std::vector<NamedValue>& bound() {
  static const std::vector<NamedValue> k_names{
      {"x", {k_x}},
      {"weight", {TensorFacts{DType::float16, {10, 7}}}},
      {"scalar", {TensorFacts{DType::bfloat16, {}}}},
      {"axis", {std::int64_t{-1}}},
      {"none", {}},
      {"upper", {false}},
      {"p", {0.25}},
      {"mode", {std::string("assign")}},
      {"list", {List{{std::int64_t{6}}, {std::int64_t{2}}, {std::int64_t{9}}}}},
      {"tensors", {List{{k_x}, {k_labels}}}},
      {"empty", {List{}}},
      {"huge", {TensorFacts{DType::int8, {1LL << 40, 1LL << 40}}}},
  };
  return k_names;
}

Fill fill_of(std::string_view text, const TensorFacts& self = k_x) {
  const Expected<Domain> domain = parse_domain(text);
  REQUIRE_MESSAGE(domain.has_value(), (domain ? "" : domain.error().text()));
  Expected<Fill> fill = evaluate(*domain, self, bound());
  REQUIRE_MESSAGE(fill.has_value(), (fill ? "" : fill.error().text()));
  return *fill;
}

/// The value of an expression, as the argument of constant().
double number_of(const std::string& text) {
  return std::get<value::Constant>(fill_of("constant(" + text + ")")).value;
}

/// The message after `domain "…": `.
std::string error_of(std::string_view text, const TensorFacts& self = k_x) {
  const Expected<Domain> domain = parse_domain(text);
  REQUIRE_MESSAGE(domain.has_value(), (domain ? "" : domain.error().text()));
  const Expected<Fill> fill = evaluate(*domain, self, bound());
  if (fill)
    return "no error";
  const std::string prefix = "domain \"" + std::string(text) + "\": ";
  CHECK(fill.error().message.starts_with(prefix));
  return fill.error().text().substr(prefix.size());
}

}  // namespace

TEST_CASE("domain: expressions mean what they mean in Python") {
  CHECK(number_of("x.shape[0]") == 3);
  CHECK(number_of("x.shape[-1]") == 5);
  CHECK(number_of("x.shape[axis]") == 5);
  CHECK(number_of("x.ndim + x.numel") == 63);
  CHECK(number_of("scalar.ndim") == 0);
  CHECK(number_of("scalar.numel") == 1);
  CHECK(number_of("self.shape[1]") == 4);
  CHECK(number_of("len(list) + len(x.shape) + len(empty)") == 6);
  CHECK(number_of("list[-1]") == 9);
  CHECK(number_of("tensors[1].shape[0]") == 3);
  CHECK(number_of("1 + 2 * 3 - 4") == 3);
  CHECK(number_of("(1 + 2) * 3") == 9);
  CHECK(number_of("7 / 2") == 3.5);
  CHECK(number_of("8 - 4 - 2") == 2);
  CHECK(number_of("7 // 2") == 3);
  CHECK(number_of("-7 // 2") == -4);
  CHECK(number_of("7 // -2") == -4);
  CHECK(number_of("-7 % 3") == 2);
  CHECK(number_of("7 % -3") == -2);
  CHECK(number_of("7 // -1") == -7);
  CHECK(number_of("7 % -1") == 0);
  CHECK(number_of("-7.5 // 2") == -4);
  CHECK(number_of("-7.5 % 2") == 0.5);
  CHECK(number_of("p * 4") == 1);
  CHECK(number_of("True + True") == 2);
  CHECK(std::signbit(number_of("-0.0")));
  CHECK(number_of("inf") == std::numeric_limits<double>::infinity());
  CHECK(number_of("min(3, 1, 2)") == 1);
  CHECK(number_of("max(x.shape)") == 5);
  CHECK(number_of("min(list)") == 2);
  CHECK(number_of("max(2, 2.5)") == 2.5);
  CHECK(number_of("1 if upper else 2 if p < 0.2 else 3") == 3);
  CHECK(number_of("none or 4") == 4);
  CHECK(number_of("p and 5") == 5);
}

TEST_CASE("domain: comparisons and conditions") {
  const auto holds = [](std::string_view text) {
    const Expected<Domain> domain = parse_domain(text);
    REQUIRE(domain);
    const Expected<bool> result = evaluate_condition(*domain, bound());
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().text()));
    return *result;
  };
  for (const char* text : {"1 < 2",
                           "2 <= 2",
                           "3 > 2.5",
                           "3 >= 3",
                           "1 == 1.0",
                           "1 != 2",
                           "mode == \"assign\"",
                           "mode != 'add'",
                           "none is None",
                           "axis is not None",
                           "not upper",
                           "none == None",
                           "mode != 3",
                           "is_tensor(x)",
                           "not is_tensor(axis)",
                           "dtype(weight) == 'float16'",
                           "x.shape == tensors[0].shape",
                           "not empty",
                           "list and mode",
                           "upper or axis == -1",
                           "not upper and not none",
                           "9007199254740993 > 9007199254740992"})
    CHECK_MESSAGE(holds(text), text);
  for (const char* text : {"upper", "none", "0.0", "x.ndim == 2", "x.shape == weight.shape",
                           "mode == none", "upper and missing", "not (1 or missing)"})
    CHECK_MESSAGE(!holds(text), text);
  const auto error = [](std::string_view text) {
    return evaluate_condition(parse_domain(text).value(), bound()).error().message;
  };
  CHECK(error("x") == "domain \"x\": col 1: expected a condition, got a tensor");
  CHECK(error("plain") == "domain \"plain\": col 1: expected a condition, got a domain");
  CHECK(error("self.ndim") == "domain \"self.ndim\": col 1: unknown name \"self\"");
  CHECK(error("distinct(3)") ==
        "domain \"distinct(3)\": col 1: distinct: a condition has no tensor to fill");
}

TEST_CASE("domain: each becomes its fill") {
  CHECK(fill_of("plain") == Fill(value::Plain{}));
  CHECK(fill_of("plain()") == Fill(value::Plain{}));
  CHECK(fill_of("uniform(-1, p)") == Fill(value::Uniform{-1, 0.25}));
  CHECK(fill_of("normal(0, 2)") == Fill(value::Normal{0, 2}));
  CHECK(fill_of("integers(0, weight.shape[0])") == Fill(value::Integers{0, 10}));
  CHECK(fill_of("integers(2, 6 / 2)") == Fill(value::Integers{2, 3}));
  CHECK(fill_of("index(7)") == Fill(value::Integers{0, 7}));
  CHECK(fill_of("positive") == Fill(value::Uniform{0.1, 2}));
  CHECK(fill_of("positive", k_labels) == Fill(value::Integers{1, 10}));
  CHECK(fill_of("nonzero") == Fill(value::Nonzero{0.5, 1.5}));
  CHECK(fill_of("nonzero", k_labels) == Fill(value::Nonzero{1, 10}));
  CHECK(fill_of("mask(0.5)") == Fill(value::Mask{0.5}));
  CHECK(fill_of("constant(True)") == Fill(value::Constant{1}));
  CHECK(fill_of("arange(0, 0.5)") == Fill(value::Arange{0, 0.5}));
  CHECK(fill_of("one_of(0, -inf, 3)") ==
        Fill(value::OneOf{{0, -std::numeric_limits<double>::infinity(), 3}}));
  CHECK(fill_of("permutation(x.numel)") == Fill(value::Distinct{60, -1}));
  CHECK(fill_of("distinct(9)") == Fill(value::Distinct{9, -1}));
  CHECK(fill_of("distinct(9, axis)") == Fill(value::Distinct{9, 2}));
  CHECK(fill_of("distinct(9, 0)") == Fill(value::Distinct{9, 0}));
  CHECK(fill_of("sorted(0, 5)") == Fill(value::SortedIntegers{0, 5}));
  CHECK(fill_of("probability") == Fill(value::Probability{2}));
  CHECK(fill_of("probability(-3)") == Fill(value::Probability{0}));
  CHECK(fill_of("spd") == Fill(value::PositiveDefinite{}));
  CHECK(fill_of("symmetric") == Fill(value::Symmetric{}));
  CHECK(fill_of("triangular(upper)") == Fill(value::Triangular{false}));
  CHECK(fill_of("well_conditioned") == Fill(value::WellConditioned{}));
  CHECK(fill_of("boxes(800, 640)") == Fill(value::Boxes{800, 640}));
  CHECK(fill_of("split(12)") == Fill(value::Split{12}));
  CHECK(fill_of("symmetric if upper else plain") == Fill(value::Plain{}));
  CHECK(fill_of("index(9) if dtype(self) == 'int64' else plain", k_labels) ==
        Fill(value::Integers{0, 9}));
}

TEST_CASE("domain: a parameter goes before a domain of the same name, a call does not") {
  const std::vector<NamedValue> names{{"index", {k_labels}}, {"positive", {std::int64_t{4}}}};
  const auto fill = [&names](std::string_view text) {
    return evaluate(parse_domain(text).value(), k_x, names).value();
  };
  CHECK(fill("index(index.shape[1])") == Fill(value::Integers{0, 4}));
  CHECK(fill("constant(positive)") == Fill(value::Constant{4}));
  CHECK(fill("positive()") == Fill(value::Uniform{0.1, 2}));
}

TEST_CASE("domain: errors of evaluation") {
  CHECK(error_of("integers(0, w.shape[0])") ==
        "col 13: unknown name \"w\"\n  hint: did you mean \"weight\"?");
  CHECK(error_of("index(wieght.numel)") ==
        "col 7: unknown name \"wieght\"\n  hint: did you mean \"weight\"?");
  CHECK(error_of("plian") == "col 1: unknown name \"plian\"\n  hint: did you mean \"plain\"?");
  CHECK(error_of("index(zzzzzz)") == "col 7: unknown name \"zzzzzz\"");
  CHECK(error_of("index(x.shape[3])") == "col 14: index 3 is outside the shape [3, 4, 5]");
  CHECK(error_of("index(x.shape[-4])") == "col 14: index -4 is outside the shape [3, 4, 5]");
  CHECK(error_of("index(list[9])") == "col 11: index 9 is outside a list of 3");
  CHECK(error_of("index(x.shape[none])") == "col 14: expected an integer index, got None");
  CHECK(error_of("index(axis[0])") == "col 11: expected a list, got -1");
  CHECK(error_of("index(axis.shape)") == "col 11: expected a tensor, got -1");
  CHECK(error_of("index(none.ndim)") == "col 11: expected a tensor, got None");
  CHECK(error_of("index(huge.numel)") ==
        "col 11: the number of elements does not fit into 64 bits");
  CHECK(error_of("index(1 // 0)") == "col 9: division by zero");
  CHECK(error_of("index(1 % 0)") == "col 9: division by zero");
  CHECK(error_of("index(1 / 0.0)") == "col 9: division by zero");
  CHECK(error_of("index(9223372036854775807 + 1)") ==
        "col 27: the result does not fit into 64 bits");
  CHECK(error_of("index(4611686018427387904 * 4)") ==
        "col 27: the result does not fit into 64 bits");
  CHECK(error_of("index((-9223372036854775807 - 1) // -1)") ==
        "col 34: the result does not fit into 64 bits");
  CHECK(error_of("index(x + 1)") == "col 9: expected a number, got a tensor");
  CHECK(error_of("index(mode < 1)") == "col 12: expected a number, got \"assign\"");
  CHECK(error_of("plain if x else spd") == "col 7: expected a condition, got a tensor");
  CHECK(error_of("3") == "col 1: expected a domain, got 3\n  hint: write constant(3)");
  CHECK(error_of("x") == "col 1: expected a domain, got a tensor");
  CHECK(error_of("mode") == "col 1: expected a domain, got \"assign\"");
  CHECK(error_of("min(x.shape) if 1 else plain").starts_with("col 14: expected a domain, got 3"));
}

TEST_CASE("domain: errors of the functions") {
  CHECK(error_of("uniform(mode, 1)") == "col 1: uniform: expected a number, got \"assign\"");
  CHECK(error_of("uniform(0, inf)") == "col 1: uniform: expected a finite number, got inf");
  CHECK(error_of("uniform(nan, 1)") == "col 1: uniform: expected a finite number, got nan");
  CHECK(error_of("normal(0, -1)") == "col 1: normal: expected a deviation >= 0, got -1");
  CHECK(error_of("integers(0, 1.5)") == "col 1: integers: expected an integer, got 1.5");
  CHECK(error_of("integers(0, 1e30)") == "col 1: integers: expected an integer, got 1e+30");
  CHECK(error_of("index(-1)") == "col 1: index: expected an integer >= 0, got -1");
  CHECK(error_of("index(none)") == "col 1: index: expected an integer, got None");
  CHECK(error_of("mask(1.5)") == "col 1: mask: expected a probability, got 1.5");
  CHECK(error_of("mask(nan)") == "col 1: mask: expected a probability, got nan");
  CHECK(error_of("distinct(3, 3)") ==
        "col 1: distinct: expected an axis of the shape [3, 4, 5], got 3");
  CHECK(error_of("probability(-4)") ==
        "col 1: probability: expected an axis of the shape [3, 4, 5], got -4");
  CHECK(error_of("probability", {DType::float32, {}}) ==
        "col 1: probability: expected an axis of the shape [], got -1");
  CHECK(error_of("boxes(0, 1)") == "col 1: boxes: expected a width above 0, got 0");
  CHECK(error_of("boxes(1, -1)") == "col 1: boxes: expected a height above 0, got -1");
  CHECK(error_of("split(-1)") == "col 1: split: expected an integer >= 0, got -1");
  CHECK(error_of("index(len(3))") == "col 7: len: expected a list, got 3");
  CHECK(error_of("index(min(empty))") == "col 7: min: expected numbers, got an empty list");
  CHECK(error_of("index(min(3))") == "col 7: min: expected a list or several numbers, got 3");
  CHECK(error_of("index(max(1, x))") == "col 7: max: expected numbers, got a tensor");
  CHECK(error_of("one_of(1, list)") == "col 1: one_of: expected a number, got a list");
  CHECK(error_of("index(dtype(1))") == "col 7: dtype: expected a tensor, got 1");
}
