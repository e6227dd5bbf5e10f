// SPDX-License-Identifier: Apache-2.0
// Every message of the parser, word for word: place, sentence, source line, caret, hint.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <opalign/case/parse.hpp>

using namespace opalign;
using namespace opalign::cases;

namespace {

struct Expectation {
  std::string text;
  int column;
  std::string sentence;
  std::string hint = {};
};

Error error_of(std::string_view text) {
  const Expected<Case> result = parse(text, {"f.txt", 7});
  INFO("text: ", std::string(text.substr(0, 200)));
  REQUIRE_FALSE(result.has_value());
  return result.error();
}

void check(const Expectation& expected) {
  const Error error = error_of(expected.text);
  const std::string message =
      fmt::format("f.txt:7:{}: {}\n{}\n{}^", expected.column, expected.sentence, expected.text,
                  std::string(static_cast<std::size_t>(expected.column - 1), ' '));
  CHECK(error.message == message);
  CHECK(error.hint == expected.hint);
}

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += piece;
  return text;
}

}  // namespace

TEST_CASE("statements that are wrong") {
  for (const Expectation& e : std::initializer_list<Expectation>{
           {"", 1, "expected a case, got end of text"},
           {"# nothing", 10, "expected a case, got end of text"},
           {"(1)", 1, "expected a call such as paddle.abs(...) or an assignment, got '('"},
           {"abs(1)", 1, "expected a call such as paddle.abs(...), got 'abs'"},
           {"paddle.abs", 11, "expected '(' or '=', got end of text"},
           {"paddle.abs 1", 12, "expected '(' or '=', got '1'"},
           {"paddle.x = 1", 1, "expected a variable's name, got 'paddle.x'"},
           {"Tensor = 1", 1, "expected a variable's name, got 'Tensor'"},
           {"a =", 4, "expected a value, got end of text"},
           {"a = 1 b = 2", 7, "expected ';' or the end of the line, got 'b'"},
           {"paddle.f()paddle.g()", 11, "expected ';' or the end of the line, got 'paddle.g'"},
           {"check a", 7, "expected the name of an assigned variable, got 'a'"},
           {"abc = 1; check abd", 16, "expected the name of an assigned variable, got 'abd'",
            "did you mean \"abc\"?"},
           {"a = 1; check a, a", 17, "expected each name once, got 'a' again"},
           {"a = 1; check a,", 16, "expected the name of an assigned variable, got end of text"},
           {"a = 1; a.grad.sum()", 8, "expected one method of 'a', got 'a.grad.sum'"}})
    check(e);
}

TEST_CASE("calls that are wrong") {
  for (const Expectation& e : std::initializer_list<Expectation>{
           {"paddle.f(", 10, "expected a value, got end of text"},
           {"paddle.f(1", 11, "expected ',' or ')', got end of text"},
           {"paddle.f(1 2)", 12, "expected ',' or ')', got '2'"},
           {"paddle.f(,)", 10, "expected a value, got ','"},
           {"paddle.f(1,,2)", 12, "expected a value, got ','"},
           {"paddle.f(1]", 11, "expected ',' or ')', got ']'"},
           {"paddle.f(x=)", 12, "expected a value, got ')'"},
           {"paddle.f(a.b=1)", 10, "expected a keyword, got 'a.b'"},
           {"paddle.f(axis=1, axis=2)", 18, "expected each keyword once, got 'axis' again"},
           {"paddle.f(axis=1, 2)", 18,
            "expected a keyword argument, got a positional one after a keyword"},
           {"paddle.f(axis=1, None)", 18,
            "expected a keyword argument, got a positional one after a keyword"}})
    check(e);
}

