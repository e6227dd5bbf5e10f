// SPDX-License-Identifier: Apache-2.0
// Which cases a run still has to run, one after the other: all of its suites, the rest of a run
// that was cut short, its part of a sharded one, or those whose verdicts are asked for again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <opalign/cli/run_options.hpp>
#include <opalign/cli/suite_reader.hpp>
#include <opalign/plan/plan.hpp>

namespace opalign::cli {

class CaseSource {
 public:
  /// Reads from the run on record what --resume and --retest need.
  static Expected<CaseSource> open(const RunOptions& options);

  /// The next case to run, planned.
  [[nodiscard]] Offer<plan::Unit> next(const plan::Planner& planner);
  /// Why files could not be read to their ends.
  [[nodiscard]] const std::vector<Error>& errors() const { return m_suites.errors(); }

 private:
  struct Retest {
    std::int64_t seq = 0;
    cases::SuiteCase source;
  };

  bool m_retests = false;
  std::vector<Retest> m_again;  ///< last first
  SuiteReader m_suites;
  Shard m_shard;
  std::map<std::int64_t, std::string> m_finished;  ///< seq to id of what has a record
  std::int64_t m_next_seq = 0;
};

}  // namespace opalign::cli
