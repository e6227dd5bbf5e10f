// SPDX-License-Identifier: Apache-2.0
// Scheduler: the one event loop of a run. Units come from a source, several are in flight, and each
// leaves as a judgement to a sink. It knows limits and memory; it does not know suites, files or
// SQL.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/judgement.hpp>
#include <opalign/base/offer.hpp>
#include <opalign/base/outcome.hpp>
#include <opalign/compare/compare.hpp>
#include <opalign/plan/unit.hpp>
#include <opalign/worker/forkserver.hpp>

namespace opalign::sched {

/// A runner of the run: its canonical spec and how its forkserver is started.
struct RunnerLaunch {
  std::string spec;
  worker::Launch launch;
};

struct Options {
  int slots = 2;    ///< workers of each runner that take jobs
  int threads = 1;  ///< threads inside a framework
  /// A call may take max(this, 20 x the slowest other runner), and 6 x this while another runner is
  /// still busy with it.
  double time_limit_s = 10;
  std::size_t memory_limit = 0;   ///< bytes a worker may allocate, 0 for any
  std::size_t output_limit = 0;   ///< bytes that all tensors of an answer may take
  std::size_t memory_budget = 0;  ///< bytes that all units in flight may be expected to take
  std::uint64_t seed = 0;
};

/// A unit and what came of it.
struct Finished {
  const plan::Unit& unit;
  const Judgement& judgement;
  std::span<const Outcome> outcomes;  ///< target first; tensors are valid only during the call
  double wall_s = 0;                  ///< from dispatch to judgement
};

struct Totals {
  double busy = 0;  ///< share of the workers' time that was spent on jobs, 0 to 1
  bool interrupted = false;
  std::vector<std::string> versions;  ///< of the frameworks, as they report them
};

/// Asked again a little later when it has none yet.
using Source = std::function<Offer<plan::Unit>()>;
using Sink = std::function<Expected<void>(const Finished&)>;
/// Called a few times a second with nothing to say but that time passes. Its error ends the run.
using Tick = std::function<Expected<void>()>;

/// Runs all units of `next` and hands each to `finished` exactly once, in the order they end.
/// Fails only where the run as a whole cannot go on (a framework does not import, the sink fails);
/// what has finished has been handed over by then.
Expected<Totals> run(const Options& options, const std::vector<RunnerLaunch>& runners,
                     const compare::Policy& policy, const Source& next, const Sink& finished,
                     const Tick& tick);

}  // namespace opalign::sched
