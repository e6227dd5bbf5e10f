// SPDX-License-Identifier: Apache-2.0
// One compared leaf for a person: what it is, how far apart the two sides are, the worst elements.
#pragma once

#include <string>

#include <opalign/base/judgement.hpp>
#include <opalign/report/style.hpp>

namespace opalign::report {

/// `message` is the leaf's, or empty where the reader has seen it already.
[[nodiscard]] std::string render_leaf(const LeafComparison& leaf, const std::string& message,
                                      const Style& style);

}  // namespace opalign::report
