// SPDX-License-Identifier: Apache-2.0
// Summary: a run in a few numbers, for the end of a run and for programs that watch runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <opalign/report/style.hpp>

namespace opalign::report {

struct Summary {
  std::int64_t cases = 0;
  std::map<std::string, std::int64_t> verdicts;  ///< by label
  std::map<std::string, std::int64_t> known;     ///< by name of a known difference
  double wall_s = 0;
  double cases_per_s = 0;
  double busy = 0;  ///< share of the workers' time that was spent on cases, 0 to 1
};

/// {"cases":…, "verdicts":{label: n, …}, "known":{name: n, …}, "wall_s":…, "cases_per_s":…,
/// "busy":…}, indented, with a line end; the verdicts that occurred, in the order of the verdict
/// table.
[[nodiscard]] std::string to_json(const Summary& summary);

/// The lines that end a run.
[[nodiscard]] std::string to_text(const Summary& summary, const Style& style);

/// One line a verdict: how many, which share, what it means; failures first, then by number.
[[nodiscard]] std::string verdict_lines(const std::map<std::string, std::int64_t>& verdicts,
                                        const Style& style);

/// One line for each known difference that cases showed, the most frequent first.
[[nodiscard]] std::string known_lines(const std::map<std::string, std::int64_t>& known,
                                      const Style& style);

}  // namespace opalign::report
