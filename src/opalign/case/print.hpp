// SPDX-License-Identifier: Apache-2.0
// Case to its canonical text, and the id that the text has. parse(print(c)) == c.
#pragma once

#include <string>
#include <string_view>

#include <opalign/case/case.hpp>

namespace opalign::cases {

/// Canonical text: one line, statements joined by "; ", the spelling of the public Paddle suites.
[[nodiscard]] std::string print(const Case& c);
[[nodiscard]] std::string print(const Value& value);

/// Case id: XXH3 (64 bits, seed 0) of the canonical text, 16 lower-case hex digits.
[[nodiscard]] std::string case_id(std::string_view canonical_text);

}  // namespace opalign::cases
