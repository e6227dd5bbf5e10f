// SPDX-License-Identifier: Apache-2.0
// `opalign run`: the pipeline, from suites to verdicts in run.db.
#include <opalign/cli/command.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <opalign/base/files.hpp>
#include <opalign/base/interrupt.hpp>
#include <opalign/base/resources.hpp>
#include <opalign/cli/launch.hpp>
#include <opalign/cli/progress.hpp>
#include <opalign/cli/record.hpp>
#include <opalign/cli/suite_reader.hpp>
#include <opalign/plan/plan.hpp>
#include <opalign/report/summary.hpp>

namespace opalign::cli {
namespace {

constexpr std::string_view k_examples = R"(Examples:
  opalign run suites/quickstart.txt --target paddle --reference torch
  opalign run --case 'paddle.abs(Tensor([3],"float32"), )' --target paddle --reference torch
  opalign run cases/ 'more/*.txt' --target paddle --reference torch --policy torch --out nightly
  opalign run cases.txt --target paddle            no reference: errors, crashes, nan and inf
  generate | opalign run - --target paddle --reference torch
)";

struct RunOptions {
  std::vector<std::string> suites;
  std::vector<std::string> cases;
  std::string target;
  std::vector<std::string> references;
  std::string out;
  std::string summary;
  std::string catalog;
  std::string policy = "paddleapitest";
  std::optional<double> atol, rtol;
  plan::Options plan;
  sched::Options sched;
  std::size_t output_limit = 0;
};

std::size_t physical_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Fills in what depends on the machine and was not given.
void choose_defaults(RunOptions& options) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int runners = 1 + static_cast<int>(options.references.size());
  if (options.sched.slots == 0)
    options.sched.slots = std::max(2, cores / runners);
  if (options.sched.threads == 0)
    options.sched.threads = std::max(1, cores / (options.sched.slots * runners));
  if (options.sched.memory_limit == 0)
    options.sched.memory_limit = physical_memory() / 4;
  if (options.output_limit == 0)
    options.output_limit = physical_memory() / 8;
  options.sched.memory_budget = physical_memory() / 2;
  if (options.out.empty())
    options.out = fmt::format("opalign-run-{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)),
                              ::getpid());
}

Expected<std::vector<ResolvedRunner>> resolve_runners(const RunOptions& options) {
  std::vector<ResolvedRunner> runners;
  TRY_ASSIGN(ResolvedRunner target, resolve_runner(options.target));
  runners.push_back(std::move(target));
  for (const std::string& text : options.references) {
    TRY_ASSIGN(ResolvedRunner reference, resolve_runner(text));
    runners.push_back(std::move(reference));
  }
  return runners;
}

store::Facts facts_of(const RunOptions& options, const std::vector<sched::RunnerLaunch>& runners) {
  store::Facts facts{{"opalign", std::string(version())},
                     {"target", runners.front().spec},
                     {"policy", options.policy},
                     {"seed", fmt::to_string(options.sched.seed)},
                     {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                             fmt::gmtime(std::time(nullptr)))}};
  std::vector<std::string> references;
  for (std::size_t i = 1; i < runners.size(); ++i)
    references.push_back(runners[i].spec);
  facts["references"] = fmt::format("{}", fmt::join(references, " "));
  if (options.atol)
    facts["atol"] = fmt::to_string(*options.atol);
  if (options.rtol)
    facts["rtol"] = fmt::to_string(*options.rtol);
  return facts;
}

