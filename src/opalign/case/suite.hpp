// SPDX-License-Identifier: Apache-2.0
// A suite: files of cases, read line by line in order. It reads text; it runs nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/offer.hpp>
#include <opalign/case/line_reader.hpp>

namespace opalign::cases {

/// One case's text as it stands in a suite: a line, or a block. A block begins at a line
/// `identifier = …` and ends before a blank line or at the end of the file; its lines are joined by
/// newlines. Outside of blocks, blank lines and lines that start with '#' are skipped.
struct SuiteCase {
  std::string text;
  std::string file;  ///< as the user named it; "<stdin>", "<case>"
  int line = 1;
};

/// Files (".gz" too), folders (all *.txt, *.case and their .gz below, sorted), globs, "-" (standard
/// input). An argument that matches nothing is an error with a hint. Order: as given, then sorted.
Expected<std::vector<std::string>> expand_suites(const std::vector<std::string>& arguments);

/// A suite's file, read as far as cases are asked for and as far as it has come.
class SuiteFile {
 public:
  SuiteFile() = default;
  static Expected<SuiteFile> open(const std::string& file);

  /// Bytes that are not UTF-8 come through as they are, lines longer than 1 MiB cut to one byte
  /// more; parsing refuses both. After an error there is no more.
  Expected<Offer<SuiteCase>> next();
  /// Blocks until there is more to read.
  void wait() const { m_lines.wait(); }

 private:
  SuiteCase take_block();

  std::string m_shown;
  LineReader m_lines;
  int m_number = 0;     ///< of the last line read
  std::string m_block;  ///< the statement case being read, empty outside of one
  int m_block_line = 0;
};

/// Reads a file, waiting where it must, and calls `take` for each case until it returns false.
Expected<void> read_suite(const std::string& file, const std::function<bool(SuiteCase)>& take);

}  // namespace opalign::cases
