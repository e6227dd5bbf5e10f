// SPDX-License-Identifier: Apache-2.0
// Frames of the worker protocol (docs/protocol.md) on a socket: 4-byte little-endian length, JSON.
// It moves bytes; it does not read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>

namespace opalign::worker {

inline constexpr std::size_t k_max_frame = std::size_t{64} << 20;

/// One end of a socket pair, non-blocking. Frames out are queued and written as the peer takes
/// them.
class Channel {
 public:
  Channel() = default;
  explicit Channel(Fd socket);

  enum class State { open, closed, broken };

  /// Reads what is there. Complete frames are appended to `frames`; of descriptors that came along
  /// the first waits for take_fds. `broken` if a length is beyond k_max_frame.
  State receive(std::vector<std::string>& frames);
  /// Queues a frame. One with descriptors is written at once, and lost if the peer takes nothing.
  void send(std::string_view json, std::vector<int> fds = {});
  /// Writes as much of the queue as the peer takes.
  State flush();

  [[nodiscard]] bool wants_write() const { return m_sent < m_out.size(); }
  [[nodiscard]] int fd() const { return m_socket.get(); }
  [[nodiscard]] std::vector<Fd> take_fds() { return std::move(m_fds); }

 private:
  Fd m_socket;
  std::string m_in;
  std::string m_out;
  std::size_t m_sent = 0;
  std::vector<Fd> m_fds;
};

/// A connected pair of stream sockets; both close on exec.
Expected<std::pair<Fd, Fd>> make_socket_pair();

}  // namespace opalign::worker
