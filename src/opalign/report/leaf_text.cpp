// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/leaf_text.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace opalign::report {
namespace {

std::string heading(const LeafComparison& leaf, const Style& style) {
  std::string text = paint(style, Tone::strong, printable(leaf.path));
  if (!leaf.dtype.empty())
    text += fmt::format("  {} {}", leaf.dtype, to_string(leaf.shape));
  if (leaf.reason == Reason::none)
    return text + "  " + paint(style, Tone::good, "agrees");
  return text + "  " + paint(style, Tone::bad, label(leaf.reason));
}

std::vector<std::string> facts_of(const TensorStats& stats) {
  std::vector<std::string> facts;
  if (stats.numel == 0)
    return facts;
  if (stats.bit_equal == stats.numel)
    return {"equal bit by bit"};
  if (stats.mismatched > 0)
    facts.push_back(fmt::format("{} of {} beyond the limit", format_count(stats.mismatched),
                                format_count(stats.numel)));
  if (stats.class_mismatched > 0)
    facts.push_back(fmt::format("{} differ in nan or inf", format_count(stats.class_mismatched)));
  facts.push_back(fmt::format("max abs {:.4g}", stats.max_abs));
  facts.push_back(fmt::format("max rel {:.4g}", stats.max_rel));
  if (stats.max_ulp > 0)
    facts.push_back(fmt::format("max ulp {}", stats.max_ulp));
  return facts;
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

std::string render_leaf(const LeafComparison& leaf, const Style& style) {
  std::string text = fmt::format("  {}\n", heading(leaf, style));
  text += wrap(style, 4, printable(leaf.message));
  if (const std::vector<std::string> facts = facts_of(leaf.stats); !facts.empty())
    text += wrap(style, 4, fmt::format("{}", fmt::join(facts, ", ")));
  if (!leaf.elements.empty())
    text += table(leaf.elements, style);
  return text;
}

}  // namespace opalign::report
