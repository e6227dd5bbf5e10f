// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/frame.hpp>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

namespace opalign::worker {
namespace {

constexpr std::size_t k_max_fds = 16;

/// Linux has one number for EAGAIN and EWOULDBLOCK.
bool would_block(int error) { return error == EAGAIN; }

std::size_t length_at(const std::string& bytes, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + k]));
  };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

}  // namespace

Channel::Channel(Fd socket) : m_socket(std::move(socket)) {
  ::fcntl(m_socket.get(), F_SETFL, O_NONBLOCK);
}

Channel::State Channel::receive(std::vector<std::string>& frames) {
  char buffer[65536];
  alignas(cmsghdr) char control[CMSG_SPACE(k_max_fds * sizeof(int))];
  State state = State::open;
  // A flooding peer gets one mebibyte a turn, so that the others are served too.
  for (std::size_t turn = 0; turn < 16; ++turn) {
    iovec io{buffer, sizeof buffer};
    msghdr message{};
    message.msg_iov = &io;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(m_socket.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0) {
      if (errno == EINTR)
        continue;
      if (!would_block(errno))
        state = State::closed;
      break;
    }
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        continue;
      for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
        Fd received(fd);
        if (m_fds.empty())  // no frame brings more; the others close here
          m_fds.push_back(std::move(received));
      }
    }
    if (got == 0) {
      state = State::closed;
      break;
    }
    m_in.append(buffer, static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < sizeof buffer)
      break;
  }

  std::size_t at = 0;
  while (m_in.size() - at >= 4) {
    const std::size_t length = length_at(m_in, at);
    if (length > k_max_frame)
      return State::broken;
    if (m_in.size() - at - 4 < length)
      break;
    frames.push_back(m_in.substr(at + 4, length));
    at += 4 + length;
  }
  m_in.erase(0, at);
  return state;
}

void Channel::send(std::string_view json, std::vector<int> fds) {
  const std::size_t length = json.size();
  const char head[4] = {static_cast<char>(length), static_cast<char>(length >> 8),
                        static_cast<char>(length >> 16), static_cast<char>(length >> 24)};
  if (m_sent == m_out.size()) {
    m_out.clear();
    m_sent = 0;
  }
  if (fds.empty()) {
    m_out.append(head, 4);
    m_out.append(json);
    return;
  }
  // Descriptors ride on the head of their frame, written at once: control frames are rare and
  // small, and the socket is empty when they are sent.
  std::string frame(head, 4);
  frame.append(json);
  iovec io{frame.data(), frame.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(k_max_fds * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr* c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  const ssize_t wrote = ::sendmsg(m_socket.get(), &message, MSG_NOSIGNAL);
  if (wrote >= 0)
    m_out.append(frame, static_cast<std::size_t>(wrote));
}

Channel::State Channel::flush() {
  while (m_sent < m_out.size()) {
    const ssize_t wrote =
        ::send(m_socket.get(), m_out.data() + m_sent, m_out.size() - m_sent, MSG_NOSIGNAL);
    if (wrote < 0) {
      if (errno == EINTR)
        continue;
      return would_block(errno) ? State::open : State::closed;
    }
    m_sent += static_cast<std::size_t>(wrote);
  }
  return State::open;
}

Expected<std::pair<Fd, Fd>> make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return fail(fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  return std::pair(Fd(fds[0]), Fd(fds[1]));
}

}  // namespace opalign::worker
