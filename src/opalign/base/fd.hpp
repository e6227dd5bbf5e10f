// SPDX-License-Identifier: Apache-2.0
// Fd: an owned file descriptor, closed once.
#pragma once

#include <utility>

namespace opalign {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : m_fd(fd) {}
  Fd(Fd&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.m_fd, -1));
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }
  void reset(int fd = -1);
  /// Gives it to someone else to close.
  int release() { return std::exchange(m_fd, -1); }

 private:
  int m_fd = -1;
};

}  // namespace opalign
