// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/words.hpp>

#include <cmath>

#include <fmt/ranges.h>

#include <opalign/compare/tensor.hpp>

namespace opalign::compare {
namespace {

std::string number(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

struct Describe {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "bool True" : "bool False"; }
  std::string operator()(std::int64_t value) const { return fmt::format("int {}", value); }
  std::string operator()(double value) const { return "float " + number(value); }
  std::string operator()(const std::complex<double>& value) const {
    const std::string imaginary = number(value.imag());
    return fmt::format("complex {}{}{}j", number(value.real()),
                       imaginary.starts_with('-') ? "" : "+", imaginary);
  }
  std::string operator()(const std::string& value) const {
    return fmt::format("str \"{}\"", one_line(value, 60));
  }
  std::string operator()(const ResultDType& value) const {
    return "dtype " + one_line(value.name, 60);
  }
  std::string operator()(const ResultOther& value) const { return one_line(value.description, 60); }
  std::string operator()(const TensorView& value) const {
    return readable(value) ? fmt::format("tensor {} {}", name(value.dtype), to_string(value.shape))
                           : "malformed tensor";
  }
  std::string operator()(const ResultSequence& value) const {
    return fmt::format("sequence of {}", value.items.size());
  }
  std::string operator()(const ResultMapping& value) const {
    return fmt::format("mapping of {}", value.items.size());
  }
};

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
    if (line.size() > limit) {
      std::size_t end = limit;  // not inside a UTF-8 sequence
      while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80)
        --end;
      return line.substr(0, end) + "…";
    }
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

std::string describe(const Result& result) { return std::visit(Describe{}, result.value); }

std::string words_of(const RunnerError& error) {
  const std::string type = one_line(error.type, 80), message = one_line(error.message);
  return type.empty() ? message : message.empty() ? type : fmt::format("{}: {}", type, message);
}

std::string element_path(std::string_view path, const std::vector<std::int64_t>& index) {
  return index.empty() ? std::string(path) : fmt::format("{}[{}]", path, fmt::join(index, ", "));
}

}  // namespace opalign::compare
