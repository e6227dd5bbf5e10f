// SPDX-License-Identifier: Apache-2.0
// The project's one hash: XXH3, 64 bits, seed 0. Case ids and streams of values are made of it, so
// it never changes. It is not a defence against anyone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opalign {

[[nodiscard]] std::uint64_t hash64(std::string_view bytes);
/// 16 lower-case hex digits, the most significant first.
[[nodiscard]] std::string hex16(std::uint64_t number);

}  // namespace opalign
