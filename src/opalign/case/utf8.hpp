// SPDX-License-Identifier: Apache-2.0
// UTF-8 as far as case texts need it: is it valid, and how does it look on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opalign::cases {

/// Bytes of the valid sequence (RFC 3629) that starts at text[at]; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);
/// Offset of the first byte that is not part of a valid sequence, or text.size().
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);
/// Appends a code point that is no surrogate and at most 0x10ffff.
void append_utf8(std::string& out, std::uint32_t code_point);
/// The text with control characters and invalid bytes replaced by '?', tabs by a space: one code
/// point for each of those, so that carets stay aligned and no terminal obeys it.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace opalign::cases
