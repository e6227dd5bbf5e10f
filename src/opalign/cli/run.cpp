// SPDX-License-Identifier: Apache-2.0
// `opalign run`: the pipeline, from suites to verdicts in run.db.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <opalign/base/files.hpp>
#include <opalign/base/interrupt.hpp>
#include <opalign/base/subprocess.hpp>
#include <opalign/cli/arguments.hpp>
#include <opalign/cli/case_source.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/cli/launch.hpp>
#include <opalign/cli/progress.hpp>
#include <opalign/cli/record.hpp>
#include <opalign/cli/run_options.hpp>
#include <opalign/report/summary.hpp>

namespace opalign::cli {
namespace {

constexpr std::string_view k_run_examples = R"(Examples:
  opalign run suites/quickstart.txt --target paddle --reference torch
  opalign run --case 'paddle.abs(Tensor([3],"float32"), )' --target paddle --reference torch
  opalign run cases/ 'more/*.txt' --target paddle --reference torch --policy torch --out nightly
  opalign run cases/ 'more/*.txt' --target paddle --reference torch --policy torch --out nightly --resume
  opalign run --target paddle --reference torch --out nightly --retest timeout,crash
  opalign run cases.txt --target paddle            no reference: errors, crashes, nan and inf
  generate | opalign run - --target paddle --reference torch
)";

/// The target, then the references.
Expected<std::vector<ResolvedRunner>> resolve_runners(const RunOptions& options) {
  std::vector<std::string> texts{options.target};
  texts.insert(texts.end(), options.references.begin(), options.references.end());
  std::vector<ResolvedRunner> runners;
  for (const std::string& text : texts) {
    TRY_ASSIGN(ResolvedRunner runner, resolve_runner(text));
    if (runner.spec.device != "cpu")
      return fail(fmt::format("{}: runs on the CPU are all there is yet", text));
    runners.push_back(std::move(runner));
  }
  return runners;
}

Expected<store::Writer> open_writer(const RunOptions& options, const store::Facts& facts) {
  if (!options.resume && options.retest.empty())
    return store::Writer::create(options.out, facts);
  {
    TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.out));
    TRY_ASSIGN(const store::Facts recorded, reader.facts());
    store::Facts asked = facts;
    if (!options.retest.empty())  // the cases come from the run itself
      asked["suites"] = store::fact(recorded, "suites");
    TRY(check_same_run(recorded, asked));
  }
  return store::Writer::resume(options.out);
}

/// More verdicts than this do not wait in memory for room on a full disk.
constexpr std::size_t k_most_waiting = 20'000;

/// While a disk is full, a run goes on: somebody may make room before it ends.
Expected<void> tolerate(Expected<void> written, const store::Writer& writer, bool& told) {
  if (written || writer.queued() > k_most_waiting)
    return written;
  if (!std::exchange(told, true))
    print_error(written.error());
  return {};
}

report::Summary summary_of(const Progress& progress, const sched::Totals& totals) {
  report::Summary summary;
  summary.cases = progress.cases();
  summary.verdicts = progress.verdicts();
  summary.known = progress.known();
  summary.wall_s = progress.elapsed_s();
  summary.cases_per_s = static_cast<double>(summary.cases) / summary.wall_s;
  summary.busy = totals.busy;
  return summary;
}

/// Ends a run on standard output; returns its exit code.
int say_what_came(const RunOptions& options, const report::Summary& summary, bool interrupted) {
  fmt::print("{}", report::to_text(summary, report::style_of(STDOUT_FILENO)));
  if (interrupted)
    fmt::print(
        "interrupted: what was running has no verdict; the same command with --out {} "
        "--resume goes on\n",
        options.out);
  if (summary.verdicts.contains(std::string(label(Verdict::invalid))))
    fmt::print("wrong cases: opalign show {} --verdict invalid\n", shell_quote(options.out));
  const bool failed = std::ranges::any_of(options.fail_on, [&](Verdict verdict) {
    return summary.verdicts.contains(std::string(label(verdict)));
  });
  if (failed)
    fmt::print("what failed: opalign show {} --verdict {}\n", shell_quote(options.out),
               fmt::join(options.fail_on_text, ","));
  fmt::print("run: {}\n", options.out);
  std::fflush(stdout);
  if (interrupted)
    return k_exit_interrupted;
  return failed ? k_exit_differences : k_exit_ok;
}

Expected<int> run(RunOptions options) {
  TRY(complete(options));
  TRY_ASSIGN(const compare::Policy policy,
             compare::make_policy(options.policy, options.atol, options.rtol));
  TRY_ASSIGN(CaseSource source, CaseSource::open(options));
  TRY_ASSIGN(const catalog::Catalog catalog, load_catalog(options.catalog));
  TRY_ASSIGN(const std::vector<ResolvedRunner> runners, resolve_runners(options));
  std::vector<sched::RunnerLaunch> launches;
  std::vector<std::string> frameworks;
  for (const ResolvedRunner& runner : runners) {
    const std::string& framework = frameworks.emplace_back(runner.spec.framework);
    TRY_ASSIGN(sched::RunnerLaunch launch,
               make_launch(runner, {options.sched.threads, options.sched.output_limit,
                                    options.kept_memory, catalog.preludes(framework)}));
    launches.push_back(std::move(launch));
  }
  const plan::Planner planner(catalog, frameworks, options.plan);
  TRY_ASSIGN(store::Writer writer, open_writer(options, facts_of(options, launches)));
  fmt::print("run: {}\n", options.out);
  std::fflush(stdout);
  catch_interrupts();

  Progress progress;
  const auto next = [&] { return source.next(planner); };
  bool told = false;
  const auto finished = [&](const sched::Finished& result) {
    progress.count(result.judgement);
    return tolerate(writer.append(make_record(result)), writer, told);
  };
  const auto tick = [&] {
    progress.tick();
    return tolerate(writer.tick(), writer, told);
  };
  const Expected<sched::Totals> totals =
      sched::run(options.sched, launches, policy, next, finished, tick);
  TRY(writer.flush());
  TRY(totals);
  TRY(writer.set_fact("versions", fmt::format("{}", fmt::join(totals->versions, " "))));
  progress.end();

  const report::Summary summary = summary_of(progress, *totals);
  if (!options.summary.empty()) {
    TRY(write_file_atomically(options.summary, report::to_json(summary)));
  }
  const int code = say_what_came(options, summary, totals->interrupted);
  for (const Error& error : source.errors())
    print_error(error);
  return source.errors().empty() || totals->interrupted ? code : k_exit_usage;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run cases on a target and its references");
  command->footer(std::string(k_run_examples));
  declare_options(*command, *options);
  set_action(*command, exit_code, [options] { return run(*options); });
}

}  // namespace opalign::cli
