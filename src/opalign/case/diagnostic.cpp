// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/diagnostic.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/case/characters.hpp>
#include <opalign/case/utf8.hpp>

namespace opalign::cases {
namespace {

constexpr std::size_t k_shown_width = 100;  // bytes of the source line
constexpr std::size_t k_token_width = 40;   // bytes of what was got

/// The nearest offset at or before `at` where a character starts.
std::size_t character_start(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
    --at;
  return at;
}

std::size_t count_characters(std::string_view printable_text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      printable_text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string quote(std::string_view token, char mark) {
  const bool cut = token.size() > k_token_width;
  const std::string_view shown =
      cut ? token.substr(0, character_start(token, k_token_width)) : token;
  return fmt::format("{}{}{}{}", mark, printable(shown), cut ? "..." : "", mark);
}

}  // namespace

std::string describe(std::string_view text, std::size_t offset) {
  if (offset >= text.size())
    return "end of text";
  const char c = text[offset];
  if (c == '\n')
    return "end of line";
  std::size_t end = offset + 1;
  if (c == '"' || c == '\'') {
    const std::size_t line_end = std::min(text.find('\n', end), text.size());
    end = std::min(text.find(c, end), line_end);
    return quote(text.substr(offset + 1, end - offset - 1), '"');
  }
  const bool number = is_digit(c) || c == '-' || c == '+';
  if (number || is_word(c)) {
    while (end < text.size() && (is_word(text[end]) || (text[end] == '.')))
      ++end;
    return quote(text.substr(offset, end - offset), '\'');
  }
  const std::size_t length = utf8_length(text, offset);
  if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
    return fmt::format("byte {:#04x}", static_cast<unsigned char>(c));
  return quote(text.substr(offset, length), '\'');
}

Error diagnose(std::string_view text, Origin origin, std::size_t offset, std::string_view sentence,
               std::string hint) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t line_start = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  std::string_view line = text.substr(line_start, text.find('\n', offset) - line_start);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  const std::size_t column = std::min(offset - line_start, line.size());

  std::size_t begin = 0;
  std::size_t end = line.size();
  if (line.size() > k_shown_width) {
    const std::size_t wanted = column > k_shown_width / 2 ? column - k_shown_width / 2 : 0;
    begin = character_start(line, std::min(wanted, line.size() - k_shown_width));
    end = character_start(line, begin + k_shown_width);
  }
  const std::string head = (begin > 0 ? "..." : "") + printable(line.substr(begin, column - begin));
  const std::string tail = printable(line.substr(column, end - column));
  return Error{fmt::format("{}:{}:{}: {}\n{}{}{}\n{}^", origin.file,
                           origin.line + std::ranges::count(before, '\n'), offset - line_start + 1,
                           sentence, head, tail, end < line.size() ? "..." : "",
                           std::string(count_characters(head), ' ')),
               std::move(hint)};
}

}  // namespace opalign::cases
