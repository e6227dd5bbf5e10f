// SPDX-License-Identifier: Apache-2.0
// Text to Case. Nothing in the text is ever evaluated; nothing is allocated that the text's own
// length does not bound.
#pragma once

#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/case/case.hpp>

namespace opalign::cases {

/// Where a text stands, for messages.
struct Origin {
  std::string_view file = "<case>";
  int line = 1;  ///< of the text's first character, from 1
};

/// Parses one case: one call on one line, or statements separated by newlines or ';'.
/// Errors read `file:line:col: expected X, got Y`, the line, a caret, and where possible a hint.
Expected<Case> parse(std::string_view text, Origin origin = {});

}  // namespace opalign::cases
