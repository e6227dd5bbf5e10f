// SPDX-License-Identifier: Apache-2.0
// What `opalign run` was asked to do: the options, the machine's defaults, and the facts that a run
// keeps of them. Each option is declared and read here alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <opalign/base/expected.hpp>
#include <opalign/plan/plan.hpp>
#include <opalign/sched/scheduler.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {

/// One of `count` parts of the cases, numbered from 1.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;
};

struct RunOptions {
  std::vector<std::string> suites;
  std::vector<std::string> cases;
  std::string target;
  std::vector<std::string> references;
  std::string out;
  bool resume = false;
  std::vector<std::string> retest;
  std::vector<std::string> fail_on_text{"failures"};
  std::vector<Verdict> fail_on;
  std::string shard_text = "1/1";
  Shard shard;
  std::string summary;
  std::string catalog;
  std::string policy{compare::k_default_policy};
  std::optional<double> atol, rtol;
  plan::Options plan;
  sched::Options sched;
  std::size_t kept_memory = 0;  ///< bytes a worker keeps of what calls or answers freed, each
};

void declare_options(CLI::App& command, RunOptions& options);

/// Fills in what depends on the machine and was not given, and reads what CLI11 leaves as text.
Expected<void> complete(RunOptions& options);

/// What must agree for two runs to be parts of one, and what a reader wants to know.
[[nodiscard]] store::Facts facts_of(const RunOptions& options,
                                    const std::vector<sched::RunnerLaunch>& runners);

/// Fails, naming the fact, where a run on record was asked for something else.
Expected<void> check_same_run(const store::Facts& recorded, const store::Facts& now);

}  // namespace opalign::cli
