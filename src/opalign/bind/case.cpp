// SPDX-License-Identifier: Apache-2.0
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <opalign/bind/bind.hpp>
#include <opalign/case/layout.hpp>
#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>

namespace opalign::bind {
namespace {

namespace nb = nanobind;

nb::object python_value(const cases::Value& value);

nb::list python_list(const std::vector<cases::Value>& values) {
  nb::list list;
  for (const cases::Value& value : values)
    list.append(python_value(value));
  return list;
}

/// Python's own type where there is one, else the class that is bound below.
struct ToPython {
  nb::object operator()(cases::None) const { return nb::none(); }
  nb::object operator()(cases::Ellipsis) const { return nb::ellipsis(); }
  nb::object operator()(const cases::BigInteger& value) const {
    return nb::steal(PyLong_FromString(value.digits.c_str(), nullptr, 10));
  }
  nb::object operator()(const cases::Float& value) const { return nb::float_(value.value); }
  nb::object operator()(const cases::Complex& value) const {
    return nb::steal(PyComplex_FromDoubles(value.real, value.imag));
  }
  nb::object operator()(const cases::Slice& value) const {
    const nb::list parts = python_list(value.parts);
    return nb::steal(PySlice_New(parts[0].ptr(), parts[1].ptr(), parts[2].ptr()));
  }
  nb::object operator()(const cases::List& value) const { return python_list(value.items); }
  nb::object operator()(const cases::Tuple& value) const {
    return nb::tuple(python_list(value.items));
  }
  template <class Other>
  nb::object operator()(const Other& value) const {
    return nb::cast(value);
  }
};

nb::object python_value(const cases::Value& value) { return std::visit(ToPython{}, value.data); }

template <class T>
std::string text_of(const T& value) {
  return cases::print(cases::Value{value});
}

std::string_view kind_name(cases::TypeName::Kind kind) {
  switch (kind) {
    case cases::TypeName::Kind::dtype:
      return "Dtype";
    case cases::TypeName::Kind::var_type:
      return "VarType";
    case cases::TypeName::Kind::python_type:
      break;
  }
  return "type";
}

nb::list statements_of(const cases::Case& c) {
  nb::list list;
  for (const cases::Statement& statement : c.statements)
    if (const auto* evaluate = std::get_if<cases::Evaluate>(&statement))
      list.append(evaluate->call);
    else if (const auto* assign = std::get_if<cases::Assign>(&statement))
      list.append(*assign);
    else
      list.append(std::get<cases::Check>(statement));
  return list;
}

void bind_values(nb::module_& module) {
  using namespace cases;
  nb::class_<TypeName>(module, "TypeName", "A type object: Dtype(float32), type(numpy.int32).")
      .def_prop_ro(
          "kind", [](const TypeName& t) { return kind_name(t.kind); },
          "\"Dtype\", \"VarType\" or \"type\"")
      .def_ro("name", &TypeName::name)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", text_of<TypeName>);
  nb::class_<Place>(module, "Place", "A device: Place(cpu).")
      .def_ro("name", &Place::name)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", text_of<Place>);
  nb::class_<Name>(module, "Name", "A variable that an earlier statement assigned.")
      .def_ro("name", &Name::name)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", text_of<Name>);
  nb::class_<Tensor>(module, "Tensor", "A tensor as its case describes it; it has no elements.")
      .def_prop_ro(
          "dtype", [](const Tensor& t) { return name(t.dtype); }, "NumPy's name")
      .def_ro("shape", &Tensor::shape, "Sizes, outermost first")
      .def_prop_ro(
          "full",
          [](const Tensor& t) { return t.full.empty() ? nb::none() : python_value(t.full[0]); },
          "The value of all elements, or None")
      .def_prop_ro(
          "values", [](const Tensor& t) { return python_list(t.values); },
          nb::sig("def values(self) -> list[object]"),
          "Elements given one by one, flat and row-major")
      .def_ro("domain", &Tensor::domain)
      .def_prop_ro("layout", [](const Tensor& t) { return name(t.layout); })
      .def_ro("strides", &Tensor::strides, "In elements")
      .def_ro("grad", &Tensor::grad)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", text_of<Tensor>);
}

void bind_calls(nb::module_& module) {
  using namespace cases;
  nb::class_<Argument>(module, "Argument", "An argument of a call.")
      .def_ro("name", &Argument::name, "Empty for a positional one")
      .def_prop_ro(
          "value", [](const Argument& a) { return python_value(a.value); },
          nb::sig("def value(self) -> object"),
          "None, bool, int, float, complex, str, ..., slice, list, tuple,\n"
          "TypeName, Place, Name, Tensor or Call")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
  nb::class_<Call>(module, "Call", "A call of a public name, or of a variable's method.")
      .def_ro("callee", &Call::callee, "\"paddle.concat\", \"b.cast_\"")
      .def_ro("on_variable", &Call::on_variable, "The callee is \"variable.method\"")
      .def_ro("arguments", &Call::arguments)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", text_of<Call>);
  nb::class_<Assign>(module, "Assign", "target = value")
      .def_ro("target", &Assign::target)
      .def_prop_ro(
          "value", [](const Assign& a) { return python_value(a.value); },
          nb::sig("def value(self) -> object"), "As of an Argument")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
  nb::class_<Check>(module, "Check", "check a, b: the variables that are compared.")
      .def_ro("names", &Check::names)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

}  // namespace

void bind_case(nb::module_& module) {
  bind_values(module);
  bind_calls(module);
  nb::class_<cases::Case>(module, "Case", "A case: what its text says, without any meaning.")
      .def_prop_ro(
          "text", [](const cases::Case& c) { return cases::print(c); },
          "The canonical text, one line: parse(case.text) == case")
      .def_prop_ro(
          "id", [](const cases::Case& c) { return cases::case_id(cases::print(c)); },
          "16 hexadecimal digits, a hash of the canonical text")
      .def_prop_ro("statements", statements_of,
                   nb::sig("def statements(self) -> list[Call | Assign | Check]"),
                   "In their order; most cases are one Call")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const cases::Case& c) { return cases::print(c); });
  module.def(
      "parse",
      [](std::string_view text, std::string_view file, int line) {
        return value_or_throw(cases::parse(text, {file, line}));
      },
      nb::arg("text"), nb::kw_only(), nb::arg("file") = "<case>", nb::arg("line") = 1,
      R"doc(Parses one case: a call, or statements separated by newlines or ';'. Nothing is evaluated.

`file` and `line`, from 1, say where the text stands. Raises Error, whose text begins with
file:line:column, and shows the place.)doc");
}

}  // namespace opalign::bind
