// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/forkserver.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace opalign::worker {
namespace {

constexpr int k_control_fd = 3;
constexpr int k_farewell_ms = 500;

/// Everything a child needs, made before fork: after it only async-signal-safe calls are allowed.
struct ExecImage {
  std::vector<char*> arguments;
  std::vector<std::string> environment_text;
  std::vector<char*> environment;
};

ExecImage make_image(const Launch& launch, std::vector<std::string>& arguments) {
  ExecImage image;
  for (std::string& argument : arguments)
    image.arguments.push_back(argument.data());
  image.arguments.push_back(nullptr);
  const auto is_replaced = [&](std::string_view text) {
    for (const auto& [name, value] : launch.environment)
      if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
        return true;
    return false;
  };
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_replaced(*entry))
      image.environment_text.emplace_back(*entry);
  for (const auto& [name, value] : launch.environment)
    image.environment_text.push_back(fmt::format("{}={}", name, value));
  for (std::string& text : image.environment_text)
    image.environment.push_back(text.data());
  image.environment.push_back(nullptr);
  return image;
}

[[noreturn]] void run_child(const ExecImage& image, pid_t parent, int control, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)  // it died before the call above
    ::_exit(127);
  ::setpgid(0, 0);  // a Ctrl-C is for opalign to handle
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (control == k_control_fd)
    ::fcntl(control, F_SETFD, 0);
  else
    ::dup2(control, k_control_fd);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(image.arguments.front(), image.arguments.data(), image.environment.data());
  ::_exit(127);
}

}  // namespace

Forkserver& Forkserver::operator=(Forkserver&& other) noexcept {
  end();
  m_control = std::move(other.m_control);
  m_output = std::move(other.m_output);
  m_tail = std::move(other.m_tail);
  m_pid = std::exchange(other.m_pid, -1);
  return *this;
}

Forkserver::~Forkserver() { end(); }

void Forkserver::end() {
  if (m_pid <= 0)
    return;
  // Hang up, and let it reap its workers: then their CPU time is in ours, for whoever measures.
  m_control = Channel();
  for (int waited_ms = 0; waited_ms < k_farewell_ms; ++waited_ms) {
    if (::waitpid(m_pid, nullptr, WNOHANG) == m_pid) {
      m_pid = -1;
      return;
    }
    drain_output();
    ::usleep(1000);
  }
  ::kill(m_pid, SIGKILL);
  ::waitpid(m_pid, nullptr, 0);
  m_pid = -1;
}

Expected<Forkserver> Forkserver::launch(const Launch& launch) {
  TRY_ASSIGN(auto sockets, make_socket_pair());
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0)
    return fail(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  Fd output_read(pipe_fds[0]);
  const Fd output_write(pipe_fds[1]);
  ::fcntl(output_read.get(), F_SETFL, O_NONBLOCK);

  std::vector<std::string> arguments = launch.arguments;
  arguments.insert(arguments.end(), {"--control", fmt::to_string(k_control_fd)});
  const ExecImage image = make_image(launch, arguments);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return fail(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0)
    run_child(image, parent, sockets.second.get(), output_write.get());

  Forkserver server;
  server.m_pid = pid;
  server.m_control = Channel(std::move(sockets.first));
  server.m_output = std::move(output_read);
  return server;
}

Expected<Channel> Forkserver::request_worker(int number, int threads, std::size_t memory,
                                             int arena_fd, int pool_fd) {
  TRY_ASSIGN(auto sockets, make_socket_pair());
  m_control.send(fmt::format(R"({{"op":"fork","worker":{},"threads":{},"memory":{}}})", number,
                             threads, memory),
                 {sockets.second.get(), arena_fd, pool_fd});
  return Channel(std::move(sockets.first));
}

void Forkserver::drain_output() {
  if (!m_output)
    return;
  char buffer[16384];
  // Four turns at most: a flood must not keep the loop from its other work.
  for (int turn = 0; turn < 4; ++turn) {
    const ssize_t got = ::read(m_output.get(), buffer, sizeof buffer);
    if (got == 0)
      m_output.reset();  // a closed pipe is always ready: polling it would spin
    if (got <= 0)
      return;
    m_tail.append(buffer, static_cast<std::size_t>(got));
    if (m_tail.size() > k_tail)
      m_tail.erase(0, m_tail.size() - k_tail);
  }
}

}  // namespace opalign::worker
