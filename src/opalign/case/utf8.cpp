// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/utf8.hpp>

#include <cstring>

namespace opalign::cases {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool is_continuation(unsigned byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  if (at >= text.size())
    return 0;
  const unsigned first = byte_at(text, at);
  const unsigned second = byte_at(text, at + 1);
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4 || !is_continuation(second))
    return 0;
  if (first < 0xE0)
    return 2;
  if (!is_continuation(byte_at(text, at + 2)))
    return 0;
  // Overlong forms and surrogates.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F))
    return 0;
  if (first < 0xF0)
    return 3;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return is_continuation(byte_at(text, at + 3)) ? 4 : 0;
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = utf8_length(text, at);
    if (length == 0)
      return at;
    at += length;
  }
  return at;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const unsigned first = byte_at(text, at);
    // U+0080 to U+009F are control characters too.
    const bool control = length == 0 || first < 0x20 || first == 0x7F ||
                         (first == 0xC2 && byte_at(text, at + 1) < 0xA0);
    if (first == '\t')
      out += ' ';
    else if (control)
      out += '?';
    else
      out += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace opalign::cases
