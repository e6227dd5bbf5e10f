// SPDX-License-Identifier: Apache-2.0
// Installing environments: a venv that pip fills, or an interpreter that is adopted. Either is
// there as a whole in the end, or not at all; what a killed installation leaves is no environment
// (base/environment.hpp) and is replaced by the next one.
#pragma once

#include <string>
#include <vector>

#include <opalign/base/environment.hpp>
#include <opalign/base/expected.hpp>

namespace opalign::cli {

struct InstallOptions {
  std::string python;                   ///< interpreter to adopt or to make the venv with; or empty
  std::string name;                     ///< label of the venv in place of the version; or empty
  std::vector<std::string> with;        ///< further requirements
  std::vector<std::string> pythonpath;  ///< for adopted interpreters
  std::string adapter;                  ///< for adopted interpreters
};

/// What is to be installed: "paddle==3.3.1", "torch", "paddlepaddle-gpu>=3", "jax[cuda12]".
struct Requirement {
  const FrameworkPackage* package = nullptr;
  std::string text;     ///< as pip takes it: "paddlepaddle==3.3.1"
  std::string version;  ///< where the text names exactly one, or empty
};
Expected<Requirement> parse_requirement(const std::string& text);

/// Makes a venv and prints its progress. One that is there already is left as it is.
Expected<void> install_environment(const std::string& requirement, const InstallOptions& options);
/// Records an interpreter that has the framework already. `name` is framework@label.
Expected<void> adopt_environment(const std::string& name, const InstallOptions& options);

}  // namespace opalign::cli
