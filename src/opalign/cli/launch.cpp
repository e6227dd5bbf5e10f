// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/launch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <gnu/libc-version.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/base/resources.hpp>

namespace opalign::cli {
namespace {

/// What a worker keeps in any case of what was freed.
constexpr std::size_t k_least_kept = std::size_t{64} << 20;

}  // namespace

std::vector<std::pair<std::string, std::string>> python_variables(const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> variables{{"PYTHONNOUSERSITE", "1"}};
  if (environment.pythonpath.empty())
    return variables;
  std::string path = fmt::format("{}", fmt::join(environment.pythonpath, ":"));
  if (const char* inherited = std::getenv("PYTHONPATH"))
    path += fmt::format(":{}", inherited);
  variables.emplace_back("PYTHONPATH", std::move(path));
  return variables;
}

Expected<sched::RunnerLaunch> make_launch(const ResolvedRunner& runner,
                                          const LaunchOptions& options) {
  const Environment& environment = runner.environment;
  TRY_ASSIGN(const std::string main, resource("python/opalign/worker/main.py"));
  std::vector<std::string> arguments{environment.python, main, "--framework",
                                     runner.spec.framework};
  if (!environment.adapter.empty())
    arguments.insert(arguments.end(), {"--adapter", environment.adapter});
  for (const std::string& prelude : options.preludes)
    arguments.insert(arguments.end(), {"--prelude", prelude});

  auto variables = python_variables(environment);
  // One pool of threads for each worker: without this, each would take all cores for itself.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
    variables.emplace_back(name, fmt::to_string(options.threads));
  // Huge pages make a fork of a large process a quarter cheaper: fewer page tables to copy. And
  // memory that a call frees is kept for the next one: under a hypervisor that takes back free
  // pages, fresh ones cost milliseconds each 2 MiB. (Older glibc refuses such a threshold.)
  const std::size_t kept = std::max(options.kept_memory, k_least_kept);
  if (std::getenv("GLIBC_TUNABLES") == nullptr && ::strverscmp(gnu_get_libc_version(), "2.36") >= 0)
    variables.emplace_back("GLIBC_TUNABLES",
                           fmt::format("glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold={0}:"
                                       "glibc.malloc.trim_threshold={0}",
                                       kept));
  variables.emplace_back("OPALIGN_OUTPUT_KEPT", fmt::to_string(options.kept_memory));
  variables.emplace_back("OPALIGN_OUTPUT_LIMIT", fmt::to_string(options.output_limit));
  return sched::RunnerLaunch{to_string(runner.spec), {std::move(arguments), std::move(variables)}};
}

}  // namespace opalign::cli
