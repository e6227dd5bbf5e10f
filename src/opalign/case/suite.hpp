// SPDX-License-Identifier: Apache-2.0
// A suite: files of cases, read line by line in order. It reads text; it runs nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>

namespace opalign::cases {

/// One case's text as it stands in a suite. A statement case is a block: its lines are joined by
/// newlines, and it ends at a blank line or the end of the file. '#' starts a comment line.
struct SuiteCase {
  std::string text;
  std::string file;  ///< as the user named it; "<stdin>", "<case>"
  int line = 1;
};

/// Files (".gz" too), folders (all *.txt, *.case and their .gz below, sorted), globs, "-" (standard input).
/// An argument that matches nothing is an error with a hint. Order: as given, then sorted.
Expected<std::vector<std::string>> expand_suites(const std::vector<std::string>& arguments);

/// Reads a file lazily and calls `take` for each case until it returns false.
/// Lines longer than 1 MiB and bytes that are not UTF-8 come through as they are; parsing refuses them.
Expected<void> read_suite(const std::string& file, const std::function<bool(SuiteCase)>& take);

}  // namespace opalign::cases
