// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace opalign {

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string hex16(std::uint64_t number) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4)
    text[i] = k_digits[number & 15];
  return text;
}

}  // namespace opalign
