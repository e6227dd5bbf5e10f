// SPDX-License-Identifier: Apache-2.0
// RunnerSpec: the text that names a runner, as a value. It does not know whether such an
// environment or device exists: resolve_runner (environment.hpp) finds out.
//
//   spec      := framework ["@" version] [":" device [":" index]] {"+" transform}
//   framework := [a-z] {[a-z0-9_]}              paddle, torch, numpy
//   version   := {any but ":" "+" "@" space}    3.3.1, 3.3, or the label of an environment
//   device    := [a-z] {[a-z0-9_]}              cpu, gpu, cuda, npu
//   transform := name ["(" text ")"]            compile, env(FLAGS_x=1); parentheses are balanced
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>

namespace opalign {

struct RunnerSpec {
  std::string framework;
  std::optional<std::string> version;
  std::string device = "cpu";
  int index = 0;
  std::vector<std::string> transforms;
  bool operator==(const RunnerSpec&) const = default;
};

/// Syntax alone: transforms are taken as they are.
Expected<RunnerSpec> parse_runner_spec(std::string_view text);

/// Canonical: the device is always there, its index unless it is the only CPU:
/// "paddle@3.3.1:cpu+compile", "torch:cuda:1".
[[nodiscard]] std::string to_string(const RunnerSpec& spec);

/// An error for each transform that opalign does not have.
Expected<void> check_transforms(const RunnerSpec& spec);

}  // namespace opalign
