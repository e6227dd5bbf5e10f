// SPDX-License-Identifier: Apache-2.0
// Which of an entry's known differences hold for a call, against which reference. What comes of the
// call is not known here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <opalign/base/known.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::plan {

/// For each reference (`frameworks` has the target first) what holds; empty where nothing does.
[[nodiscard]] std::vector<std::vector<KnownDifference>> known_differences(
    const catalog::Entry& entry, const catalog::Bound& bound, std::span<const Input> inputs,
    std::span<const std::string> frameworks);

}  // namespace opalign::plan
