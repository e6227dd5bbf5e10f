// SPDX-License-Identifier: Apache-2.0
// The cases of a run one after the other, as the scheduler asks for them: suites, then --case
// texts.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/case/suite.hpp>

namespace opalign::cli {

class SuiteReader {
 public:
  SuiteReader() = default;  ///< has no case
  /// Fails if an argument matches nothing, or if there is neither a suite nor a case.
  static Expected<SuiteReader> open(const std::vector<std::string>& suites,
                                    const std::vector<std::string>& cases);

  [[nodiscard]] std::optional<cases::SuiteCase> next();
  /// The first file that could not be read to its end; reading went on with the next one.
  [[nodiscard]] const Expected<void>& status() const { return m_status; }

 private:
  std::vector<std::string> m_files;
  std::size_t m_next_file = 0;
  std::deque<cases::SuiteCase> m_ready;
  Expected<void> m_status;
};

}  // namespace opalign::cli
