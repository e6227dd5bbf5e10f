// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/inquiry.hpp>

#include <chrono>

#include <fmt/format.h>
#include <poll.h>

#include <opalign/worker/mapping.hpp>

namespace opalign::worker {
namespace {

/// Imports on a loaded machine take long; answers do not.
constexpr std::chrono::seconds k_patience{120};
constexpr std::size_t k_memory_bytes = std::size_t{16} << 20;

}  // namespace

Expected<nlohmann::json> Inquiry::wait(Channel& channel, const char* what) {
  const auto deadline = std::chrono::steady_clock::now() + k_patience;
  while (std::chrono::steady_clock::now() < deadline) {
    std::vector<std::string> frames;
    channel.flush();
    const Channel::State state = channel.receive(frames);
    m_server.drain_output();
    if (!frames.empty()) {
      nlohmann::json frame = nlohmann::json::parse(frames.front(), nullptr, false);
      if (frame.is_object())
        return frame;
    }
    if (state != Channel::State::open || !frames.empty())
      return fail(fmt::format("the worker ended while it was asked for {}\n{}", what,
                              m_server.output_tail()),
                  "try: opalign env doctor");
    pollfd polls[] = {{channel.fd(), POLLIN, 0}, {m_server.output_fd(), POLLIN, 0}};
    ::poll(polls, 2, 100);
  }
  return fail(fmt::format("the worker did not answer: {}", what), "try: opalign env doctor");
}

Expected<Inquiry> Inquiry::start(const Launch& launch) {
  Inquiry inquiry;
  TRY_ASSIGN(inquiry.m_server, Forkserver::launch(launch));
  TRY_ASSIGN(const nlohmann::json hello, inquiry.wait(inquiry.m_server.control(), "its import"));
  if (hello.value("op", "") != "hello")
    return fail(hello.value("message", "the import failed"), "try: opalign env doctor");
  inquiry.m_version = hello.value("version", "");
  TRY_ASSIGN(inquiry.m_memory, make_memfd("opalign-inquiry", k_memory_bytes));
  TRY_ASSIGN(inquiry.m_channel, inquiry.m_server.request_worker(1, 1, 0, inquiry.m_memory.get(),
                                                                inquiry.m_memory.get()));
  TRY(inquiry.wait(inquiry.m_channel, "its start"));
  return inquiry;
}

Expected<nlohmann::json> Inquiry::ask(const std::string& op, nlohmann::json question) {
  question["op"] = op;
  question["id"] = m_next_id++;
  m_channel.send(question.dump());
  return wait(m_channel, op.c_str());
}

}  // namespace opalign::worker
