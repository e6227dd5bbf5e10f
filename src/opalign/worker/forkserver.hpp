// SPDX-License-Identifier: Apache-2.0
// Forkserver: the process that imported one framework and forks workers from it. This is opalign's
// end of its life: start, control frames, what it prints, its end. Who runs what is sched/'s.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>
#include <opalign/worker/frame.hpp>

namespace opalign::worker {

struct Launch {
  /// Interpreter, main.py, --framework …; "--control 3" is added.
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< go before our own
};

class Forkserver {
 public:
  Forkserver() = default;
  Forkserver(Forkserver&& other) noexcept { *this = std::move(other); }
  Forkserver& operator=(Forkserver&& other) noexcept;
  /// Ends the process and its workers: hangs up, and kills what is left after half a second.
  ~Forkserver();

  static Expected<Forkserver> launch(const Launch& launch);

  /// Asks for a worker numbered `number`; answers come as control frames. Returns our end of its
  /// work socket. `memory`: bytes it may allocate beyond what it has, 0 for any.
  Expected<Channel> request_worker(int number, int threads, std::size_t memory, int arena_fd,
                                   int pool_fd);

  [[nodiscard]] Channel& control() { return m_control; }
  [[nodiscard]] const Channel& control() const { return m_control; }
  /// What the process and its workers print, to poll and drain; never blocks.
  [[nodiscard]] int output_fd() const { return m_output.get(); }
  void drain_output();
  /// The last bytes of it, at most k_tail.
  [[nodiscard]] const std::string& output_tail() const { return m_tail; }
  static constexpr std::size_t k_tail = 4096;

 private:
  void end();

  Channel m_control;
  Fd m_output;
  std::string m_tail;
  pid_t m_pid = -1;
};

}  // namespace opalign::worker
