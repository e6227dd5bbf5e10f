// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/environment.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <opalign/base/files.hpp>

namespace opalign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<FrameworkPackage, 6> k_packages{{
    {"paddle", "paddlepaddle", "paddle"},
    {"paddle", "paddlepaddle-gpu", "paddle"},
    {"torch", "torch", "torch"},
    {"mindspore", "mindspore", "mindspore"},
    {"jax", "jax", "jax"},
    {"numpy", "numpy", "numpy"},
}};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "3.3" fits 3.3.1 and 3.3+cpu, but not 3.30.
bool version_fits(std::string_view wanted, std::string_view version) {
  return version.substr(0, wanted.size()) == wanted &&
         (version.size() == wanted.size() || version[wanted.size()] == '.' ||
          version[wanted.size()] == '+');
}

Expected<void> read_description(const std::string& file, Environment& environment) {
  TRY_ASSIGN(std::string text, read_file(file));
  json description = json::parse(text, nullptr, false);
  try {
    if (description.is_object()) {
      environment.python = description.value("python", environment.python);
      environment.pythonpath = description.value("pythonpath", environment.pythonpath);
      environment.version = description.value("version", environment.version);
      environment.adapter = description.value("adapter", environment.adapter);
      return {};
    }
  } catch (const json::exception&) {
  }
  return fail(fmt::format("{}: expected a JSON object with \"python\" (a text), \"pythonpath\" (a "
                          "list of texts), \"version\" and \"adapter\" (texts)",
                          file),
              "mend the file, or remove its folder and add the environment again");
}

bool newer_first(const Environment& a, const Environment& b) {
  if (a.framework != b.framework)
    return a.framework < b.framework;
  if (a.version != b.version)
    return is_newer(a.version, b.version);
  return a.name < b.name;
}

std::string available_text(const std::vector<Environment>& environments) {
  if (environments.empty())
    return "there are no environments yet";
  std::vector<std::string> names;
  for (const Environment& environment : environments)
    names.push_back(environment.name);
  return fmt::format("there are: {}", fmt::join(names, ", "));
}

/// "3.3.0rc1" to {3, 3, 0, -1, 1}: a pre-release sorts before the end of its version.
std::vector<int> version_key(std::string_view version) {
  std::vector<int> key;
  bool in_number = false;
  bool in_word = false;
  for (char c : version.substr(0, version.find('+'))) {
    bool is_digit = c >= '0' && c <= '9';
    bool is_letter = c >= 'a' && c <= 'z';
    if (is_digit && in_number)
      key.back() = std::min(key.back(), 100'000'000) * 10 + (c - '0');
    else if (is_digit)
      key.push_back(c - '0');
    else if (is_letter && !in_word)
      key.push_back(-1);
    in_number = is_digit;
    in_word = is_letter;
  }
  return key;
}

}  // namespace

std::span<const FrameworkPackage> framework_packages() { return k_packages; }

const FrameworkPackage* find_framework_package(std::string_view name) {
  for (const FrameworkPackage& entry : k_packages)
    if (entry.framework == name || entry.package == name)
      return &entry;
  return nullptr;
}

std::string opalign_home() {
  if (std::string home = variable("OPALIGN_HOME"); !home.empty())
    return home;
  if (std::string data = variable("XDG_DATA_HOME"); !data.empty())
    return data + "/opalign";
  return variable("HOME") + "/.local/share/opalign";
}

std::string environments_directory() { return opalign_home() + "/envs"; }

Expected<Environment> read_environment(const std::string& directory) {
  Environment environment;
  environment.directory = directory;
  environment.name = fs::path(directory).filename().string();
  std::size_t at = environment.name.find('@');
  if (at == std::string::npos)
    return fail(fmt::format("{}: expected a folder named framework@version", directory));
  environment.framework = environment.name.substr(0, at);
  environment.version = environment.name.substr(at + 1);
  std::error_code ignored;
  if (fs::exists(directory + "/" + std::string(k_incomplete_marker), ignored))
    return fail(fmt::format("{}: the installation did not finish", directory),
                "remove the folder and add the environment again");
  if (fs::exists(directory + "/bin/python", ignored))
    environment.python = directory + "/bin/python";
  std::string description = directory + "/" + std::string(k_environment_file);
  if (fs::exists(description, ignored))
    TRY(read_description(description, environment));
  if (environment.python.empty())
    return fail(
        fmt::format("{}: expected bin/python, or \"python\" in {}", directory, k_environment_file),
        "remove the folder and add the environment again");
  return environment;
}

std::vector<std::string> environment_folders() {
  std::vector<std::string> folders;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(environments_directory(), code))
    if (entry.is_directory(code))
      folders.push_back(entry.path().string());
  std::ranges::sort(folders);
  return folders;
}

std::vector<Environment> list_environments() {
  std::vector<Environment> environments;
  for (const std::string& folder : environment_folders())
    if (Expected<Environment> environment = read_environment(folder))
      environments.push_back(std::move(*environment));
  std::ranges::sort(environments, newer_first);
  return environments;
}

Expected<Environment> find_environment(std::string_view framework,
                                       const std::optional<std::string>& version) {
  std::vector<Environment> environments = list_environments();
  std::string wanted(framework);
  if (version)
    wanted += "@" + *version;
  // A label or a whole version names one environment; only then is a prefix tried.
  for (const Environment& environment : environments)
    if (version && environment.name == wanted)
      return environment;
  for (const Environment& environment : environments)
    if (environment.framework == framework &&
        (!version || version_fits(*version, environment.version)))
      return environment;
  std::string message =
      fmt::format("no environment fits '{}'; {}", wanted, available_text(environments));
  if (find_framework_package(framework) == nullptr)
    return fail(message, "opalign env add FRAMEWORK@LABEL --python PATH adopts an interpreter");
  std::string requirement =
      version ? fmt::format("{}=={}", framework, *version) : std::string(framework);
  return fail(message, fmt::format("opalign env add {}", requirement));
}

Expected<ResolvedRunner> resolve_runner(std::string_view text) {
  ResolvedRunner runner;
  TRY_ASSIGN(runner.spec, parse_runner_spec(text));
  TRY(check_transforms(runner.spec));
  TRY_ASSIGN(runner.environment, find_environment(runner.spec.framework, runner.spec.version));
  runner.spec.version = runner.environment.name.substr(runner.environment.framework.size() + 1);
  return runner;
}

bool is_newer(std::string_view a, std::string_view b) {
  std::vector<int> left = version_key(a);
  std::vector<int> right = version_key(b);
  // Where one ends, the other goes on with numbers (newer) or a pre-release (older).
  left.resize(std::max(left.size(), right.size()));
  right.resize(left.size());
  return left > right;
}

}  // namespace opalign