Expected<int> run(RunOptions options) {
  choose_defaults(options);
  TRY_ASSIGN(const std::vector<ResolvedRunner> resolved, resolve_runners(options));
  TRY_ASSIGN(const compare::Policy policy,
             compare::make_policy(options.policy, options.atol, options.rtol));
  TRY_ASSIGN(SuiteReader suites, SuiteReader::open(options.suites, options.cases));
  if (options.catalog.empty()) {
    TRY_ASSIGN(options.catalog, resource("catalog"));
  }
  TRY_ASSIGN(const catalog::Catalog catalog, catalog::Catalog::load(options.catalog));

  std::vector<sched::RunnerLaunch> runners;
  std::vector<std::string> frameworks;
  for (const ResolvedRunner& runner : resolved) {
    TRY_ASSIGN(RunnerLaunch made,
               make_launch(runner, {options.sched.threads, options.output_limit,
                                    catalog.preludes(runner.spec.framework)}));
    runners.push_back({made.spec, std::move(made.launch)});
    frameworks.push_back(std::move(made.framework));
  }
  const plan::Planner planner(catalog, std::move(frameworks), options.plan);
  TRY_ASSIGN(store::Writer writer, store::Writer::create(options.out, facts_of(options, runners)));
  fmt::print("run: {}\n", options.out);
  std::fflush(stdout);
  catch_interrupts();

  Progress progress;
  std::int64_t seq = 0;
  const auto next = [&]() -> std::optional<plan::Unit> {
    const std::optional<cases::SuiteCase> source = suites.next();
    return source ? std::optional(planner.plan(seq++, *source)) : std::nullopt;
  };
  const auto finished = [&](const sched::Finished& result) {
    progress.count(result.judgement.verdict);
    return writer.append(make_record(result));
  };
  const auto tick = [&]() -> Expected<void> {
    progress.tick();
    return writer.tick();
  };
  Expected<sched::Totals> totals =
      sched::run(options.sched, runners, policy, next, finished, tick);
  TRY(writer.flush());
  if (!totals)
    return tl::unexpected(totals.error());
  TRY(suites.status());

  report::Summary summary;
  summary.cases = progress.cases();
  summary.verdicts = progress.verdicts();
  summary.wall_s = progress.elapsed_s();
  summary.cases_per_s = static_cast<double>(summary.cases) / summary.wall_s;
  summary.busy = totals->busy;
  if (!options.summary.empty()) {
    TRY(write_file_atomically(options.summary, report::to_json(summary)));
  }
  fmt::print("{}", report::to_text(summary));
  if (totals->interrupted)
    fmt::print("interrupted: what was running has no verdict\n");
  fmt::print("run: {}\n", options.out);
  for (const auto& [label, count] : summary.verdicts)
    if (info(*parse_verdict(label)).is_failure)
      return k_exit_differences;
  return k_exit_ok;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run cases on a target and its references");
  command->footer(std::string(k_examples));
  command->add_option("SUITE", options->suites, "Files, folders, globs, or - for standard input");
  command->add_option("--case", options->cases, "A case as text; may be given again");
  command->add_option("--target", options->target, "Runner under test: framework[@version][:device]")
      ->required();
  command->add_option("--reference", options->references,
                      "Runner it is held against; may be given again");
  command->add_option("--out", options->out, "Directory of the run (default: a new one here)");
  command->add_option("--summary", options->summary, "Write counts and rates to this JSON file");
  command->add_option("--policy", options->policy,
                      fmt::format("When values agree: {}", fmt::join(compare::policy_names(), ", ")))
      ->capture_default_str();
  command->add_option("--atol", options->atol, "Absolute tolerance, in place of the policy's");
  command->add_option("--rtol", options->rtol, "Relative tolerance, in place of the policy's");
  command->add_option("--seed", options->sched.seed, "Of all values")->capture_default_str();
  command->add_option("--slots", options->sched.slots, "Workers of each runner (default: by cores)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--threads", options->sched.threads,
                      "Threads inside a framework (default: by cores)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--timeout", options->sched.time_limit_s,
                      "Seconds a call may take; at least 20 x the slowest other runner")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--memory-limit", options->sched.memory_limit,
                      "Bytes a worker may allocate (default: a quarter of the memory)")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--output-limit", options->output_limit,
                      "Bytes a call may return (default: an eighth of the memory)")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--max-input-bytes", options->plan.max_input_bytes,
                      "Cases with larger inputs are skipped")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--catalog", options->catalog, "Catalog directory (default: the shipped one)");
  // The machine's defaults stand for what is not given; 0 says so.
  options->sched.slots = 0;
  options->sched.threads = 0;
  set_action(*command, exit_code, [options] { return run(*options); });
}

}  // namespace opalign::cli
