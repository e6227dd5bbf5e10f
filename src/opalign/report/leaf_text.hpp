// SPDX-License-Identifier: Apache-2.0
// One compared leaf for a person: what it is, how far apart the two sides are, the worst elements.
#pragma once

#include <string>

#include <opalign/base/judgement.hpp>
#include <opalign/report/style.hpp>

namespace opalign::report {

[[nodiscard]] std::string render_leaf(const LeafComparison& leaf, const Style& style);

}  // namespace opalign::report
