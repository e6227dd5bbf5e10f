// SPDX-License-Identifier: Apache-2.0
// Overview: a run on one page: verdicts, then the APIs that fail, worst first.
#pragma once

#include <cstdint>
#include <string>

#include <opalign/base/expected.hpp>
#include <opalign/report/style.hpp>
#include <opalign/store/store.hpp>

namespace opalign::report {

/// At most `limit` APIs; 0: all.
Expected<std::string> render_overview(const store::Reader& reader, std::int64_t limit,
                                      const Style& style);

}  // namespace opalign::report
