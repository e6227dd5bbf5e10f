// SPDX-License-Identifier: Apache-2.0
// How fast tensors are filled, beside memset and memcpy of as many bytes; how fast domains are
// parsed and evaluated. `of_memset` is the share of memset's speed.
#include <cstring>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>

#include <opalign/catalog/domain.hpp>
#include <opalign/value/fill.hpp>
#include <opalign/value/pool.hpp>

namespace {

using namespace opalign;

constexpr std::int64_t k_small = 16;
constexpr std::int64_t k_large = 1 << 20;

/// Processor time: other processes do not count.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds that memset takes for the buffer.
double memset_seconds(std::vector<std::byte>& out) {
  const std::size_t times = (std::size_t{1} << 28) / out.size();
  const double start = seconds();
  for (std::size_t i = 0; i < times; ++i) {
    std::memset(out.data(), static_cast<int>(i), out.size());
    benchmark::ClobberMemory();
  }
  return (seconds() - start) / static_cast<double>(times);
}

void fill_tensor(benchmark::State& state, const value::Fill& how, DType dtype) {
  const Shape shape{state.range(0) / 4, 4};
  std::vector<std::byte> out(static_cast<std::size_t>(state.range(0)) * size_of(dtype));
  const double plain_seconds = memset_seconds(out);
  std::uint64_t key = 0;
  const double start = seconds();
  for ([[maybe_unused]] auto unused : state) {
    if (!value::fill(how, dtype, shape, ++key, out))
      state.SkipWithError("the fill failed");
    benchmark::ClobberMemory();
  }
  const double fill_seconds = (seconds() - start) / static_cast<double>(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
  state.counters["of_memset"] = plain_seconds / fill_seconds;
}

#define FILL(name, how, dtype) \
  BENCHMARK_CAPTURE(fill_tensor, name, value::Fill(how), dtype)->Arg(k_small)->Arg(k_large)

FILL(plain_float32, value::Plain{}, DType::float32);
FILL(plain_float16, value::Plain{}, DType::float16);
FILL(plain_bfloat16, value::Plain{}, DType::bfloat16);
FILL(plain_float64, value::Plain{}, DType::float64);
FILL(plain_complex64, value::Plain{}, DType::complex64);
FILL(plain_int64, value::Plain{}, DType::int64);
FILL(plain_bool, value::Plain{}, DType::boolean);
FILL(uniform_float32, (value::Uniform{0.1, 2}), DType::float32);
FILL(normal_float32, (value::Normal{0, 1}), DType::float32);
FILL(integers_int64, (value::Integers{0, 1000}), DType::int64);
FILL(nonzero_float32, (value::Nonzero{0.5, 1.5}), DType::float32);
FILL(distinct_int64, (value::Distinct{k_large, -1}), DType::int64);
FILL(lines_distinct_int64, (value::Distinct{50, 1}), DType::int64);
FILL(sorted_int64, (value::SortedIntegers{0, 1000}), DType::int64);
FILL(probability_float32, value::Probability{1}, DType::float32);
FILL(boxes_float32, (value::Boxes{800, 600}), DType::float32);

void fill_spd(benchmark::State& state) {
  const Shape shape{state.range(0), state.range(0)};
  std::vector<std::byte> out(static_cast<std::size_t>(state.range(0) * state.range(0)) * 4);
  for ([[maybe_unused]] auto unused : state)
    if (!value::fill(value::PositiveDefinite{}, DType::float32, shape, 1, out))
      state.SkipWithError("the fill failed");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(fill_spd)->Arg(4)->Arg(1024);

void copy_tensor(benchmark::State& state) {
  const std::vector<std::byte> from(static_cast<std::size_t>(state.range(0)) * 4);
  std::vector<std::byte> to(from.size());
  for ([[maybe_unused]] auto unused : state) {
    std::memcpy(to.data(), from.data(), to.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(to.size()));
}
BENCHMARK(copy_tensor)->Arg(k_small)->Arg(k_large);

void fill_pool(benchmark::State& state) {
  std::vector<std::byte> out(value::k_pool_bytes);
  for ([[maybe_unused]] auto unused : state)
    value::fill_pool(1, out);
}
BENCHMARK(fill_pool)->Unit(benchmark::kMillisecond);

constexpr std::string_view k_domain =
    "permutation(x.numel) if axis is None or x.ndim == 0 else distinct(x.shape[axis], axis)";

void parse_domain(benchmark::State& state) {
  for ([[maybe_unused]] auto unused : state)
    benchmark::DoNotOptimize(catalog::parse_domain(k_domain));
}
BENCHMARK(parse_domain);

void evaluate_domain(benchmark::State& state) {
  const catalog::Domain domain = catalog::parse_domain(k_domain).value();
  const catalog::TensorFacts x{DType::float32, {3, 4}};
  const std::vector<catalog::NamedValue> names{{"x", {x}}, {"axis", {std::int64_t{-1}}}};
  for ([[maybe_unused]] auto unused : state)
    benchmark::DoNotOptimize(catalog::evaluate(domain, x, names));
}
BENCHMARK(evaluate_domain);

}  // namespace
