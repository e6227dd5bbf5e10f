// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/encode.hpp>

#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <opalign/case/utf8.hpp>

namespace opalign::plan {
namespace {

template <class... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

std::string_view non_finite(double value) {
  if (std::isnan(value))
    return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// A finite double so that JSON readers take it for a float: "1.0", "1e-05".
void append_float(std::string& out, double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos)
    out += ".0";
}

struct Encoder {
  std::string& out;
  std::size_t& next_tensor;

  void operator()(const cases::None&) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { append(out, "{}", value); }
  void operator()(const cases::BigInteger& value) const {
    append(out, R"({{"$":"int","v":"{}"}})", value.digits);
  }
  void operator()(const cases::Float& value) const {
    if (std::isfinite(value.value))
      append_float(out, value.value);
    else
      append(out, R"({{"$":"float","v":"{}"}})", non_finite(value.value));
  }
  void operator()(const cases::Complex& value) const {
    append(out, R"({{"$":"complex","v":["{}","{}"]}})", value.real, value.imag);
  }
  void operator()(const std::string& value) const { append_json_string(out, value); }
  void operator()(const cases::Ellipsis&) const { out += R"({"$":"ellipsis"})"; }
  void operator()(const cases::TypeName& value) const {
    out += value.kind == cases::TypeName::Kind::python_type ? R"({"$":"type","v":)"
                                                            : R"({"$":"dtype","v":)";
    append_json_string(out, value.name);
    out += '}';
  }
  void operator()(const cases::Place& value) const {
    out += R"({"$":"place","v":)";
    append_json_string(out, value.name);
    out += '}';
  }
  void operator()(const cases::Name& value) const {
    out += R"({"$":"name","n":)";
    append_json_string(out, value.name);
    out += '}';
  }
  void operator()(const cases::Slice& value) const { items(R"({"$":"slice","v":)", value.parts); }
  void operator()(const cases::Tuple& value) const { items(R"({"$":"tuple","v":)", value.items); }
  void operator()(const cases::List& value) const { sequence(value.items); }
  void operator()(const cases::Tensor&) const {
    append(out, R"({{"$":"tensor","i":{}}})", next_tensor++);
  }
  void operator()(const cases::Call& value) const {
    out += R"({"$":"call","call":)";
    append_json_string(out, value.callee);
    out += ',';
    append_arguments(out, value.arguments, next_tensor);
    out += '}';
  }

  void items(std::string_view head, const std::vector<cases::Value>& values) const {
    out += head;
    sequence(values);
    out += '}';
  }
  void sequence(const std::vector<cases::Value>& values) const {
    out += '[';
    const char* separator = "";
    for (const cases::Value& value : values) {
      out += separator;
      std::visit(*this, value.data);
      separator = ",";
    }
    out += ']';
  }
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = cases::utf8_length(text, i);
    if (length == 0) {
      out += "\\ufffd";
      ++i;
    } else if (length > 1) {
      out += text.substr(i, length);
      i += length;
    } else {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        append(out, "\\u{:04x}", static_cast<unsigned>(c));
      } else {
        out += c;
      }
      ++i;
    }
  }
  out += '"';
}

void append_value(std::string& out, const cases::Value& value, std::size_t& next_tensor) {
  std::visit(Encoder{out, next_tensor}, value.data);
}

void append_arguments(std::string& out, const std::vector<cases::Argument>& arguments,
                      std::size_t& next_tensor) {
  out += R"("args":[)";
  const char* separator = "";
  for (const cases::Argument& argument : arguments) {
    if (!argument.name.empty())  // the parser lets no positional argument follow a keyword
      continue;
    out += separator;
    append_value(out, argument.value, next_tensor);
    separator = ",";
  }
  out += R"(],"kwargs":{)";
  separator = "";
  for (const cases::Argument& argument : arguments) {
    if (argument.name.empty())
      continue;
    out += separator;
    append_json_string(out, argument.name);
    out += ':';
    append_value(out, argument.value, next_tensor);
    separator = ",";
  }
  out += '}';
}

}  // namespace opalign::plan
