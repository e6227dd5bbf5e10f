// SPDX-License-Identifier: Apache-2.0
// What each spelling means: text against its canonical text, and values where text could hide one.
#include <cmath>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>

using namespace opalign;
using namespace opalign::cases;

namespace {

Case parsed(std::string_view text) {
  const Expected<Case> result = parse(text);
  INFO("text: ", std::string(text));
  if (!result)
    FAIL(result.error().text());
  return *result;
}

/// The canonical text, after proof that it reads back equal.
std::string canonical(std::string_view text) {
  const Case first = parsed(text);
  const std::string printed = print(first);
  const Case second = parsed(printed);
  CHECK(first == second);
  CHECK(print(second) == printed);
  return printed;
}

/// The same of one argument of a call.
std::string argument(std::string_view text) {
  const std::string whole = canonical("paddle.f(" + std::string(text) + ")");
  CHECK(whole.starts_with("paddle.f("));
  return whole.substr(9, whole.size() - 12);
}

template <class T>
T value_of(std::string_view text) {
  const Case c = parsed("paddle.f(" + std::string(text) + ")");
  return std::get<T>(std::get<Evaluate>(c.statements.at(0)).call.arguments.at(0).value.data);
}

}  // namespace

TEST_CASE("a line of the public suites is canonical") {
  for (
      const char* line :
      {R"(paddle.concat(tuple(Tensor([31376, 7],"float32"),Tensor([1, 7],"float32"),), axis=0, ))",
       R"(paddle.Tensor.__getitem__(Tensor([1, 32],"float32"), tuple(0,Ellipsis,slice(-2,None,9),), ))",
       R"(paddle.Tensor.__truediv__(Tensor([160],"float32",place=Place(cpu)), 1e-05, ))",
       R"(paddle.full(shape=10, dtype="complex128", fill_value=complex(nan,-math.inf), ))",
       R"(paddle.linspace(0, 10, 5, dtype=type(numpy.float32), ))",
       R"(paddle.normal(mean=0.0, shape=tuple(), ))",
       R"(paddle.einsum("ak, kn-> an", Tensor([],"float8_e4m3fn"), list[], None, True, ))",
       R"(paddle.Tensor.cast(Tensor([7],"int64"), VarType(float32), Dtype(bfloat16), ))",
       R"(paddle.rand())"})
    CHECK(canonical(line) == line);
}

