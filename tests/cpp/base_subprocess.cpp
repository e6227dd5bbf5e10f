// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <vector>

#include <doctest/doctest.h>

#include <opalign/base/subprocess.hpp>

using namespace opalign;

TEST_CASE("subprocess: output, errors, exit code, environment") {
  Expected<CommandResult> result =
      run_command({.arguments = {"sh", "-c", "echo out $WORD; echo err >&2; cat; exit 3"},
                   .environment = {{"WORD", "a b"}}});
  REQUIRE(result);
  CHECK(result->output == "out a b\n");
  CHECK(result->errors == "err\n");
  CHECK(result->exit_code == 3);
  CHECK_FALSE(result->succeeded());
}

TEST_CASE("subprocess: lines come one by one, the last without its end too") {
  std::vector<std::string> lines;
  Expected<CommandResult> result =
      run_command({.arguments = {"printf", "one\\ntwo\\n\\nthree"}},
                  [&](std::string_view line) { lines.emplace_back(line); });
  REQUIRE(result);
  CHECK(result->succeeded());
  CHECK(lines == std::vector<std::string>{"one", "two", "", "three"});
}

TEST_CASE("subprocess: a timeout kills what the command started, too") {
  Expected<CommandResult> result =
      run_command({.arguments = {"sh", "-c", "sleep 600 & sleep 600"}, .timeout_s = 0.1});
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(result->signal == SIGKILL);
  CHECK_FALSE(result->succeeded());
}

TEST_CASE("subprocess: much output does not block, its end is kept") {
  Expected<CommandResult> result =
      run_command({.arguments = {"sh", "-c", "head -c 9000000 /dev/zero; printf end"}});
  REQUIRE(result);
  CHECK(result->succeeded());
  CHECK(result->output.size() <= 2u << 20);
  CHECK(result->output.ends_with("end"));
}

TEST_CASE("subprocess: a program that is not there") {
  Expected<CommandResult> result = run_command({.arguments = {"/no/such/program"}});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "/no/such/program: cannot be run: No such file or directory");
}

TEST_CASE("subprocess: words are quoted for a shell") {
  for (const char* word :
       {"plain", "", "a b", "it's", "$x `y` \"z\" \\", "a\nb", "*?[]{}~!#&;|<>()"}) {
    CAPTURE(word);
    Expected<CommandResult> result =
        run_command({.arguments = {"sh", "-c", "printf %s " + shell_quote(word)}});
    REQUIRE(result);
    CHECK(result->output == word);
  }
  CHECK(shell_quote({"opalign", "run", "--case", "f(1)"}) == "opalign run --case 'f(1)'");
}
