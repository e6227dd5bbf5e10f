// SPDX-License-Identifier: Apache-2.0
// `opalign verdicts`: the words of a verdict, for people who read reports.
#include <algorithm>

#include <fmt/format.h>

#include <unistd.h>

#include <opalign/base/verdict.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/report/style.hpp>

namespace opalign::cli {
namespace {

Expected<int> print_verdicts() {
  const report::Style style = report::style_of(STDOUT_FILENO);
  int width = 0;
  for (const VerdictInfo& entry : verdict_table())
    width = std::max(width, report::width_of(entry.label));
  for (const VerdictInfo& entry : verdict_table())
    fmt::print(
        "{}  {}  {}\n",
        report::paint(style, report::tone_of(entry.verdict), report::pad(entry.label, width)),
        entry.is_failure ? "fails" : "     ", entry.meaning);
  fmt::print(
      "\nA run with a verdict that fails ends with exit code {}; --fail-on chooses others.\n",
      k_exit_differences);
  return k_exit_ok;
}

}  // namespace

void add_verdicts(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("verdicts", "Explain the verdicts");
  set_action(*command, exit_code, print_verdicts);
}

}  // namespace opalign::cli
