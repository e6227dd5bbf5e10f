// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/overview.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/report/summary.hpp>

namespace opalign::report {
namespace {

/// The counts of one API.
struct Api {
  std::string name;
  std::int64_t cases = 0;
  std::int64_t failed = 0;
  std::vector<std::string> failures;  ///< "differs 30", "crash 4"
};

std::vector<Api> group(const std::vector<store::ApiCount>& counts) {
  std::map<std::string, Api> apis;
  for (const store::ApiCount& entry : counts) {
    Api& api = apis[entry.api];
    api.name = entry.api.empty() ? "(no API)" : printable(entry.api);
    api.cases += entry.count;
    if (!info(entry.verdict).is_failure)
      continue;
    api.failed += entry.count;
    api.failures.push_back(fmt::format("{} {}", label(entry.verdict), format_count(entry.count)));
  }
  std::vector<Api> sorted;
  for (auto& [name, api] : apis)
    sorted.push_back(std::move(api));
  std::ranges::stable_sort(sorted, [](const Api& a, const Api& b) { return a.failed > b.failed; });
  return sorted;
}

std::string heading(const store::Facts& facts, const Style& style) {
  std::string text = paint(style, Tone::strong, store::fact(facts, "target"));
  if (const std::string references = store::fact(facts, "references"); !references.empty())
    text += " against " + paint(style, Tone::strong, references);
  if (const std::string started = store::fact(facts, "started"); !started.empty())
    text += paint(style, Tone::faint, ", " + started);
  return text + "\n\n";
}

std::string api_lines(const std::vector<Api>& apis, std::size_t count, const Style& style) {
  int name_width = width_of("API that fails");
  for (std::size_t i = 0; i < count; ++i)
    name_width = std::max(name_width, width_of(apis[i].name));
  // Two numbers of 7, gaps, and some room for the kinds of failure.
  if (style.width > 0)
    name_width = std::min(name_width, std::max(20, style.width - 46));
  std::string text = paint(
      style, Tone::faint,
      fmt::format("  {}  {:>7}  {:>7}\n", pad("API that fails", name_width), "cases", "failed"));
  for (std::size_t i = 0; i < count; ++i) {
    const Api& api = apis[i];
    const int room = style.width == 0 ? 0 : std::max(10, style.width - name_width - 22);
    text += fmt::format("  {}  {}  {}  {}\n", pad(shorten(api.name, name_width), name_width),
                        pad_left(format_count(api.cases), 7),
                        paint(style, Tone::bad, pad_left(format_count(api.failed), 7)),
                        shorten(fmt::format("{}", fmt::join(api.failures, ", ")), room));
  }
  return text;
}

}  // namespace

Expected<std::string> render_overview(const store::Reader& reader, std::int64_t limit,
                                      const Style& style) {
  TRY_ASSIGN(const store::Facts facts, reader.facts());
  TRY_ASSIGN(const std::vector<store::ApiCount> counts, reader.count_by_api());
  std::map<std::string, std::int64_t> verdicts;
  for (const store::ApiCount& entry : counts)
    verdicts[std::string(label(entry.verdict))] += entry.count;
  std::string text = heading(facts, style);
  if (counts.empty())
    return text + "  no case has finished yet\n";
  TRY_ASSIGN(const auto known, reader.count_by_known());
  text += verdict_lines(verdicts, style) + known_lines(known, style) + "\n";

  const std::vector<Api> apis = group(counts);
  const std::size_t failing = static_cast<std::size_t>(
      std::ranges::count_if(apis, [](const Api& api) { return api.failed > 0; }));
  const std::size_t shown =
      limit > 0 ? std::min(failing, static_cast<std::size_t>(limit)) : failing;
  if (shown > 0)
    text += api_lines(apis, shown, style);
  if (failing > shown)
    text += fmt::format("  … and {} more (--limit 0 shows all)\n", failing - shown);
  const std::size_t others = apis.size() - failing;
  if (failing == 0)
    text += fmt::format("  no failure in {} {}\n", others, others == 1 ? "API" : "APIs");
  else if (others > 0)
    text += fmt::format("  {} other {} without a failure\n", others, others == 1 ? "API" : "APIs");
  return text;
}

}  // namespace opalign::report
