// SPDX-License-Identifier: Apache-2.0
// The grammar of domains, and the message of everything that is not one.
#include <opalign/catalog/domain.hpp>

#include <string>

#include <doctest/doctest.h>

using namespace opalign;
using namespace opalign::catalog;

namespace {

std::string parse_error(std::string_view text) {
  const Expected<Domain> domain = parse_domain(text);
  return domain ? "no error" : domain.error().text();
}

}  // namespace

TEST_CASE("domain: what parses") {
  for (const char* text :
       {"plain", "plain()", " uniform( -1 , 1.5e-3 ) ", "one_of(0, 1, 1.000001,)",
        "index(x.shape[-1])", "index(min(x.shape))", "triangular(upper)", "probability",
        "probability(-1)",
        "permutation(x.numel) if axis is None or x.ndim == 0 else distinct(x.shape[axis], axis)",
        "integers(0, (min(input.shape) + 1) // 2)", "constant(inf) if not (a and b) else plain",
        "uniform(0, 1) if mode == 'a' else positive if x[0].ndim >= 2 else nonzero",
        "index(x.shape[1 if a is not None else 0])", "constant(-.5)", "not x.ndim", "True"})
    CHECK(parse_error(text) == "no error");
}

TEST_CASE("domain: errors say place and expectation") {
  CHECK(parse_error("") == "domain \"\": col 1: expected a value, got the end");
  CHECK(parse_error("uniform(0") ==
        "domain \"uniform(0\": col 10: expected \",\" or \")\", got the end");
  CHECK(parse_error("uniform(0 1)") ==
        "domain \"uniform(0 1)\": col 11: expected \",\" or \")\", got \"1\"");
  CHECK(parse_error("index(, 1)") == "domain \"index(, 1)\": col 7: expected a value, got \",\"");
  CHECK(parse_error("uniform(0)") ==
        "domain \"uniform(0)\": col 1: uniform: expected 2 arguments, got 1");
  CHECK(parse_error("index()") == "domain \"index()\": col 1: index: expected 1 argument, got 0");
  CHECK(parse_error("one_of()") ==
        "domain \"one_of()\": col 1: one_of: expected at least 1 argument, got 0");
  CHECK(parse_error("distinct(1, 2, 3)") ==
        "domain \"distinct(1, 2, 3)\": col 1: distinct: expected 1 or 2 arguments, got 3");
  CHECK(parse_error("unifrom(0, 1)") ==
        "domain \"unifrom(0, 1)\": col 1: unknown function \"unifrom\"\n"
        "  hint: did you mean \"uniform\"?");
  CHECK(parse_error("index(x.size)") ==
        "domain \"index(x.size)\": col 9: expected shape, ndim or numel, got \"size\"");
  CHECK(parse_error("index(x.shape[0)") ==
        "domain \"index(x.shape[0)\": col 16: expected \"]\", got \")\"");
  CHECK(parse_error("plain plain") ==
        "domain \"plain plain\": col 7: expected an operator or the end, got \"plain\"");
  CHECK(parse_error("plain if x") ==
        "domain \"plain if x\": col 11: expected \"else\", got the end");
  CHECK(parse_error("plain if x is 3 else plain") ==
        "domain \"plain if x is 3 else plain\": col 15: expected \"None\", got \"3\"");
  CHECK(parse_error("index(1x)") == "domain \"index(1x)\": col 7: expected a number, got \"1x\"");
  CHECK(parse_error("index(\"a)") ==
        "domain \"index(\"a)\": col 7: expected a value, got \"\"a)\"");
  CHECK(parse_error("index(@)") == "domain \"index(@)\": col 7: expected a value, got \"@\"");
  CHECK(parse_error("index(else)") ==
        "domain \"index(else)\": col 7: expected a value, got \"else\"");
  CHECK(parse_error("1 < x < 3") ==
        "domain \"1 < x < 3\": col 7: expected an operator or the end, got \"<\"");
}

TEST_CASE("domain: hostile texts cost an error, not the stack") {
  const std::string deep = std::string(100000, '(') + "plain";
  CHECK(parse_error(deep).ends_with("expected at most 64 levels of nesting"));
  CHECK(parse_error(std::string(100000, '-')).ends_with("expected at most 64 levels of nesting"));
  std::string nots, indices = "x", conditions;
  for (int i = 0; i < 1000; ++i) {
    nots += "not ";
    indices += "[x";
    conditions += "plain if a else ";
  }
  for (const std::string& text : {nots, indices, conditions})
    CHECK(parse_error(text).ends_with("expected at most 64 levels of nesting"));
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i)
    sum += " + 1";
  CHECK(parse_error(sum).ends_with("expected at most 1000 operands and operators"));
}

TEST_CASE("domain: names are the parameters it mentions, each once") {
  const Expected<Domain> domain = parse_domain(
      "index(x.shape[axis]) if axis is None and dtype(self) == 'int64' and x.ndim else plain");
  REQUIRE(domain);
  CHECK(domain->names() == std::vector<std::string>{"x", "axis"});
  CHECK(parse_domain("uniform(0, 1)")->names().empty());
  CHECK(parse_domain("spd")->text() == "spd");
}
