// SPDX-License-Identifier: Apache-2.0
// The cases of a run one after the other, as the scheduler asks for them: suites, then --case
// texts.
#pragma once

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

  [[nodiscard]] Offer<cases::SuiteCase> next();
  /// Blocks until there is more to read.
  void wait() const { m_file.wait(); }
  /// Why files could not be read to their ends; reading went on with the next ones.
  [[nodiscard]] const std::vector<Error>& errors() const { return m_errors; }

 private:
  bool open_next();

  std::vector<std::string> m_files;       ///< still to be opened, last first
  std::vector<cases::SuiteCase> m_cases;  ///< given as texts, last first
  cases::SuiteFile m_file;
  bool m_in_file = false;
  std::vector<Error> m_errors;
};

}  // namespace opalign::cli
