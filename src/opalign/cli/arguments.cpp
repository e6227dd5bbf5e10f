// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/arguments.hpp>

#include <fmt/format.h>

#include <opalign/base/resources.hpp>
#include <opalign/base/suggest.hpp>

namespace opalign::cli {

void declare_run(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, "Folder of a run, or its run.db")->required();
}

tl::unexpected<Error> no_record(const std::string& run, const std::string& id) {
  return fail(fmt::format("{}: no record has an id that begins with '{}'", run, id),
              fmt::format("opalign show {} --verdict failures lists those that fail", run));
}

void declare_verdicts(CLI::App& command, std::vector<std::string>& labels) {
  command.add_option("--verdict", labels, "Only these; 'failures': all that fail")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

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

void declare_catalog(CLI::App& command, std::string& directory) {
  command.add_option("--catalog", directory, "Catalog directory (default: the shipped one)");
}

Expected<catalog::Catalog> load_catalog(const std::string& directory) {
  if (!directory.empty())
    return catalog::Catalog::load(directory);
  TRY_ASSIGN(const std::string shipped, resource("catalog"));
  return catalog::Catalog::load(shipped);
}

}  // namespace opalign::cli
