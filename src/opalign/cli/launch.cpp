// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/launch.hpp>

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/base/resources.hpp>

namespace opalign::cli {

Expected<RunnerLaunch> make_launch(const ResolvedRunner& runner, const LaunchOptions& options) {
  const Environment& environment = runner.environment;
  TRY_ASSIGN(const std::string main, resource("python/opalign/worker/main.py"));
  RunnerLaunch made;
  made.spec = to_string(runner.spec);
  made.framework = runner.spec.framework;
  made.launch.arguments = {environment.python, main, "--framework", made.framework};
  if (!environment.adapter.empty()) {
    made.launch.arguments.insert(made.launch.arguments.end(), {"--adapter", environment.adapter});
  }
  for (const std::string& prelude : options.preludes)
    made.launch.arguments.insert(made.launch.arguments.end(), {"--prelude", prelude});

  auto& variables = made.launch.environment;
  // One pool of threads for each worker: without this, each would take all cores for itself.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
    variables.emplace_back(name, fmt::to_string(options.threads));
  // Huge pages make a fork of a large process a quarter cheaper: fewer page tables to copy.
  if (std::getenv("GLIBC_TUNABLES") == nullptr)
    variables.emplace_back("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
  variables.emplace_back("PYTHONNOUSERSITE", "1");
  variables.emplace_back("OPALIGN_OUTPUT_LIMIT", fmt::to_string(options.output_limit));
  if (!environment.pythonpath.empty()) {
    const char* inherited = std::getenv("PYTHONPATH");
    variables.emplace_back(
        "PYTHONPATH",
        fmt::format("{}{}{}", fmt::join(environment.pythonpath, ":"),
                    inherited == nullptr ? "" : ":", inherited == nullptr ? "" : inherited));
  }
  return made;
}

}  // namespace opalign::cli
