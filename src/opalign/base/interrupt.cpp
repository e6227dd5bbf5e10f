// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/interrupt.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace opalign {
namespace {

std::atomic<int> g_signal = 0;
std::atomic<int> g_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

void note(int signal) {
  int saved = errno;
  g_signal.store(signal);
  std::uint64_t one = 1;
  // Nothing can be done about a failure in here; interrupt_signal() still tells.
  [[maybe_unused]] ssize_t n = ::write(g_fd.load(), &one, sizeof one);
  errno = saved;
}

}  // namespace

void catch_interrupts() {
  if (g_fd.load() < 0)
    g_fd.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

int interrupt_signal() { return g_signal.load(); }
int interrupt_fd() { return g_fd.load(); }

}  // namespace opalign
