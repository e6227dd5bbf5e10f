// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/text.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <opalign/base/subprocess.hpp>
#include <opalign/report/leaf_text.hpp>

namespace opalign::report {
namespace {

using store::Record;
using store::RunnerRecord;

std::string place_of(const Record& record) {
  return record.file.empty() ? "" : fmt::format("{}:{}", record.file, record.line);
}

/// "backward value", the parts that there are.
std::string why(const Judgement& judgement) {
  std::string text(label(judgement.stage));
  if (judgement.reason != Reason::none)
    text += fmt::format("{}{}", text.empty() ? "" : " ", label(judgement.reason));
  return text;
}

std::string render_error(const RunnerRecord& runner, const Style& style) {
  std::string what = printable(runner.error_type);
  const auto add = [&](std::string_view before, const std::string& part) {
    what += (what.empty() ? "" : std::string(before)) + part;
  };
  if (!runner.error_stage.empty())
    add(" ", "in " + runner.error_stage);
  if (!runner.error_class.empty() && runner.error_class != "other")
    add(" ", "(" + runner.error_class + ")");
  if (runner.signal != 0)
    add(", ", fmt::format("signal {}", runner.signal));
  if (runner.exit_code != 0)
    add(", ", fmt::format("exit code {}", runner.exit_code));
  std::string text;
  if (!what.empty())
    text += fmt::format("    {}\n", paint(style, Tone::bad, what));
  text += wrap(style, 6, printable(runner.message));
  if (!runner.trace.empty())
    text += paint(style, Tone::faint, wrap(style, 6, printable(runner.trace)));
  return text;
}

std::string render_runners(const Record& record, const Style& style) {
  int name_width = 0, status_width = 0;
  for (const RunnerRecord& runner : record.runners) {
    name_width = std::max(name_width, width_of(runner.runner));
    status_width = std::max(status_width, width_of(runner.status));
  }
  std::string text;
  for (const RunnerRecord& runner : record.runners) {
    text +=
        fmt::format("  {}  {}", pad(runner.runner, name_width), pad(runner.status, status_width));
    if (runner.forward_s > 0)
      text += fmt::format("  forward {}", format_seconds(runner.forward_s));
    if (runner.backward_s > 0)
      text += fmt::format("  backward {}", format_seconds(runner.backward_s));
    while (text.back() == ' ')
      text.pop_back();
    text += "\n" + render_error(runner, style);
  }
  return text;
}

}  // namespace

std::string rerun_command(const Record& record, const store::Facts& facts) {
  std::vector<std::string> words{"opalign", "run", "--case", record.text};
  if (const std::string target = store::fact(facts, "target"); !target.empty())
    words.insert(words.end(), {"--target", target});
  std::istringstream references(store::fact(facts, "references"));
  for (std::string spec; references >> spec;)
    words.insert(words.end(), {"--reference", spec});
  for (const char* key : store::k_rerun_facts)
    if (auto fact = facts.find(key); fact != facts.end())
      words.insert(words.end(), {fmt::format("--{}", key), fact->second});
  if (facts.contains("no-known"))
    words.emplace_back("--no-known");
  return shell_quote(words);
}

std::string render_line(const Record& record, const Style& style) {
  const Judgement& judgement = record.judgement;
  std::string message = printable(judgement.message);
  std::ranges::replace(message, '\n', ' ');
  if (style.width == 0)
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", record.id, label(judgement.verdict),
                       label(judgement.stage), label(judgement.reason), printable(record.api),
                       place_of(record), message);
  const std::string verdict = pad(label(judgement.verdict), 15);
  const int room = style.width - width_of(record.id) - width_of(verdict) - 4;
  std::string text = fmt::format("{}  {}  {}\n", paint(style, Tone::faint, record.id),
                                 paint(style, tone_of(judgement.verdict), verdict),
                                 shorten(printable(record.api), std::max(10, room)));
  if (!message.empty())
    text += fmt::format("  {}\n", shorten(message, style.width - 2));
  return text;
}

std::string render_record(const Record& record, const store::Facts& facts, const Style& style) {
  const Judgement& judgement = record.judgement;
  std::string text = paint(style, tone_of(judgement.verdict), label(judgement.verdict));
  if (std::string reason = why(judgement); !reason.empty())
    text += fmt::format(": {}", reason);
  if (!record.api.empty())
    text += "  " + paint(style, Tone::strong, printable(record.api));
  text += fmt::format(
      "\n{}\n\n", paint(style, Tone::faint, fmt::format("{}  {}", record.id, place_of(record))));
  text += wrap(style, 2, printable(record.text)) + "\n";
  if (!judgement.message.empty()) {
    const bool is_named = judgement.message.find(judgement.runner) != std::string::npos;
    const std::string about = is_named ? "" : judgement.runner + ": ";
    text += wrap(style, 2, about + printable(judgement.message)) + "\n";
  }
  for (const LeafComparison& leaf : judgement.leaves) {
    const bool is_told = judgement.message.find(leaf.message) != std::string::npos;
    text += render_leaf(leaf, is_told ? "" : leaf.message, style) + "\n";
  }
  if (!record.runners.empty())
    text += render_runners(record, style) + "\n";
  // Never broken into lines: it is there to be copied.
  return text + fmt::format("  {}\n  {}\n", paint(style, Tone::faint, "run it again:"),
                            rerun_command(record, facts));
}

}  // namespace opalign::report