TEST_CASE("values that are wrong") {
  for (const Expectation& e : std::initializer_list<Expectation>{
           {"paddle.f(Non)", 10, "expected a value or the name of an assigned variable, got 'Non'",
            "did you mean \"None\"?"},
           {"result = 1; paddle.f(resutl)", 22,
            "expected a value or the name of an assigned variable, got 'resutl'",
            "did you mean \"result\"?"},
           {"paddle.f(tupel(1,2))", 10,
            "expected a value or the name of an assigned variable, got 'tupel'",
            "did you mean \"tuple\"?"},
           {"paddle.f(xyzzy)", 10,
            "expected a value or the name of an assigned variable, got 'xyzzy'"},
           {"paddle.f(@)", 10, "expected a value, got '@'"},
           {"paddle.f(.)", 10, "expected a number, got '.'"},
           {"paddle.f(3abc)", 10, "expected a number, got '3abc'"},
           {"paddle.f(-x)", 10, "expected a number, got '-x'"},
           {"paddle.f(--1)", 10, "expected a number, got '-'"},
           {"paddle.f(1+2)", 11, "expected an imaginary part such as +2j, got '+2'"},
           {"paddle.f(16777216//4)", 18, "expected ',' or ')', got '/'"},
           {"paddle.f(complex(1,2,3))", 17, "expected complex(real, imaginary) of numbers"},
           {"paddle.f(complex(None))", 17, "expected complex(real, imaginary) of numbers"},
           {"paddle.f(float('x'))", 16, "expected a number or a string such as \"nan\", got \"x\""},
           {"paddle.f(float(None))", 16,
            "expected a number or a string such as \"nan\", got 'None'"},
           {"paddle.f(slice())", 15, "expected 1 to 3 parts of a slice, got 0"},
           {"paddle.f(slice(1,2,3,4))", 15, "expected 1 to 3 parts of a slice, got 4"},
           {"paddle.f([1 2])", 13, "expected ',' or ']', got '2'"},
           {"paddle.f(tuple(1 2))", 18, "expected ',' or ')', got '2'"},
           {"paddle.f(Dtype(flaot32))", 16, "expected a dtype, got 'flaot32'",
            "did you mean \"float32\"?"},
           {"paddle.f(VarType(LOD))", 18, "expected a dtype, got 'LOD'"},
           {"paddle.f(type(1))", 15, "expected a type such as numpy.float32 or int, got '1'"},
           {"paddle.f(type(int 1))", 19, "expected ')', got '1'"},
           {"paddle.f(Place(1))", 16, "expected a device such as cpu or gpu:0, got '1'"},
           {"paddle.f(Place(gpu:x))", 20, "expected the number of a device, got 'x'"},
           {"paddle.f(paddle.Size(1))", 10,
            "expected paddle.Size([...]) with one list, got something else"},
           {"paddle.f(\"abc)", 10, "expected a string that ends with \" on its line, got \"abc)\""},
           {"paddle.f('a\\q')", 12, "expected an escape, got a lone '\\'",
            R"(escapes are \\ \" \' \n \r \t \0 \xHH \uHHHH)"},
           {"paddle.f('\\ud800')", 11, "expected an escape, got a lone '\\'",
            R"(escapes are \\ \" \' \n \r \t \0 \xHH \uHHHH)"},
           {"paddle.f('\\x4')", 11, "expected an escape, got a lone '\\'",
            R"(escapes are \\ \" \' \n \r \t \0 \xHH \uHHHH)"}})
    check(e);
}

TEST_CASE("tensors that are wrong") {
  for (const Expectation& e : std::initializer_list<Expectation>{
           {"paddle.f(Tensor(3))", 17, "expected '[', got '3'"},
           {"paddle.f(Tensor([3]))", 20, "expected ',' and a dtype, got ')'"},
           {"paddle.f(Tensor([3],float32))", 21,
            "expected a dtype such as \"float32\", got 'float32'"},
           {"paddle.f(Tensor([3],\"flaot32\"))", 21, "expected a dtype, got \"flaot32\"",
            "did you mean \"float32\"?"},
           {"paddle.f(Tensor([3, -1],\"float32\"))", 21, "expected a size >= 0, got '-1'"},
           {"paddle.f(Tensor([1.5],\"float32\"))", 18, "expected a size >= 0, got '1.5'"},
           {"paddle.f(Tensor([None],\"float32\"))", 18, "expected a size >= 0, got 'None'"},
           {"paddle.f(Tensor([9223372036854775808],\"float32\"))", 18,
            "expected a size >= 0, got '9223372036854775808'"},
           {"paddle.f(Tensor([16//4],\"float32\"))", 20, "expected ',' or ']', got '/'"},
           {"paddle.f(Tensor([3],\"int8\" full=1))", 28, "expected ',' or ')', got 'full'"},
           {"paddle.f(Tensor([3],\"int8\",fill=1))", 28,
            "expected an attribute of a tensor, got 'fill'", "did you mean \"full\"?"},
           {"paddle.f(Tensor([3],\"int8\",full=1,full=2))", 35,
            "expected each attribute once, got 'full' again"},
           {"paddle.f(Tensor([3],\"int8\",full=1,values=[1]))", 35,
            "expected one of 'full' and 'values', got both"},
           {"paddle.f(Tensor([3],\"int8\",layout=\"step\",strides=[2]))", 42,
            "expected one of 'layout' and 'strides', got both"},
           {"paddle.f(Tensor([3],\"int8\",full=None))", 33,
            "expected a number or a boolean, got 'None'"},
           {"paddle.f(Tensor([3],\"int8\",values=[[1]]))", 36,
            "expected a number or a boolean, got '['"},
           {"paddle.f(Tensor([3],\"int8\",values=3))", 35, "expected '[', got '3'"},
           {"paddle.f(Tensor([3],\"int8\",domain=3))", 35,
            "expected a domain such as \"uniform(-1, 1)\", got '3'"},
           {"paddle.f(Tensor([3],\"int8\",layout=3))", 35,
            "expected a layout such as \"transposed\", got '3'"},
           {"paddle.f(Tensor([3],\"int8\",layout=\"transpose\"))", 35,
            "expected a layout, got \"transpose\"", "did you mean \"transposed\"?"},
           {"paddle.f(Tensor([3],\"int8\",grad=0))", 33, "expected True or False, got '0'"},
           {"paddle.f(Tensor([3],\"int8\",place=\"cpu\"))", 34,
            "expected a place such as Place(cpu), got \"cpu\""},
           {"paddle.f(Tensor([3],\"int8\",strides=[1,2]))", 36,
            "expected 1 strides, one a dimension, got 2"},
           {"paddle.f(Tensor([3],\"int8\",strides=[-1]))", 37, "expected a stride >= 0, got '-1'"},
           {"paddle.f(Tensor([3],\"int8\",grad=True,1))", 38,
            "expected an attribute such as full=1, got '1'"}})
    check(e);
}

