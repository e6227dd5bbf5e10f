// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/leaf_text.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace opalign::report {
namespace {

std::string heading(const LeafComparison& leaf, const Style& style) {
  std::string text = paint(style, Tone::strong, printable(leaf.path));
  if (!leaf.dtype.empty())
    text += fmt::format("  {} {}", leaf.dtype, to_string(leaf.shape));
  if (leaf.reason == Reason::none)
    return text + "  " + paint(style, Tone::good, "agrees");
  if (!leaf.known.empty())
    return text + fmt::format("  {}, known: {}", label(leaf.reason), leaf.known);
  return text + "  " + paint(style, Tone::bad, label(leaf.reason));
}

/// How many elements agree, and how far apart the others are: a line each.
std::string numbers(const TensorStats& stats) {
  if (stats.numel == 0)
    return {};
  if (stats.bit_equal == stats.numel)
    return "equal bit by bit\n";
  std::string text;
  if (stats.mismatched > 0)
    text += fmt::format("{} of {} elements beyond the limit, ", format_count(stats.mismatched),
                        format_count(stats.numel));
  if (stats.class_mismatched > 0)
    text += fmt::format("{} in nan or inf, ", format_count(stats.class_mismatched));
  text += fmt::format("{} equal bit by bit\n", format_count(stats.bit_equal));
  text += fmt::format("max abs {:.3g}, max rel {:.3g}", stats.max_abs, stats.max_rel);
  if (stats.max_ulp > 0)
    text += fmt::format(", max ulp {}", stats.max_ulp);
  return text + "\n";
}

using Row = std::array<std::string, 3>;

std::string table(const std::vector<LeafComparison::Element>& elements, const Style& style) {
  std::vector<Row> rows{{"index", "target", "reference"}};
  for (const LeafComparison::Element& element : elements)
    rows.push_back({to_string(element.index), element.target, element.reference});
  std::array<int, 3> widths{};
  for (const Row& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width_of(row[column]));
  std::string text;
  for (const Row& row : rows) {
    const std::string line = fmt::format("{}  {}  {}", pad(row[0], widths[0]),
                                         pad_left(row[1], widths[1]), pad_left(row[2], widths[2]));
    text += fmt::format("    {}\n",
                        paint(style, &row == &rows.front() ? Tone::faint : Tone::plain, line));
  }
  return text;
}

}  // namespace

std::string render_leaf(const LeafComparison& leaf, const std::string& message,
                        const Style& style) {
  std::string text = fmt::format("  {}\n", heading(leaf, style));
  text += wrap(style, 4, printable(message));
  text += wrap(style, 4, numbers(leaf.stats));
  if (!leaf.elements.empty())
    text += table(leaf.elements, style);
  return text;
}

}  // namespace opalign::report
