// SPDX-License-Identifier: Apache-2.0
// JSON lines: one record a line, for programs.
//
//   {"case":…, "id":…, "verdict":…, "stage":…, "reason":…, "message":…, "file":…, "line":…,
//   "api":…,
//    "wall_s":…, "runners":[{"runner":…, "status":…, "forward_s":…, "backward_s":…}…]}
//
// What is known by design also has "known", the names of the catalog's entries, before "runners".
// A runner that failed also has those of "error_class", "error_type", "error_stage", "message",
// "trace", "signal", "exit_code" that say something.
#pragma once

#include <string>

#include <opalign/store/store.hpp>

namespace opalign::report {

/// Without a line end. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json_line(const store::Record& record);

}  // namespace opalign::report
