// SPDX-License-Identifier: Apache-2.0
// Style: what the place that text goes to can show; and the small pieces that terminal reports are
// laid out with. No report is written here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <opalign/base/verdict.hpp>

namespace opalign::report {

struct Style {
  bool colour = false;
  int width = 0;  ///< columns; 0 where nothing limits them: a pipe or a file
};

/// Colours only on a terminal, and not where NO_COLOR is set.
[[nodiscard]] Style style_of(int fd);

enum class Tone { plain, strong, faint, good, bad };
[[nodiscard]] std::string paint(const Style& style, Tone tone, std::string_view text);
[[nodiscard]] Tone tone_of(Verdict verdict);

// Widths are in code points, which are as wide as a column in what opalign prints.
[[nodiscard]] int width_of(std::string_view text);
[[nodiscard]] std::string pad(std::string_view text, int width);       ///< blanks after
[[nodiscard]] std::string pad_left(std::string_view text, int width);  ///< blanks before
/// Ends in "…" where it is longer than `width`; 0 is no limit.
[[nodiscard]] std::string shorten(std::string_view text, int width);
/// Lines of at most `style.width`, broken at blanks where there are any, each after `indent`
/// blanks.
[[nodiscard]] std::string wrap(const Style& style, int indent, std::string_view text);
/// Control characters as \xNN, so that nobody's message steers the terminal; keeps line ends.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] std::string format_count(std::int64_t count);  ///< "12,034"
[[nodiscard]] std::string format_seconds(double seconds);    ///< "12 µs", "3.4 s", "2 min 5 s"
[[nodiscard]] std::string format_percent(double share);      ///< "93.1 %"

}  // namespace opalign::report
