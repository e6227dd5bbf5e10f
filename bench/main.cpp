// SPDX-License-Identifier: Apache-2.0
// The entry point of the benchmarks and nothing else.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
