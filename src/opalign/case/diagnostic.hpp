// SPDX-License-Identifier: Apache-2.0
// Diagnostic: how a parse error looks. It finds no errors.
//
//   FILE:LINE:COLUMN: expected WHAT, got WHAT
//   the source line, at most about 100 columns around the place, "..." where it is cut
//            ^
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/case/parse.hpp>

namespace opalign::cases {

/// Error at text[offset]; columns count bytes from 1. `sentence` may hold any bytes.
[[nodiscard]] Error diagnose(std::string_view text, Origin origin, std::size_t offset,
                             std::string_view sentence, std::string hint = {});

/// What stands at text[offset], in words: 'name', "string", ')', byte 0x07, end of line, end of
/// text.
[[nodiscard]] std::string describe(std::string_view text, std::size_t offset);

}  // namespace opalign::cases
