// SPDX-License-Identifier: Apache-2.0
// From a runner's text to how its forkserver is started; shared by `run` and `catalog check`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/environment.hpp>
#include <opalign/base/expected.hpp>
#include <opalign/worker/forkserver.hpp>

namespace opalign::cli {

struct RunnerLaunch {
  std::string spec;  ///< canonical
  std::string framework;
  worker::Launch launch;
};

struct LaunchOptions {
  int threads = 1;
  std::size_t output_limit = 0;       ///< bytes a call may return
  std::vector<std::string> preludes;  ///< of this framework
};

/// Finds the environment that the spec names. Errors list what there is.
Expected<RunnerLaunch> make_launch(const ResolvedRunner& runner, const LaunchOptions& options);

}  // namespace opalign::cli
