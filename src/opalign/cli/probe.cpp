// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/probe.hpp>

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <opalign/base/subprocess.hpp>
#include <opalign/cli/launch.hpp>

namespace opalign::cli {
namespace {

/// The first import after an installation compiles and reads everything: minutes on a slow disk.
constexpr double k_import_limit_s = 600;

/// What frameworks print while they are imported may come before the last line.
constexpr std::string_view k_program = R"(
import json, sys, time
begun = time.time()
version = None
if len(sys.argv) > 1:
    import importlib
    version = str(importlib.import_module(sys.argv[1]).__version__)
python = ".".join(str(part) for part in sys.version_info[:3])
answer = {"executable": sys.executable, "python": python, "version": version}
print("\n" + json.dumps({**answer, "import_s": time.time() - begun}))
)";

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

std::string failure_of(const CommandResult& result) {
  if (result.timed_out)
    return fmt::format("no answer within {:.0f} s", k_import_limit_s);
  if (result.signal != 0)
    return fmt::format("the interpreter died by signal {}", result.signal);
  const std::string line = last_line(result.errors);
  return line.empty() ? fmt::format("the interpreter ended with exit code {}", result.exit_code)
                      : line;
}

}  // namespace

Expected<Probe> probe(const Environment& environment) {
  const FrameworkPackage* package = find_framework_package(environment.framework);
  Command command;
  command.arguments = {environment.python, "-c", std::string(k_program)};
  if (environment.adapter.empty())
    command.arguments.emplace_back(package == nullptr ? environment.framework : package->module);
  command.environment = python_variables(environment);
  command.timeout_s = k_import_limit_s;
  TRY_ASSIGN(const CommandResult result, run_command(command));
  if (!result.succeeded())
    return fail(fmt::format("{}: {}", environment.name, failure_of(result)));
  const nlohmann::json answer = nlohmann::json::parse(last_line(result.output), nullptr, false);
  if (!answer.is_object())
    return fail(
        fmt::format("{}: '{}' is not a Python interpreter", environment.name, environment.python));
  Probe found;
  found.executable = answer.value("executable", "");
  found.python_version = answer.value("python", "");
  found.import_s = answer.value("import_s", 0.0);
  if (answer.contains("version") && answer["version"].is_string())
    found.framework_version = answer["version"];
  return found;
}

}  // namespace opalign::cli
