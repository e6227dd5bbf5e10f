// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/filter.hpp>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>

namespace opalign::cli {

Expected<std::vector<Verdict>> parse_verdicts(const std::vector<std::string>& labels) {
  std::vector<Verdict> verdicts;
  for (const std::string& text : labels) {
    if (std::optional<Verdict> verdict = parse_verdict(text)) {
      verdicts.push_back(*verdict);
    } else if (text == "failures") {
      for (const VerdictInfo& entry : verdict_table())
        if (entry.is_failure)
          verdicts.push_back(entry.verdict);
    } else {
      std::vector<std::string_view> known{"failures"};
      for (const VerdictInfo& entry : verdict_table())
        known.push_back(entry.label);
      std::string hint = did_you_mean(text, known);
      return fail(fmt::format("'{}' is not a verdict", text),
                  hint.empty() ? "opalign verdicts lists them" : hint);
    }
  }
  return verdicts;
}

}  // namespace opalign::cli
