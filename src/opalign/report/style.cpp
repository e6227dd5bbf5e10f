// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/style.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

namespace opalign::report {
namespace {

constexpr int k_default_columns = 80;
/// Lines longer than this are hard to read, however wide the terminal is.
constexpr int k_widest = 120;

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the first `count` code points.
std::size_t bytes_of(std::string_view text, int count) {
  std::size_t at = 0;
  while (at < text.size() && (count > 0 || continues_code_point(text[at])))
    count -= continues_code_point(text[at++]) ? 0 : 1;
  while (at < text.size() && continues_code_point(text[at]))
    ++at;
  return at;
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

/// Where to break a text that does not fit: in its second half after a blank, else after a comma.
std::size_t break_at(std::string_view text, int width) {
  const std::size_t most = bytes_of(text, width);
  const std::size_t blank = text.substr(0, most + 1).rfind(' ');
  if (blank != std::string_view::npos && blank > most / 2)
    return blank + 1;
  const std::size_t mark = text.substr(0, most).find_last_of(",(");
  return mark != std::string_view::npos && mark > most / 2 ? mark + 1 : most;
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

}  // namespace

Style style_of(int fd) {
  if (::isatty(fd) != 1)
    return {};
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const char* terminal = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  const bool plain = (no_colour != nullptr && *no_colour != '\0') ||
                     (terminal != nullptr && std::string_view(terminal) == "dumb");
  return {!plain, std::min<int>(known ? size.ws_col : k_default_columns, k_widest)};
}

std::string paint(const Style& style, Tone tone, std::string_view text) {
  const char* code = nullptr;
  switch (tone) {
    case Tone::plain:
      break;
    case Tone::strong:
      code = "1";
      break;
    case Tone::faint:
      code = "2";
      break;
    case Tone::good:
      code = "32";
      break;
    case Tone::bad:
      code = "1;31";
      break;
  }
  if (!style.colour || code == nullptr)
    return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Tone tone_of(Verdict verdict) {
  if (info(verdict).is_failure)
    return Tone::bad;
  return verdict == Verdict::pass ? Tone::good : Tone::plain;
}

int width_of(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return !continues_code_point(c); }));
}

std::string pad(std::string_view text, int width) {
  return std::string(text) + blanks(width - width_of(text));
}

std::string pad_left(std::string_view text, int width) {
  return blanks(width - width_of(text)) + std::string(text);
}

std::string shorten(std::string_view text, int width) {
  if (width <= 0 || width_of(text) <= width)
    return std::string(text);
  return std::string(text.substr(0, bytes_of(text, width - 1))) + "…";
}

std::string wrap(const Style& style, int indent, std::string_view text) {
  std::string lines;
  const int room = std::max(20, style.width - indent);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (style.width > 0 && width_of(line) > room) {
      const std::size_t at = break_at(line, room);
      lines += blanks(indent) + std::string(without_end(line.substr(0, at))) + "\n";
      line.remove_prefix(at);
    }
    lines += line.empty() ? "\n" : blanks(indent) + std::string(without_end(line)) + "\n";
  }
  return lines;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too; UTF-8 spells them C2 80 to C2 9F.
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() &&
                       (static_cast<unsigned char>(text[i + 1]) & 0xE0) == 0x80;
    if (is_c1)
      byte = static_cast<unsigned char>(text[++i]);
    if (byte == '\t')
      result += "    ";
    else if (is_c1 || (byte < 0x20 && byte != '\n') || byte == 0x7F)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += text[i];
  }
  return result;
}

std::string format_count(std::int64_t count) {
  std::string digits = fmt::to_string(count);
  const int first = count < 0 ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3)
    return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1)
    return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 60)
    return fmt::format("{:.3g} s", seconds);
  const std::int64_t whole = std::llround(seconds);
  if (whole < 3600)
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string format_percent(double share) {
  // Neither a rare thing nor its absence may round away.
  if (share > 0 && share < 0.0005)
    return "<0.1 %";
  if (share < 1 && share > 0.9995)
    return ">99.9 %";
  return fmt::format("{:.1f} %", share * 100);
}

}  // namespace opalign::report
