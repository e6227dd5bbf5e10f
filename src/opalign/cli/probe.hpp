// SPDX-License-Identifier: Apache-2.0
// Probe: asks an environment's interpreter what it is. It changes nothing in it.
#pragma once

#include <string>

#include <opalign/base/environment.hpp>
#include <opalign/base/expected.hpp>

namespace opalign::cli {

struct Probe {
  std::string executable;         ///< the interpreter's own path
  std::string python_version;     ///< "3.11.7"
  std::string framework_version;  ///< empty where the environment has its own adapter
  double import_s = 0;
};

/// Runs the interpreter and imports the framework; the error says which of the two failed.
Expected<Probe> probe(const Environment& environment);

}  // namespace opalign::cli
