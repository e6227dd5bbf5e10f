// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/print.hpp>

#include <array>
#include <charconv>

#include <opalign/base/hash.hpp>
#include <opalign/case/layout.hpp>
#include <opalign/case/number.hpp>

namespace opalign::cases {
namespace {

/// Appends a case's canonical text, piece by piece.
class Printer {
 public:
  explicit Printer(std::string& out) : m_out(out) {}

  void operator()(const Statement& statement) { std::visit(*this, statement); }
  void operator()(const Assign& assign) {
    add(assign.target, " = ");
    (*this)(assign.value);
  }
  void operator()(const Evaluate& evaluate) { (*this)(evaluate.call); }
  void operator()(const Check& check) {
    m_out += "check ";
    for (std::size_t i = 0; i < check.names.size(); ++i)
      add(i == 0 ? "" : ", ", check.names[i]);
  }

  void operator()(const Value& value) { std::visit(*this, value.data); }
  void operator()(const None&) { m_out += "None"; }
  void operator()(bool value) { m_out += value ? "True" : "False"; }
  void operator()(std::int64_t value) {
    std::array<char, 24> buffer;
    m_out.append(buffer.data(), std::to_chars(buffer.begin(), buffer.end(), value).ptr);
  }
  void operator()(const BigInteger& value) { m_out += value.digits; }
  void operator()(const Float& value) { append_double(m_out, value.value); }
  void operator()(const Complex& value) {
    m_out += "complex(";
    append_double(m_out, value.real);
    m_out += ',';
    append_double(m_out, value.imag);
    m_out += ')';
  }
  void operator()(const std::string& value);
  void operator()(const Ellipsis&) { m_out += "Ellipsis"; }
  void operator()(const TypeName& type) {
    constexpr std::array<std::string_view, 3> k_kinds{"Dtype(", "VarType(", "type("};
    add(k_kinds[static_cast<std::size_t>(type.kind)], type.name, ")");
  }
  void operator()(const Place& place) { add("Place(", place.name, ")"); }
  void operator()(const Name& name) { m_out += name.name; }
  void operator()(const Slice& slice) {
    for (std::size_t i = 0; i < slice.parts.size(); ++i) {
      m_out += i == 0 ? "slice(" : ",";
      (*this)(slice.parts[i]);
    }
    m_out += ')';
  }
  void operator()(const List& list) { sequence("list[", list.items, ",", "]"); }
  void operator()(const Tuple& tuple) { sequence("tuple(", tuple.items, ",", ")"); }
  void operator()(const Tensor& tensor);
  void operator()(const Call& call) {
    add(call.callee, "(");
    for (const Argument& argument : call.arguments) {
      if (!argument.name.empty())
        add(argument.name, "=");
      (*this)(argument.value);
      m_out += ", ";
    }
    m_out += ')';
  }

 private:
  template <class... Pieces>
  void add(const Pieces&... pieces) {
    ((m_out += pieces), ...);
  }
  void sequence(std::string_view open, const std::vector<Value>& items, std::string_view separator,
                std::string_view close) {
    m_out += open;
    for (const Value& item : items) {
      (*this)(item);
      m_out += separator;
    }
    m_out += close;
  }
  /// [1, 2], without a prefix: only inside a tensor.
  template <class Item>
  void bare_list(const std::vector<Item>& items) {
    m_out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      m_out += i == 0 ? "" : ", ";
      (*this)(items[i]);
    }
    m_out += ']';
  }

  std::string& m_out;
};

void Printer::operator()(const std::string& value) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  m_out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\')
      add('\\', c);
    else if (c == '\n')
      m_out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      add("\\x", k_hex[static_cast<unsigned char>(c) >> 4], k_hex[c & 15]);
    else
      m_out += c;
  }
  m_out += '"';
}

void Printer::operator()(const Tensor& tensor) {
  m_out += "Tensor(";
  bare_list(tensor.shape);
  add(",\"", opalign::name(tensor.dtype), "\"");
  if (tensor.place)
    add(",place=Place(", *tensor.place, ")");
  if (tensor.is_contiguous)
    add(",is_contiguous=", *tensor.is_contiguous ? "True" : "False");
  if (tensor.strides) {
    m_out += ",strides=";
    bare_list(*tensor.strides);
  }
  for (const Value& element : tensor.full) {
    m_out += ",full=";
    (*this)(element);
  }
  if (!tensor.values.empty()) {
    m_out += ",values=";
    bare_list(tensor.values);
  }
  if (tensor.domain) {
    m_out += ",domain=";
    (*this)(*tensor.domain);
  }
  if (tensor.layout != Layout::contiguous)
    add(",layout=\"", name(tensor.layout), "\"");
  if (tensor.grad)
    add(",grad=", *tensor.grad ? "True" : "False");
  m_out += ')';
}

}  // namespace

std::string print(const Case& c) {
  std::string text;
  text.reserve(128);
  Printer printer(text);
  for (std::size_t i = 0; i < c.statements.size(); ++i) {
    text += i == 0 ? "" : "; ";
    printer(c.statements[i]);
  }
  return text;
}

std::string print(const Value& value) {
  std::string text;
  Printer printer(text);
  printer(value);
  return text;
}

std::string case_id(std::string_view canonical_text) { return hex16(hash64(canonical_text)); }

}  // namespace opalign::cases
