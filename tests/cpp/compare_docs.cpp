// SPDX-License-Identifier: Apache-2.0
// docs/verdicts.md lists every verdict, stage, reason and policy, in the words of the tables.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <opalign/base/verdict.hpp>
#include <opalign/compare/compare.hpp>

using namespace opalign;

TEST_CASE("compare: docs/verdicts.md repeats the closed lists") {
  std::ifstream file(OPALIGN_TEST_DIR "/../docs/verdicts.md");
  std::stringstream content;
  content << file.rdbuf();
  const std::string page = content.str();
  const auto says = [&](const std::string& text) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  };
  for (const VerdictInfo& entry : verdict_table())
    says(fmt::format("| `{}` | {} | {} |\n", entry.label, entry.is_failure ? "yes" : "no",
                     entry.meaning));
  for (int stage = 1; stage <= static_cast<int>(Stage::fetch); ++stage)
    says(fmt::format("`{}`", label(static_cast<Stage>(stage))));
  for (int reason = 1; reason <= static_cast<int>(Reason::no_such_dtype); ++reason)
    says(fmt::format("| `{}` | ", label(static_cast<Reason>(reason))));
  for (std::string_view policy : compare::policy_names())
    says(fmt::format("| `{}` | ", policy));
}
