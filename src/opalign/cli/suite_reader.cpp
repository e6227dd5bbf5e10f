// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/suite_reader.hpp>

#include <algorithm>
#include <utility>

namespace opalign::cli {

Expected<SuiteReader> SuiteReader::open(const std::vector<std::string>& suites,
                                        const std::vector<std::string>& cases) {
  if (suites.empty() && cases.empty())
    return fail("nothing to run",
                "give a suite, or --case 'paddle.abs(Tensor([3],\"float32\"), )'");
  SuiteReader reader;
  TRY_ASSIGN(reader.m_files, cases::expand_suites(suites));
  std::ranges::reverse(reader.m_files);
  for (auto text = cases.rbegin(); text != cases.rend(); ++text)
    reader.m_cases.push_back({*text, "<case>", 1});
  return reader;
}

bool SuiteReader::open_next() {
  while (!m_files.empty()) {
    Expected<cases::SuiteFile> file = cases::SuiteFile::open(m_files.back());
    m_files.pop_back();
    if (file) {
      m_file = std::move(*file);
      return true;
    }
    m_errors.push_back(std::move(file.error()));
  }
  return false;
}

Offer<cases::SuiteCase> SuiteReader::next() {
  while (m_in_file || open_next()) {
    m_in_file = true;
    Expected<Offer<cases::SuiteCase>> offer = m_file.next();
    if (offer && !offer->ended)
      return std::move(*offer);
    if (!offer)
      m_errors.push_back(std::move(offer.error()));
    m_in_file = false;
  }
  if (m_cases.empty())
    return {std::nullopt, true};
  Offer<cases::SuiteCase> offer{std::move(m_cases.back())};
  m_cases.pop_back();
  return offer;
}

}  // namespace opalign::cli
