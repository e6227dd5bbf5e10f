// SPDX-License-Identifier: Apache-2.0
// `opalign`: the list of subcommands, and the edge where errors become exit codes.
#include <opalign/cli/command.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>

#include <fmt/format.h>

#include <opalign/base/resources.hpp>
#include <opalign/cli/usage.hpp>

namespace opalign::cli {
namespace {

constexpr std::string_view k_footer = R"(Examples:
  opalign env add paddle==3.3.1 torch==2.13.0
  opalign run cases.txt --target paddle --reference torch
  opalign show opalign-run-20260101-120000-1
  opalign export opalign-run-20260101-120000-1 --format jsonl --verdict differs

Exit codes: 0 nothing failed, 1 differences, 2 usage or configuration, 3 a bug of opalign,
130 interrupted.
'opalign COMMAND --help' says more.)";

using AddCommand = void (*)(CLI::App& app, int& exit_code);

constexpr std::array<AddCommand, 9> k_commands{
    add_run,   add_show,    add_repro, add_export,   add_merge,
    add_cases, add_catalog, add_env,   add_verdicts,
};

int run(int argc, char** argv) {
  CLI::App app("Runs one operator call on two or more frameworks and says who is wrong.",
               "opalign");
  int exit_code = k_exit_ok;
  app.set_version_flag("--version", fmt::format("opalign {}", version()));
  app.require_subcommand(1);
  app.footer(std::string(k_footer));
  for (AddCommand add : k_commands)
    add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)  // --help and --version
      return app.exit(error);
    print_error(explain(app, error, std::span<const char* const>(argv, argv + argc).subspan(1)));
    return k_exit_usage;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error({fmt::format("standard output: cannot be written: {}", std::strerror(errno)), ""});
    return k_exit_usage;
  }
  return exit_code;
}

}  // namespace

void print_error(const Error& error) { fmt::print(stderr, "opalign: error: {}\n", error.text()); }

void set_action(CLI::App& command, int& exit_code, Action action) {
  command.callback([&exit_code, action = std::move(action)] {
    Expected<int> result = action();
    if (!result)
      print_error(result.error());
    exit_code = result ? *result : k_exit_usage;
  });
}

}  // namespace opalign::cli

int main(int argc, char** argv) {
  try {
    return opalign::cli::run(argc, argv);
  } catch (const std::exception& error) {
    opalign::cli::print_error({fmt::format("internal error: {}", error.what()),
                               "this is a bug of opalign: please report it with the command"});
  } catch (...) {
    opalign::cli::print_error({"internal error", "this is a bug of opalign: please report it"});
  }
  return opalign::cli::k_exit_internal;
}
