// SPDX-License-Identifier: Apache-2.0
// Environment: a Python interpreter with one framework in it, and where such are kept. It installs
// nothing (cli/install.cpp does) and starts no interpreter.
//
// Environments are the folders <home>/envs/<framework>@<version or label>. Such a folder is a venv,
// or it holds an env.json, whose keys are all optional:
//   {"python": "/usr/bin/python3", "pythonpath": ["/src/framework/build/python"],
//    "version": "3.3.1", "adapter": "/src/my_adapter.py"}
// While it is being made it holds a file named "incomplete"; such a folder is not an environment.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/runner_spec.hpp>

namespace opalign {

struct Environment {
  std::string name;                     ///< "paddle@3.3.1", the folder's name
  std::string framework;                ///< "paddle"
  std::string version;                  ///< of the framework
  std::string python;                   ///< path of the interpreter
  std::vector<std::string> pythonpath;  ///< put before its own
  std::string adapter;                  ///< Python file in place of the shipped one, or empty
  std::string directory;
};

struct FrameworkPackage {
  std::string_view framework;
  std::string_view package;  ///< what pip calls it
  std::string_view module;   ///< what Python calls it
};

inline constexpr std::string_view k_environment_file = "env.json";
inline constexpr std::string_view k_incomplete_marker = "incomplete";

/// What `opalign env add` can install; a framework's usual package comes first.
[[nodiscard]] std::span<const FrameworkPackage> framework_packages();
/// By framework (its usual package) or by package name.
[[nodiscard]] const FrameworkPackage* find_framework_package(std::string_view name);

/// $OPALIGN_HOME, else $XDG_DATA_HOME/opalign, else ~/.local/share/opalign.
[[nodiscard]] std::string opalign_home();
[[nodiscard]] std::string environments_directory();

/// Every folder that should be an environment, in alphabetical order.
[[nodiscard]] std::vector<std::string> environment_folders();
/// All environments, by framework, newest first. A folder that cannot be read as one is an error
/// only for read_environment.
[[nodiscard]] std::vector<Environment> list_environments();
Expected<Environment> read_environment(const std::string& directory);

/// `version` may be a prefix ("3.3" finds 3.3.1) or a label; the newest that fits is taken.
Expected<Environment> find_environment(std::string_view framework,
                                       const std::optional<std::string>& version = {});

/// Text to a runner that can be started: its spec with the version filled in, and its environment.
struct ResolvedRunner {
  RunnerSpec spec;
  Environment environment;
};
Expected<ResolvedRunner> resolve_runner(std::string_view text);

/// Orders versions by their numbers: 3.10 is newer than 3.9; 3.3.0rc1 is older than 3.3.0.
[[nodiscard]] bool is_newer(std::string_view a, std::string_view b);

}  // namespace opalign