TEST_CASE("blanks, commas and comments do not matter") {
  const std::string expected = R"(paddle.add(Tensor([2, 3],"float32"), y=list[1,2,], ))";
  CHECK(canonical(R"(paddle.add(Tensor([2,3],"float32"),y=[1,2]))") == expected);
  CHECK(canonical("\t paddle.add ( Tensor( [ 2 , 3, ] , 'float32', ) , y = list[ 1 , 2 ] )\r\n") ==
        expected);
  CHECK(canonical("# why\npaddle.add(Tensor([2, 3],\"float32\"), y=[1,2]) # and so\n") == expected);
  CHECK(canonical(R"(paddle.add("a # b"))") == R"(paddle.add("a # b", ))");
}

TEST_CASE("numbers") {
  const std::pair<const char*, const char*> spellings[] = {
      {"5", "5"},
      {"-3", "-3"},
      {"+7", "7"},
      {"007", "7"},
      {"-0", "0"},
      {"5.", "5.0"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1e5", "100000.0"},
      {"1E-5", "1e-05"},
      {"0.0001", "0.0001"},
      {"1e16", "1e+16"},
      {"1e15", "1000000000000000.0"},
      {"0.1", "0.1"},
      {"-0.0", "-0.0"},
      {"5e-324", "5e-324"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"1e400", "math.inf"},
      {"-1e400", "-math.inf"},
      {"1e99999999999999999999", "math.inf"},
      {"1e-99999999999999999999", "0.0"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854775808"},
      {"-0036893488147419103232", "-36893488147419103232"},
  };
  for (const auto& [text, expected] : spellings)
    CHECK(argument(text) == expected);
  CHECK(value_of<std::int64_t>("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(value_of<BigInteger>("9223372036854775808").digits == "9223372036854775808");
  CHECK(value_of<Float>("0.1").value == 0.1);
  CHECK(std::signbit(value_of<Float>("-0.0").value));
  CHECK(parsed("paddle.f(0.0)") != parsed("paddle.f(-0.0)"));
  CHECK(parsed("paddle.f(1)") != parsed("paddle.f(1.0)"));
  CHECK(parsed("paddle.f(1)") != parsed("paddle.f(True)"));
}

TEST_CASE("nan and inf") {
  for (const char* text : {"nan", "NaN", "-nan", "math.nan", "numpy.nan", "np.nan",
                           "float(\"nan\")", "float('NaN')", "-float(\" nan \")"})
    CHECK(argument(text) == "nan");
  for (const char* text : {"inf", "+inf", "math.inf", "numpy.inf", "np.inf", "Infinity",
                           "float('inf')", "float(\"Infinity\")", "-float('-inf')", "float(inf)"})
    CHECK(argument(text) == "math.inf");
  for (const char* text : {"-inf", "-math.inf", "-numpy.inf", "-float('inf')", "float('-inf')"})
    CHECK(argument(text) == "-math.inf");
  CHECK(argument("float('1.5')") == "1.5");
  CHECK(argument("float(2)") == "2.0");
  CHECK(parsed("paddle.f(nan)") == parsed("paddle.f(-nan)"));
}

TEST_CASE("complex numbers") {
  CHECK(argument("2j") == "complex(0.0,2.0)");
  CHECK(argument("1+2j") == "complex(1.0,2.0)");
  CHECK(argument("(-1-2J)") == "complex(-1.0,-2.0)");
  CHECK(argument("1.79769313e+308-1.79769313e+308j") ==
        "complex(1.79769313e+308,-1.79769313e+308)");
  CHECK(argument("(nan+infj)") == "complex(nan,math.inf)");
  CHECK(argument("-inf-nanj") == "complex(-math.inf,nan)");
  CHECK(argument("complex(1, -0.0)") == "complex(1.0,-0.0)");
  CHECK(argument("complex(math.inf)") == "complex(math.inf,0.0)");
}

TEST_CASE("strings") {
  CHECK(argument(R"('it is "so"')") == R"("it is \"so\"")");
  CHECK(argument(R"("")") == R"("")");
  CHECK(argument(R"("a\\b\n\t\r\0\x41\u00e9\'")") == "\"a\\\\b\\n\\x09\\x0d\\x00A\u00e9'\"");
  CHECK(value_of<std::string>(R"("\u20ac")") == "\u20ac");
  CHECK(argument("\"\u20ac\U0001F600\"") == "\"\u20ac\U0001F600\"");
}

TEST_CASE("sequences, slices and types") {
  CHECK(argument("[]") == "list[]");
  CHECK(argument("[[1],[2,3,],]") == "list[list[1,],list[2,3,],]");
  CHECK(argument("()") == "tuple()");
  CHECK(argument("(1,)") == "tuple(1,)");
  CHECK(argument("(1, 2)") == "tuple(1,2,)");
  CHECK(argument("(1)") == "1");
  CHECK(argument("...") == "Ellipsis");
  CHECK(argument("paddle.Size([2, 3])") == "list[2,3,]");
  CHECK(argument("slice(5)") == "slice(None,5,None)");
  CHECK(argument("slice(1, 5)") == "slice(1,5,None)");
  CHECK(argument(R"(slice(Tensor([],"int64"),None,2,))") == R"(slice(Tensor([],"int64"),None,2))");
  CHECK(argument("type(int)") == "type(int)");
  CHECK(argument("Place( gpu:0 )") == "Place(gpu:0)");
  CHECK(argument("paddle.nn.initializer.Constant(value=1)") ==
        "paddle.nn.initializer.Constant(value=1, )");
}

TEST_CASE("tensors say more than shape and dtype") {
  CHECK(argument(R"(Tensor([16],"float32", full=inf))") ==
        R"(Tensor([16],"float32",full=math.inf))");
  CHECK(argument(R"(Tensor([3],"float32", values=[nan, 1, -0.0]))") ==
        R"(Tensor([3],"float32",values=[nan, 1, -0.0]))");
  CHECK(argument(R"_(Tensor([2],"int64",grad=False,domain='integers(0, 9)'))_") ==
        R"_(Tensor([2],"int64",domain="integers(0, 9)",grad=False))_");
  CHECK(argument(R"(Tensor([2, 3],"bool", layout="transposed"))") ==
        R"(Tensor([2, 3],"bool",layout="transposed"))");
  CHECK(argument(R"(Tensor([2],"bool", layout="contiguous"))") == R"(Tensor([2],"bool"))");
  const std::string strided =
      R"(Tensor([2, 3],"float32",place=Place(gpu:0),is_contiguous=False,strides=[1, 2]))";
  CHECK(argument(strided) == strided);
  CHECK(argument(R"(Tensor([2, 3],"float32", Place(gpu:0), False, [1, 2]))") == strided);
  const Tensor tensor = value_of<Tensor>(strided);
  CHECK(tensor.dtype == DType::float32);
  CHECK(tensor.shape == Shape{2, 3});
  CHECK(tensor.place == "gpu:0");
  CHECK(tensor.is_contiguous == false);
  CHECK(tensor.strides == Shape{1, 2});
}

TEST_CASE("statements") {
  const std::string text =
      "a = Tensor([16], \"int32\")\n"
      "b = paddle.reshape(a, [4, 4])\n\n"
      "b.cast_(\"float32\")  # in place\n"
      "check a, b\n";
  CHECK(canonical(text) ==
        "a = Tensor([16],\"int32\"); b = paddle.reshape(a, list[4,4,], ); "
        "b.cast_(\"float32\", ); check a, b");
  const Case c = parsed(text);
  REQUIRE(c.statements.size() == 4);
  const Call& method = std::get<Evaluate>(c.statements[2]).call;
  CHECK(method.callee == "b.cast_");
  CHECK(method.on_variable);
  CHECK(std::get<Check>(c.statements[3]).names == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(std::get<Call>(std::get<Assign>(c.statements[1]).value.data).on_variable);
  CHECK(canonical("a = 1; c = a; c = b.f(c);") == "a = 1; c = a; c = b.f(c, )");
}

TEST_CASE("the id is the hash of the canonical text") {
  CHECK(case_id("") == "2d06800538d394c2");  // XXH3's published value for nothing
  const std::string text = canonical("paddle.abs(Tensor([2],\"float32\"))");
  CHECK(case_id(text) == case_id(print(parsed("paddle.abs( Tensor([2,],'float32') , )"))));
  CHECK(case_id(text) != case_id(print(parsed("paddle.abs(Tensor([3],\"float32\"))"))));
  CHECK(case_id(text).size() == 16);
}
