// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <nanobind/stl/string_view.h>

#include <opalign/base/resources.hpp>
#include <opalign/bind/bind.hpp>

NB_MODULE(_core, module) {
  using namespace opalign::bind;
  module.doc() = "The C++ stages of opalign that Python calls. Import them from opalign.";
  nanobind::exception<Failure>(module, "Error", PyExc_ValueError).doc() =
      "What was expected and where, and on a second line perhaps a hint.";
  module.def("version", opalign::version, "As `opalign --version` says it.");
  bind_case(module);
  bind_fill(module);
  bind_compare(module);
}
