// SPDX-License-Identifier: Apache-2.0
// How an environment's interpreter and a runner's forkserver are started. It starts neither.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <opalign/base/environment.hpp>
#include <opalign/base/expected.hpp>
#include <opalign/sched/scheduler.hpp>

namespace opalign::cli {

/// What an environment's interpreter needs in its own environment.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> python_variables(
    const Environment& environment);

struct LaunchOptions {
  int threads = 1;
  std::size_t output_limit = 0;       ///< bytes a call may return
  std::size_t kept_memory = 0;        ///< bytes a worker keeps of what calls or answers freed, each
  std::vector<std::string> preludes;  ///< of this framework
};

/// Fails only where the worker's files are not beside opalign.
Expected<sched::RunnerLaunch> make_launch(const ResolvedRunner& runner,
                                          const LaunchOptions& options);

}  // namespace opalign::cli
