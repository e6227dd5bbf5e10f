// SPDX-License-Identifier: Apache-2.0
// Reading: cases, which are lines or blocks of them, out of a file.
#include <opalign/case/suite.hpp>

#include <string_view>
#include <utility>

#include <opalign/case/characters.hpp>
#include <opalign/case/parser.hpp>

namespace opalign::cases {
namespace {

std::string_view trim(std::string_view line) {
  while (!line.empty() && is_blank(line.front()))
    line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back()))
    line.remove_suffix(1);
  return line;
}

/// `name = …`: the first line of a statement case.
bool starts_block(std::string_view line) {
  std::size_t at = 0;
  if (line.empty() || !is_word_start(line.front()))
    return false;
  while (at < line.size() && is_word(line[at]))
    ++at;
  while (at < line.size() && is_blank(line[at]))
    ++at;
  return at < line.size() && line[at] == '=';
}

}  // namespace

Expected<SuiteFile> SuiteFile::open(const std::string& file) {
  SuiteFile suite;
  suite.m_shown = file == "-" ? "<stdin>" : file;
  TRY_ASSIGN(suite.m_lines, LineReader::open(file, suite.m_shown));
  return suite;
}

Expected<Offer<SuiteCase>> SuiteFile::next() {
  while (true) {
    TRY_ASSIGN(Offer<std::string> line, m_lines.next());
    if (!line.item) {
      if (line.ended && !m_block.empty())
        return Offer<SuiteCase>{take_block()};
      return Offer<SuiteCase>{std::nullopt, line.ended};
    }
    ++m_number;
    std::string text = std::move(*line.item);
    if (m_number == 1 && text.starts_with("\xEF\xBB\xBF"))
      text.erase(0, 3);
    if (text.ends_with('\r'))
      text.pop_back();
    const std::string_view trimmed = trim(text);
    if (!m_block.empty() && trimmed.empty())
      return Offer<SuiteCase>{take_block()};
    if (!m_block.empty()) {
      if (m_block.size() <= k_max_text)
        m_block.append("\n").append(text);
    } else if (starts_block(trimmed)) {
      m_block = std::move(text);
      m_block_line = m_number;
    } else if (!trimmed.empty() && trimmed.front() != '#') {
      return Offer<SuiteCase>{{{std::move(text), m_shown, m_number}}};
    }
  }
}

SuiteCase SuiteFile::take_block() { return {std::exchange(m_block, {}), m_shown, m_block_line}; }

Expected<void> read_suite(const std::string& file, const std::function<bool(SuiteCase)>& take) {
  TRY_ASSIGN(SuiteFile suite, SuiteFile::open(file));
  while (true) {
    TRY_ASSIGN(Offer<SuiteCase> offer, suite.next());
    if (offer.ended || (offer.item && !take(std::move(*offer.item))))
      return {};
    if (!offer.item)
      suite.wait();
  }
}

}  // namespace opalign::cases
