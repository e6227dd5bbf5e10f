// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/suite_reader.hpp>

#include <utility>

namespace opalign::cli {

Expected<SuiteReader> SuiteReader::open(const std::vector<std::string>& suites,
                                        const std::vector<std::string>& cases) {
  if (suites.empty() && cases.empty())
    return fail("nothing to run",
                "give a suite, or --case 'paddle.abs(Tensor([3],\"float32\"), )'");
  SuiteReader reader;
  TRY_ASSIGN(reader.m_files, cases::expand_suites(suites));
  for (const std::string& text : cases)
    reader.m_ready.push_back({text, "<case>", 1});
  return reader;
}

std::optional<cases::SuiteCase> SuiteReader::next() {
  while (m_ready.empty() && m_next_file < m_files.size()) {
    Expected<void> read = cases::read_suite(m_files[m_next_file++], [&](cases::SuiteCase found) {
      m_ready.push_back(std::move(found));
      return true;
    });
    if (!read && m_status)
      m_status = std::move(read);
  }
  if (m_ready.empty())
    return std::nullopt;
  cases::SuiteCase taken = std::move(m_ready.front());
  m_ready.pop_front();
  return taken;
}

}  // namespace opalign::cli
