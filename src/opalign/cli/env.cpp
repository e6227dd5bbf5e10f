// SPDX-License-Identifier: Apache-2.0
// `opalign env`: add, list and check environments.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <unistd.h>

#include <opalign/base/environment.hpp>
#include <opalign/base/interrupt.hpp>
#include <opalign/base/subprocess.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/cli/install.hpp>
#include <opalign/cli/probe.hpp>
#include <opalign/report/style.hpp>

namespace opalign::cli {
namespace {

constexpr std::string_view k_env_examples = R"(Examples:
  opalign env add paddle==3.3.1 torch==2.13.0
  opalign env add torch --python python3.12 --with 'numpy<2'
  opalign env add paddle@build --python /usr/bin/python3 --pythonpath ~/Paddle/build/python
  opalign env list
  opalign env doctor)";

struct AddOptions {
  std::vector<std::string> wanted;
  InstallOptions install;
};

Expected<int> add(const AddOptions& options) {
  const bool only_one = !options.install.name.empty() || !options.install.pythonpath.empty() ||
                        !options.install.adapter.empty();
  if (only_one && options.wanted.size() > 1)
    return fail("--name, --pythonpath and --adapter go with one environment",
                "add the environments one by one");
  catch_interrupts();
  for (const std::string& text : options.wanted) {
    if (text.find('@') != std::string::npos)
      TRY(adopt_environment(text, options.install));
    else
      TRY(install_environment(text, options.install));
  }
  return k_exit_ok;
}

Expected<int> print_environments() {
  const std::vector<Environment> environments = list_environments();
  int name_width = 0, version_width = 0;
  for (const Environment& environment : environments) {
    name_width = std::max(name_width, report::width_of(environment.name));
    version_width = std::max(version_width, report::width_of(environment.version));
  }
  for (const Environment& environment : environments)
    fmt::print("{}  {}  {}\n", report::pad(environment.name, name_width),
               report::pad(environment.version, version_width), environment.python);
  if (environments.empty())
    fmt::print("no environments in {}; opalign env add paddle==3.3.1 makes one\n",
               environments_directory());
  return k_exit_ok;
}

/// What brings a broken environment back.
std::string mend(const std::string& directory) {
  const std::string name = std::filesystem::path(directory).filename().string();
  const std::size_t at = name.find('@');
  const std::string remove = fmt::format("rm -r {}", shell_quote(directory));
  const bool has_version = at != std::string::npos && name.find_first_of("0123456789") == at + 1;
  if (!has_version || find_framework_package(name.substr(0, at)) == nullptr)
    return remove + ", then add it again";
  return fmt::format("{} && opalign env add {}=={}", remove, name.substr(0, at),
                     name.substr(at + 1));
}

Expected<Probe> examine(const std::string& directory) {
  TRY_ASSIGN(const Environment environment, read_environment(directory));
  TRY_ASSIGN(Probe found, probe(environment));
  const std::string& version = found.framework_version;
  if (!version.empty() && version.substr(0, environment.version.size()) != environment.version &&
      !version.starts_with(environment.version.substr(0, environment.version.find('+'))))
    return fail(fmt::format("{}: expected version {}, found {}", environment.name,
                            environment.version, version));
  return found;
}

Expected<int> doctor() {
  const report::Style style = report::style_of(STDOUT_FILENO);
  bool all_well = true;
  catch_interrupts();
  for (const std::string& directory : environment_folders()) {
    const std::string name = std::filesystem::path(directory).filename().string();
    Expected<Probe> found = examine(directory);
    if (interrupt_signal() != 0)
      return fail("interrupted");
    if (found) {
      fmt::print("{}  {}  Python {}, {}, imported in {}\n",
                 report::paint(style, report::Tone::good, "ok    "), name, found->python_version,
                 found->framework_version.empty() ? "an adapter of its own"
                                                  : "version " + found->framework_version,
                 report::format_seconds(found->import_s));
    } else {
      all_well = false;
      fmt::print("{}  {}\n{}", report::paint(style, report::Tone::bad, "broken"), name,
                 report::wrap(style, 8, found.error().message));
      fmt::print("        mend: {}\n", mend(directory));
    }
    std::fflush(stdout);
  }
  if (environment_folders().empty())
    return print_environments();
  return all_well ? k_exit_ok : k_exit_usage;
}

void add_add(CLI::App& env, int& exit_code) {
  auto options = std::make_shared<AddOptions>();
  CLI::App* command = env.add_subcommand("add", "Install frameworks, each in a venv, or adopt one");
  command
      ->add_option("WHAT", options->wanted,
                   "What pip installs (paddle==3.3.1), or framework@label to adopt --python")
      ->required();
  command->add_option("--python", options->install.python,
                      "Interpreter to make the venv with, or to adopt (default: python3)");
  command->add_option("--name", options->install.name, "Label in place of the version");
  command->add_option("--with", options->install.with, "A further requirement for pip")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--pythonpath", options->install.pythonpath,
                   "Folder with modules of an adopted interpreter")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--adapter", options->install.adapter,
                      "Adapter of a framework that opalign does not know");
  command->footer(std::string(k_env_examples));
  set_action(*command, exit_code, [options] { return add(*options); });
}

}  // namespace

void add_env(CLI::App& app, int& exit_code) {
  CLI::App* env = app.add_subcommand("env", "Add, list and check environments");
  env->require_subcommand(1);
  env->footer(std::string(k_env_examples));
  add_add(*env, exit_code);
  set_action(*env->add_subcommand("list", "List the environments"), exit_code, print_environments);
  set_action(*env->add_subcommand("doctor", "Check that each environment works"), exit_code,
             doctor);
}

}  // namespace opalign::cli
