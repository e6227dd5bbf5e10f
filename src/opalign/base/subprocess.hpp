// SPDX-License-Identifier: Apache-2.0
// Subprocess: run a command to its end, without a shell, and keep or stream what it prints. Workers
// are not run with this: they are spoken to (worker/).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <opalign/base/expected.hpp>

namespace opalign {

struct Command {
  std::vector<std::string> arguments;  ///< the program first, looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to our own
  double timeout_s = 0;                                               ///< 0: none
};

struct CommandResult {
  int exit_code = 0;
  int signal = 0;  ///< that killed it, or 0
  bool timed_out = false;
  std::string output;  ///< standard output; the last megabyte
  std::string errors;  ///< standard error; the last megabyte
  [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

using LineSink = std::function<void(std::string_view line)>;

/// Standard input is empty. `each_line` sees the lines of both streams as they come. A timeout or
/// an interrupt (interrupt.hpp) kills the command's process group; an interrupt is an error.
Expected<CommandResult> run_command(const Command& command, const LineSink& each_line = {});

/// The words as a POSIX shell reads them, quoted only where needed.
[[nodiscard]] std::string shell_quote(std::string_view word);
[[nodiscard]] std::string shell_quote(const std::vector<std::string>& words);

}  // namespace opalign
