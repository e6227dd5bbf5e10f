// SPDX-License-Identifier: Apache-2.0
// `opalign show`: a run, or some of its records, for a person.
#include <memory>

#include <fmt/format.h>

#include <unistd.h>

#include <opalign/cli/arguments.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/report/overview.hpp>
#include <opalign/report/text.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {
namespace {

constexpr std::int64_t k_default_limit = 20;

constexpr std::string_view k_show_examples = R"(Examples:
  opalign show RUN                      counts, and the APIs that fail, worst first
  opalign show RUN --verdict failures   the records that fail
  opalign show RUN 3f2a91               the records whose id begins so, in full)";

struct ShowOptions {
  std::string run;
  std::vector<std::string> ids;
  std::vector<std::string> verdicts;
  std::int64_t limit = k_default_limit;
};

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Prints what `render` makes of each record that `filter` chooses; returns how many there were.
/// One more than the limit is read, to know whether there are more.
template <class Render>
Expected<std::int64_t> print_records(const store::Reader& reader, store::Filter filter,
                                     const Render& render) {
  const std::int64_t limit = filter.limit;
  filter.limit += limit > 0 ? 1 : 0;
  std::int64_t count = 0;
  TRY(reader.each(filter, [&](const store::Record& record) {
    if (limit > 0 && count == limit) {
      fmt::print(stderr, "… there are more: --limit N shows more, --limit 0 all\n");
      return false;
    }
    print(render(record, count++));
    return true;
  }));
  return count;
}

Expected<void> show_ids(const store::Reader& reader, const ShowOptions& options,
                        const std::vector<Verdict>& verdicts, const report::Style& style) {
  TRY_ASSIGN(const store::Facts facts, reader.facts());
  for (const std::string& id : options.ids) {
    TRY_ASSIGN(const std::int64_t count,
               print_records(reader, {verdicts, id, options.limit},
                             [&](const store::Record& record, std::int64_t before) {
                               return (before > 0 || id != options.ids.front() ? "\n" : "") +
                                      report::render_record(record, facts, style);
                             }));
    if (count == 0)
      return no_record(options.run, id);
  }
  return {};
}

Expected<int> show(const ShowOptions& options) {
  TRY_ASSIGN(const std::vector<Verdict> verdicts, parse_verdicts(options.verdicts));
  TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.run));
  const report::Style style = report::style_of(STDOUT_FILENO);
  if (!options.ids.empty()) {
    TRY(show_ids(reader, options, verdicts, style));
  } else if (!verdicts.empty()) {
    TRY(print_records(reader, {verdicts, "", options.limit},
                      [&](const store::Record& record, std::int64_t) {
                        return report::render_line(record, style);
                      }));
  } else {
    TRY_ASSIGN(const std::string text, report::render_overview(reader, options.limit, style));
    print(text);
  }
  return k_exit_ok;
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show a run, or some of its records");
  command->footer(std::string(k_show_examples));
  declare_run(*command, options->run);
  command->add_option("ID", options->ids, "Case ids, or how they begin");
  declare_verdicts(*command, options->verdicts);
  command->add_option("--limit", options->limit, "At most so many APIs or records; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  set_action(*command, exit_code, [options] { return show(*options); });
}

}  // namespace opalign::cli
