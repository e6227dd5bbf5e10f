// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/usage.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>

namespace opalign::cli {
namespace {

std::vector<std::string> commands_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

}  // namespace

Error explain(CLI::App& app, const CLI::ParseError& error, std::span<const char* const> arguments) {
  CLI::App* command = &app;
  std::string path = app.get_name();
  while (!arguments.empty()) {
    const std::vector<CLI::App*> named = command->get_subcommands(
        [&](const CLI::App* sub) { return sub->check_name(arguments.front()); });
    if (named.empty())
      break;
    command = named.front();
    path += fmt::format(" {}", arguments.front());
    arguments = arguments.subspan(1);
  }
  const std::string help = path + " --help";
  const std::vector<std::string> commands = commands_of(*command);
  if (!commands.empty() && !arguments.empty() && *arguments.front() != '-') {
    const std::string hint = did_you_mean(arguments.front(), commands);
    return {fmt::format("{} has no command '{}'", path, arguments.front()),
            hint.empty() ? help : hint};
  }
  for (const std::string_view argument : arguments) {
    const std::string name(argument.substr(0, argument.find('=')));
    if (!name.starts_with("--") || name == "--" || command->get_option_no_throw(name) != nullptr)
      continue;
    const std::string hint = did_you_mean(name, options_of(*command));
    return {fmt::format("{} has no option {}", path, name), hint.empty() ? help : hint};
  }
  return {error.what(), help};
}

}  // namespace opalign::cli
