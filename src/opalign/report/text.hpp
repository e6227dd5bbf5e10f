// SPDX-License-Identifier: Apache-2.0
// Text: one record for a person: what was called, what came of it, where it differs, how to run it
// again.
#pragma once

#include <string>

#include <opalign/report/style.hpp>
#include <opalign/store/store.hpp>

namespace opalign::report {

[[nodiscard]] std::string render_record(const store::Record& record, const store::Facts& facts,
                                        const Style& style);

/// Two lines on a terminal; without a width one line with tabs: id, verdict, stage, reason, API,
/// place, message.
[[nodiscard]] std::string render_line(const store::Record& record, const Style& style);

/// The command that runs this case again, for a POSIX shell.
[[nodiscard]] std::string rerun_command(const store::Record& record, const store::Facts& facts);

}  // namespace opalign::report
