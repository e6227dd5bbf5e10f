// SPDX-License-Identifier: Apache-2.0
// The `program` object of docs/protocol.md for one framework, out of a draft whose calls are bound.
#pragma once

#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/plan/draft.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::plan {

/// JSON. `unit` says what is compared and differentiated. Fails where the catalog has no
/// translation of a call to `framework`.
Expected<std::string> make_program(const Draft& draft, std::string_view framework,
                                   const Unit& unit);

}  // namespace opalign::plan
