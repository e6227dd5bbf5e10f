// SPDX-License-Identifier: Apache-2.0
// Lists of verdicts as options have them: --verdict, --retest, --fail-on.
#pragma once

#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/verdict.hpp>

namespace opalign::cli {

/// Labels to verdicts; "failures" stands for all that are failures.
Expected<std::vector<Verdict>> parse_verdicts(const std::vector<std::string>& labels);

}  // namespace opalign::cli
