// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/run_options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <limits>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <opalign/base/resources.hpp>
#include <opalign/cli/arguments.hpp>

namespace opalign::cli {
namespace {

/// With less a worker cannot make its first call.
constexpr std::size_t k_least_memory = std::size_t{64} << 20;
/// The share of the memory budget that is kept between calls, as fresh pages cost more than a copy.
constexpr std::size_t k_kept_share = 8;

/// Facts that the parts of one run share.
constexpr std::array<const char*, 9> k_identity{"target", "references", "policy", "atol",    "rtol",
                                                "seed",   "suites",     "shard",  "no-known"};

std::size_t physical_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

Expected<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    if (second.ec == std::errc() && second.ptr == end && shard.index >= 1 &&
        shard.index <= shard.count)
      return shard;
  }
  return fail(fmt::format("--shard: expected i/n with 1 <= i <= n, got \"{}\"", text),
              "three machines run --shard 1/3, 2/3 and 3/3");
}

/// CLI::Range lets nan through.
std::string check_seconds(const std::string& text) {
  double seconds = 0;
  const bool fits = CLI::detail::lexical_cast(text, seconds) && seconds >= 1e-3 && seconds <= 1e6;
  return fits ? "" : fmt::format("expected seconds, 0.001 to 1000000, got \"{}\"", text);
}

}  // namespace

void declare_options(CLI::App& command, RunOptions& options) {
  command.add_option("SUITE", options.suites, "Files, folders, globs, or - for standard input");
  command.add_option("--case", options.cases, "A case as text; may be given again");
  command.add_option("--target", options.target, "Runner under test: framework[@version][:device]")
      ->required();
  command.add_option("--reference", options.references,
                     "Runner it is held against; may be given again");
  command.add_option("--out", options.out, "Directory of the run (default: a new one here)");
  command.add_flag("--resume", options.resume,
                   "Go on with the run in --out: only cases that have no verdict yet");
  command
      .add_option("--retest", options.retest,
                  "Run the cases of the run in --out again that have these verdicts")
      ->delimiter(',');
  command
      .add_option("--fail-on", options.fail_on_text,
                  "End with exit code 1 where a case has one of these verdicts")
      ->delimiter(',')
      ->default_str("failures");
  command.add_option("--shard", options.shard_text,
                     "i/n: only the i-th of n parts of the cases; see opalign merge");
  command.add_option("--summary", options.summary, "Write counts and rates to this JSON file");
  command
      .add_option("--policy", options.policy,
                  fmt::format("When values agree: {}", fmt::join(compare::policy_names(), ", ")))
      ->capture_default_str();
  command.add_flag("!--no-known", options.plan.known,
                   "Judge differences that the catalog knows by design like any other");
  command.add_option("--atol", options.atol, "Absolute tolerance, in place of the policy's");
  command.add_option("--rtol", options.rtol, "Relative tolerance, in place of the policy's");
  command.add_option("--seed", options.sched.seed, "Of all values")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--slots", options.sched.slots, "Workers of each runner (default: by cores)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--threads", options.sched.threads,
                  "Threads inside a framework (default: by cores)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--timeout", options.sched.time_limit_s,
                  "Seconds a call may take; at least 20 x the slowest other runner")
      ->capture_default_str()
      ->check(check_seconds);
  command
      .add_option("--memory-limit", options.sched.memory_limit,
                  "Bytes a worker may allocate (default: a quarter of the memory)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(k_least_memory, std::numeric_limits<std::size_t>::max()));
  command
      .add_option("--output-limit", options.sched.output_limit,
                  "Bytes a call may return (default: an eighth of the memory)")
      ->transform(CLI::AsSizeValue(false));
  command
      .add_option("--max-input-bytes", options.plan.max_input_bytes,
                  "Cases with larger inputs are skipped")
      ->transform(CLI::AsSizeValue(false));
  declare_catalog(command, options.catalog);
  options.sched.slots = 0;  // 0: not given
  options.sched.threads = 0;
}

Expected<void> complete(RunOptions& options) {
  TRY_ASSIGN(options.shard, parse_shard(options.shard_text));
  TRY_ASSIGN(options.fail_on, parse_verdicts(options.fail_on_text));
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int runners = 1 + static_cast<int>(options.references.size());
  if (options.sched.slots == 0)
    options.sched.slots = std::max(2, cores / runners);
  if (options.sched.threads == 0)
    options.sched.threads = std::max(1, cores / (options.sched.slots * runners));
  if (options.sched.memory_limit == 0)
    options.sched.memory_limit = physical_memory() / 4;
  if (options.sched.output_limit == 0)
    options.sched.output_limit = physical_memory() / 8;
  options.sched.memory_budget = physical_memory() / 2;
  options.kept_memory = options.sched.memory_budget / k_kept_share /
                        static_cast<std::size_t>(options.sched.slots * runners);
  if (!options.out.empty())
    return {};
  if (options.resume || !options.retest.empty())
    return fail("expected --out with --resume and --retest", "--out names the run to go on with");
  options.out = fmt::format("opalign-run-{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)),
                            ::getpid());
  return {};
}

store::Facts facts_of(const RunOptions& options, const std::vector<sched::RunnerLaunch>& runners) {
  std::vector<std::string> references;
  for (std::size_t i = 1; i < runners.size(); ++i)
    references.push_back(runners[i].spec);
  std::vector<std::string> suites = options.suites;
  suites.insert(suites.end(), options.cases.begin(), options.cases.end());
  store::Facts facts{
      {"opalign", std::string(version())},
      {"target", runners.front().spec},
      {"references", fmt::format("{}", fmt::join(references, " "))},
      {"policy", options.policy},
      {"seed", fmt::to_string(options.sched.seed)},
      {"suites", fmt::format("{}", fmt::join(suites, "\n"))},
      {"shard", options.shard_text},
      {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  if (options.atol)
    facts["atol"] = fmt::to_string(*options.atol);
  if (options.rtol)
    facts["rtol"] = fmt::to_string(*options.rtol);
  if (!options.plan.known)
    facts["no-known"] = "1";
  return facts;
}

Expected<void> check_same_run(const store::Facts& recorded, const store::Facts& now) {
  for (const char* key : k_identity)
    if (const std::string was = store::fact(recorded, key), is = store::fact(now, key); was != is)
      return fail(
          fmt::format("{}: the run on record has \"{}\", this command \"{}\"", key, was, is),
          "give the options of the first time, or another --out");
  return {};
}

}  // namespace opalign::cli
