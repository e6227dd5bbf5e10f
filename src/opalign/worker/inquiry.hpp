// SPDX-License-Identifier: Apache-2.0
// Inquiry: one worker that is asked questions (describe, compile) one at a time, waiting for each
// answer. For catalogs and diagnosis; cases are run by sched/.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <opalign/worker/forkserver.hpp>

namespace opalign::worker {

class Inquiry {
 public:
  /// Starts the forkserver and one worker; fails with what it printed if it is not ready in time.
  static Expected<Inquiry> start(const Launch& launch);

  [[nodiscard]] const std::string& version() const { return m_version; }

  /// Sends {"op": op, "id": …, members of `question`} and returns the answer.
  Expected<nlohmann::json> ask(const std::string& op, nlohmann::json question);

 private:
  Expected<nlohmann::json> wait(Channel& channel, const char* what);

  Forkserver m_server;
  Channel m_channel;
  Fd m_memory;
  std::string m_version;
  int m_next_id = 1;
};

}  // namespace opalign::worker
