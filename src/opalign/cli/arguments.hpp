// SPDX-License-Identifier: Apache-2.0
// Arguments that several subcommands take: RUN, lists of verdicts, --catalog. Each subcommand
// declares what is its own.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <opalign/base/expected.hpp>
#include <opalign/base/verdict.hpp>
#include <opalign/catalog/catalog.hpp>

namespace opalign::cli {

/// RUN, as store::Reader::open takes it.
void declare_run(CLI::App& command, std::string& run);
/// The error where no record of RUN has an id that begins with ID.
[[nodiscard]] tl::unexpected<Error> no_record(const std::string& run, const std::string& id);

/// --verdict, for parse_verdicts.
void declare_verdicts(CLI::App& command, std::vector<std::string>& labels);
/// Labels to verdicts; "failures" stands for all that are failures.
Expected<std::vector<Verdict>> parse_verdicts(const std::vector<std::string>& labels);

/// --catalog, for load_catalog.
void declare_catalog(CLI::App& command, std::string& directory);
/// The shipped catalog where `directory` is empty.
Expected<catalog::Catalog> load_catalog(const std::string& directory);

}  // namespace opalign::cli
