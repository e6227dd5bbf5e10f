// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/summary.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace opalign::report {
namespace {

struct Line {
  VerdictInfo info;
  std::int64_t count;
};

std::vector<Line> lines_of(const std::map<std::string, std::int64_t>& verdicts) {
  std::vector<Line> lines;
  for (const VerdictInfo& entry : verdict_table())
    if (auto found = verdicts.find(std::string(entry.label)); found != verdicts.end())
      lines.push_back({entry, found->second});
  return lines;
}

bool worse(const Line& a, const Line& b) {
  if (a.info.is_failure != b.info.is_failure)
    return a.info.is_failure;
  return a.count > b.count;
}

/// JSON has no infinities: a rate over no time is no rate.
double finite(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

std::string to_json(const Summary& summary) {
  nlohmann::ordered_json object = {{"cases", summary.cases}};
  object["verdicts"] = nlohmann::ordered_json::object();
  for (const Line& line : lines_of(summary.verdicts))
    object["verdicts"][std::string(line.info.label)] = line.count;
  object["known"] = summary.known;
  object["wall_s"] = finite(summary.wall_s);
  object["cases_per_s"] = finite(summary.cases_per_s);
  object["busy"] = finite(summary.busy);
  return object.dump(2) + "\n";
}

std::string verdict_lines(const std::map<std::string, std::int64_t>& verdicts, const Style& style) {
  std::vector<Line> lines = lines_of(verdicts);
  std::ranges::stable_sort(lines, worse);
  std::int64_t total = 0;
  int label_width = 0, count_width = 0;
  for (const Line& line : lines) {
    total += line.count;
    label_width = std::max(label_width, width_of(line.info.label));
    count_width = std::max(count_width, width_of(format_count(line.count)));
  }
  std::string text;
  for (const Line& line : lines) {
    const double share = static_cast<double>(line.count) / static_cast<double>(total);
    std::string start = fmt::format("{}  {}  {}", pad(line.info.label, label_width),
                                    pad_left(format_count(line.count), count_width),
                                    pad_left(format_percent(share), 7));
    const int room = style.width == 0 ? 0 : std::max(10, style.width - width_of(start) - 4);
    text += fmt::format("  {}  {}\n", paint(style, tone_of(line.info.verdict), start),
                        paint(style, Tone::faint, shorten(line.info.meaning, room)));
  }
  return text;
}

std::string known_lines(const std::map<std::string, std::int64_t>& known, const Style& style) {
  std::vector<std::pair<std::string, std::int64_t>> lines(known.begin(), known.end());
  std::ranges::stable_sort(lines, std::greater(), [](const auto& line) { return line.second; });
  std::string text;
  for (const auto& [name, count] : lines)
    text += paint(style, Tone::faint, fmt::format("  known: {} {}\n", name, format_count(count)));
  return text;
}

std::string to_text(const Summary& summary, const Style& style) {
  const std::string head =
      fmt::format("{} cases in {}", format_count(summary.cases), format_seconds(summary.wall_s));
  return fmt::format("{}: {:.3g} cases/s, workers busy {:.0f} % of the time\n{}{}",
                     paint(style, Tone::strong, head), finite(summary.cases_per_s),
                     finite(summary.busy) * 100, verdict_lines(summary.verdicts, style),
                     known_lines(summary.known, style));
}

}  // namespace opalign::report
