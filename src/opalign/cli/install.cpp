// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/install.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <opalign/base/subprocess.hpp>
#include <opalign/base/suggest.hpp>
#include <opalign/cli/building_site.hpp>
#include <opalign/cli/probe.hpp>
#include <opalign/report/style.hpp>

namespace opalign::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void say(std::string_view text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

/// The last lines of what a failed command printed; pip's can be kilobytes long.
std::string tail(std::string_view text) {
  constexpr std::size_t k_lines = 12;
  constexpr int k_columns = 300;
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    if (std::string_view line = text.substr(0, end); !line.empty())
      lines.push_back(report::shorten(line, k_columns));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  if (lines.size() > k_lines)
    lines.erase(lines.begin(), lines.end() - k_lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Expected<CommandResult> run_checked(const Command& command, const std::string& hint,
                                    const LineSink& each_line = {}) {
  TRY_ASSIGN(CommandResult result, run_command(command, each_line));
  if (!result.succeeded())
    return fail(fmt::format("this failed: {}\n{}", shell_quote(command.arguments),
                            tail(result.errors.empty() ? result.output : result.errors)),
                hint);
  return result;
}

Expected<void> make_venv(const std::string& python, const std::string& directory) {
  TRY(run_checked({.arguments = {python, "-m", "venv", directory}},
                  "Debian and Ubuntu keep venv in a package of its own: apt install python3-venv"));
  return {};
}

Command pip(const std::string& directory, std::vector<std::string> arguments) {
  Command command;
  command.arguments = {directory + "/bin/python", "-m", "pip", "--disable-pip-version-check",
                       "--no-input"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

constexpr std::string_view k_pip_hint =
    "check the version and the network; pip's own settings (PIP_INDEX_URL, pip.conf) apply";

/// Asks pip which version it would install; the venv that it takes to ask is thrown away.
Expected<std::string> resolve_version(const Requirement& requirement, const std::string& python) {
  TRY_ASSIGN(std::optional<BuildingSite> site,
             BuildingSite::open(fmt::format("{}@resolving", requirement.package->framework)));
  if (!site)
    return fail("an environment is named 'resolving', which is a name for opalign's own use",
                "remove its folder, or name the version to be installed");
  const std::string directory = site->directory();
  TRY(make_venv(python, directory));
  TRY_ASSIGN(const CommandResult result,
             run_checked(pip(directory, {"install", "--quiet", "--dry-run", "--no-deps",
                                         "--ignore-installed", "--report", "-", requirement.text}),
                         std::string(k_pip_hint)));
  const json answer = json::parse(result.output, nullptr, false);
  try {
    return answer.at("install").at(0).at("metadata").at("version").get<std::string>();
  } catch (const json::exception&) {
    return fail(fmt::format("pip does not say which version '{}' means", requirement.text),
                fmt::format("name the version: {}==…", requirement.package->framework));
  }
}

/// Version to label: "2.13.0+cpu" is 2.13.0, as "+" begins a transform in a runner.
std::string label_of(const std::string& version) { return version.substr(0, version.find('+')); }

Expected<void> check_name(const std::string& name) {
  Expected<RunnerSpec> spec = parse_runner_spec(name);
  if (!spec || !spec->version || name != spec->framework + "@" + *spec->version)
    return fail(fmt::format("environment '{}': expected framework@label", name),
                "for example torch@nightly");
  return {};
}

/// pip prints a line for each step; those that say what is being waited for are passed on.
void print_progress(std::string_view line) {
  for (std::string_view step : {"Collecting ", "Downloading ", "Building ", "Installing "})
    if (std::size_t at = line.find(step); at != std::string_view::npos && at <= 2)
      return say(fmt::format("  {}", line.substr(at, 100)));
}

/// Checks that the environment works, writes down what it is, and declares it whole.
Expected<void> complete(BuildingSite& site, Environment environment, json description) {
  TRY_ASSIGN(const Probe found, probe(environment));
  if (!found.framework_version.empty())
    environment.version = found.framework_version;
  description["version"] = environment.version;
  if (description.contains("python"))
    description["python"] = found.executable;
  TRY(site.finish(description.dump(2) + "\n"));
  say(fmt::format("{}: ready, {} {} in Python {}", environment.name, environment.framework,
                  environment.version, found.python_version));
  return {};
}

}  // namespace

Expected<Requirement> parse_requirement(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(" [=<>!~;@"), text.size());
  const std::string name = text.substr(0, end);
  Requirement requirement;
  requirement.package = find_framework_package(name);
  if (requirement.package == nullptr) {
    std::vector<std::string_view> known;
    for (const FrameworkPackage& entry : framework_packages()) {
      known.push_back(entry.framework);
      known.push_back(entry.package);
    }
    std::string hint = did_you_mean(name, known);
    return fail(fmt::format("'{}' is not a framework that opalign can install", name),
                hint.empty() ? "opalign env add FRAMEWORK@LABEL --python PATH adopts one" : hint);
  }
  requirement.text = std::string(requirement.package->package) + text.substr(end);
  const std::size_t equals = text.find("==");
  if (equals != std::string::npos && text.find_first_of("*,; ", equals) == std::string::npos)
    requirement.version = text.substr(equals + 2);
  return requirement;
}

Expected<void> install_environment(const std::string& text, const InstallOptions& options) {
  TRY_ASSIGN(Requirement requirement, parse_requirement(text));
  Environment environment;
  environment.framework = requirement.package->framework;
  const std::string python = options.python.empty() ? "python3" : options.python;
  if (requirement.version.empty() && options.name.empty()) {
    say(fmt::format("{}: asking pip for the version", requirement.text));
    TRY_ASSIGN(requirement.version, resolve_version(requirement, python));
    const bool has_range = requirement.text.find_first_of("<>!~") != std::string::npos;
    requirement.text += (has_range ? ",==" : "==") + requirement.version;
  }
  const std::string label = options.name.empty() ? label_of(requirement.version) : options.name;
  environment.name = environment.framework + "@" + label;
  environment.version = label;
  TRY(check_name(environment.name));
  TRY_ASSIGN(std::optional<BuildingSite> site, BuildingSite::open(environment.name));
  if (!site) {
    say(fmt::format("{} is there already", environment.name));
    return {};
  }
  say(fmt::format("{}: installing {}", environment.name, requirement.text));
  TRY(make_venv(python, site->directory()));
  std::vector<std::string> arguments{"install", "--progress-bar", "off", requirement.text};
  arguments.insert(arguments.end(), options.with.begin(), options.with.end());
  TRY(run_checked(pip(site->directory(), std::move(arguments)), std::string(k_pip_hint),
                  print_progress));
  environment.python = site->directory() + "/bin/python";
  return complete(*site, std::move(environment), json::object());
}

Expected<void> adopt_environment(const std::string& name, const InstallOptions& options) {
  TRY(check_name(name));
  if (options.python.empty())
    return fail(fmt::format("{}: expected --python PATH, the interpreter to adopt", name),
                fmt::format("to install a version: opalign env add {}==VERSION",
                            name.substr(0, name.find('@'))));
  TRY_ASSIGN(std::optional<BuildingSite> site, BuildingSite::open(name));
  if (!site)
    return fail(
        fmt::format("{} is there already", name),
        fmt::format("choose another label, or remove {}/{}", environments_directory(), name));
  Environment environment;
  environment.name = name;
  environment.framework = name.substr(0, name.find('@'));
  environment.version = name.substr(name.find('@') + 1);
  environment.python = options.python;
  json description = {{"python", options.python}};
  for (const std::string& path : options.pythonpath)
    environment.pythonpath.push_back(fs::absolute(path).string());
  if (!environment.pythonpath.empty())
    description["pythonpath"] = environment.pythonpath;
  if (!options.adapter.empty()) {
    environment.adapter = fs::absolute(options.adapter).string();
    description["adapter"] = environment.adapter;
  }
  return complete(*site, std::move(environment), std::move(description));
}

}  // namespace opalign::cli
