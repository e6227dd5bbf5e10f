// SPDX-License-Identifier: Apache-2.0
// `opalign merge`: the shards of one run as one run.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <opalign/cli/command.hpp>
#include <opalign/cli/run_options.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {
namespace {

struct MergeOptions {
  std::string out;
  std::vector<std::string> runs;
};

Expected<int> merge(const MergeOptions& options) {
  std::vector<store::Reader> readers;
  store::Facts facts;
  for (const std::string& run : options.runs) {
    TRY_ASSIGN(store::Reader reader, store::Reader::open(run));
    TRY_ASSIGN(store::Facts of_run, reader.facts());
    of_run.erase("shard");
    if (facts.empty())
      facts = of_run;
    Expected<void> same = check_same_run(facts, of_run);
    if (!same)
      return fail(fmt::format("{}: {}", run, same.error().message),
                  "only runs of the same cases on the same runners are parts of one");
    readers.push_back(std::move(reader));
  }
  TRY_ASSIGN(store::Writer writer, store::Writer::create(options.out, facts));
  std::set<std::int64_t> taken;
  std::int64_t doubled = 0;
  for (const store::Reader& reader : readers) {
    Expected<void> appended;
    TRY(reader.each({}, [&](const store::Record& record) {
      if (!taken.insert(record.seq).second)
        ++doubled;
      else
        appended = writer.append(record);
      return appended.has_value();
    }));
    TRY(std::move(appended));
  }
  TRY(writer.flush());
  fmt::print("{} cases of {} runs", taken.size(), readers.size());
  if (doubled != 0)
    fmt::print("; {} were in several and are taken once", doubled);
  fmt::print("\nrun: {}\n", options.out);
  return k_exit_ok;
}

}  // namespace

void add_merge(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand("merge", "Make one run of the shards of a run");
  command->footer("Example:\n  opalign merge whole part1 part2 part3\n");
  command->add_option("OUT", options->out, "Directory of the new run")->required();
  command->add_option("RUN", options->runs, "Directories of the shards")->required();
  set_action(*command, exit_code, [options] { return merge(*options); });
}

}  // namespace opalign::cli
