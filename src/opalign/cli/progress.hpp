// SPDX-License-Identifier: Apache-2.0
// Live progress of a run on standard error: one line that redraws itself on a terminal, plain lines
// now and then where it is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include <opalign/base/judgement.hpp>

namespace opalign::cli {

class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void count(const Judgement& judgement);
  /// Draws if it is time to.
  void tick();
  /// Wipes the line, for what is to stand in its place.
  void end();

  [[nodiscard]] const std::map<std::string, std::int64_t>& verdicts() const { return m_verdicts; }
  /// By name of a KnownDifference.
  [[nodiscard]] const std::map<std::string, std::int64_t>& known() const { return m_known; }
  [[nodiscard]] std::int64_t cases() const { return m_cases; }
  [[nodiscard]] double elapsed_s() const;

 private:
  [[nodiscard]] std::string line() const;

  using Clock = std::chrono::steady_clock;
  bool m_terminal = false;
  bool m_drawn = false;
  Clock::time_point m_begun;
  Clock::time_point m_shown;
  std::int64_t m_cases = 0;
  std::map<std::string, std::int64_t> m_verdicts, m_known;
};

}  // namespace opalign::cli