TEST_CASE("limits are errors") {
  const auto first_line = [](std::string_view text) {
    const std::string message = error_of(text).message;
    return message.substr(0, message.find('\n'));
  };
  const std::string nested = "paddle.f(" + repeated("[", 63) + repeated("]", 63) + ")";
  CHECK(parse(nested).has_value());
  CHECK(first_line("paddle.f(" + repeated("[", 64)) ==
        "f.txt:7:73: expected at most 64 levels of brackets, got more");
  CHECK(first_line("paddle.f(" + repeated("(", 500000)) ==
        "f.txt:7:73: expected at most 64 levels of brackets, got more");
  CHECK(first_line("paddle.f(Tensor([" + repeated("1,", 32) + "1],\"int8\"))") ==
        "f.txt:7:82: expected at most 32 dimensions, got more");
  CHECK(parse("paddle.f([" + repeated("1,", 65535) + "])").has_value());
  CHECK(first_line("paddle.f([" + repeated("1,", 65536) + "])") ==
        "f.txt:7:131081: expected at most 65536 values in a case, got more");
  CHECK(first_line(repeated("a=1;", 257)) ==
        "f.txt:7:1025: expected at most 256 statements in a case, got more");
  std::string keywords;
  for (int i = 0; i < 257; ++i)
    keywords += fmt::format("k{:03}=1,", i);
  CHECK(first_line("paddle.f(" + keywords + ")") ==
        "f.txt:7:1802: expected at most 256 keywords in a call, got more");
  CHECK(first_line(std::string((1 << 20) + 1, ' ')) ==
        "f.txt:7:1: expected at most 1048576 bytes in a case, got 1048577");
}

TEST_CASE("the place is shown") {
  CHECK(error_of("a = 1\nb = 2\n  check c\n").message ==
        "f.txt:9:9: expected the name of an assigned variable, got 'c'\n  check c\n        ^");
  CHECK(error_of("paddle.f(1,\r\n2)").message ==
        "f.txt:7:13: expected a value, got end of line\npaddle.f(1,\n           ^");
  CHECK(
      error_of("paddle.f(\"" + std::string(200, 'a') + "\", @, \"" + std::string(200, 'b') + "\")")
          .message == "f.txt:7:214: expected a value, got '@'\n..." + std::string(47, 'a') +
                          "\", @, \"" + std::string(46, 'b') + "...\n" + std::string(53, ' ') +
                          "^");
  CHECK(error_of("paddle.f(\"" + std::string(200, 'a') + "\", @)").message ==
        "f.txt:7:214: expected a value, got '@'\n..." + std::string(95, 'a') + "\", @)\n" +
            std::string(101, ' ') + "^");
  // Columns count bytes, the caret stands under the character.
  CHECK(error_of("paddle.f(\"\u00e9\u20ac\", @)").message ==
        "f.txt:7:19: expected a value, got '@'\npaddle.f(\"\u00e9\u20ac\", @)\n" +
            std::string(15, ' ') + "^");
}

TEST_CASE("bytes that a terminal would obey are not shown") {
  CHECK(error_of("paddle.f(\x1b[31m)").message ==
        "f.txt:7:10: expected a value, got byte 0x1b\npaddle.f(?[31m)\n         ^");
  CHECK(error_of(std::string_view("paddle.f(\0)", 11)).message ==
        "f.txt:7:10: expected a value, got byte 0x00\npaddle.f(?)\n         ^");
  CHECK(error_of("paddle.f(\"\xff\")").message ==
        "f.txt:7:11: expected UTF-8 text, got byte 0xff\npaddle.f(\"?\")\n          ^");
  CHECK(error_of("paddle.f(\"\xed\xa0\x80\")").message ==
        "f.txt:7:11: expected UTF-8 text, got byte 0xed\npaddle.f(\"???\")\n          ^");
}
