// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/subprocess.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <opalign/base/interrupt.hpp>

namespace opalign {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_kept_bytes = 1 << 20;

/// One of the command's output streams.
struct Stream {
  int fd = -1;
  std::string* kept = nullptr;
  std::string line;  ///< begun, not yet ended

  ~Stream() { close(); }
  void close() {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
  }

  /// Reads once; false when the stream has ended.
  bool take(const LineSink& each_line) {
    std::array<char, 16384> buffer;
    ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      return true;
    if (n <= 0) {
      if (each_line && !line.empty())
        each_line(line);
      return false;
    }
    std::string_view text(buffer.data(), static_cast<std::size_t>(n));
    kept->append(text);
    if (kept->size() > 2 * k_kept_bytes)
      kept->erase(0, kept->size() - k_kept_bytes);
    for (char c : text) {
      if (c != '\n') {
        if (line.size() < k_kept_bytes)
          line += c;
        continue;
      }
      if (each_line)
        each_line(line);
      line.clear();
    }
    return true;
  }
};

std::vector<std::string> merged_environment(const Command& command) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::none_of(command.environment, [&](auto& added) { return added.first == name; }))
      merged.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment)
    merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// In a process group of its own, so that what it started can be killed with it.
Expected<pid_t> spawn(const Command& command, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command);
  pid_t pid = 0;
  int code = posix_spawnp(&pid, arguments.front().c_str(), &actions, &attributes,
                          pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    return fail(
        fmt::format("{}: cannot be run: {}", command.arguments.front(), std::strerror(code)));
  return pid;
}

int milliseconds_left(const Command& command, Clock::time_point start) {
  if (command.timeout_s <= 0)
    return -1;
  std::chrono::duration<double> spent = Clock::now() - start;
  return std::max(0, static_cast<int>((command.timeout_s - spent.count()) * 1e3));
}

}  // namespace

Expected<CommandResult> run_command(const Command& command, const LineSink& each_line) {
  CommandResult result;
  std::array<int, 2> output{}, errors{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0)
    return fail(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  Stream out{output[0], &result.output, {}};
  Stream out_end{output[1], nullptr, {}};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0)
    return fail(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  Stream err{errors[0], &result.errors, {}};
  Stream err_end{errors[1], nullptr, {}};
  TRY_ASSIGN(pid_t pid, spawn(command, output[1], errors[1]));
  out_end.close();
  err_end.close();

  Clock::time_point start = Clock::now();
  bool interrupted = false;
  while (out.fd >= 0 || err.fd >= 0) {
    std::array<pollfd, 3> polled{
        {{out.fd, POLLIN, 0}, {err.fd, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}}};
    int ready = ::poll(polled.data(), polled.size(), milliseconds_left(command, start));
    interrupted = interrupt_signal() != 0;
    result.timed_out = !interrupted && ready == 0;
    if (interrupted || result.timed_out) {
      ::kill(-pid, SIGKILL);
      break;
    }
    if (polled[0].revents != 0 && !out.take(each_line))
      out.close();
    if (polled[1].revents != 0 && !err.take(each_line))
      err.close();
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (interrupted)
    return fail("interrupted");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(safe) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string shell_quote(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + shell_quote(word);
  return line;
}

}  // namespace opalign
