// SPDX-License-Identifier: Apache-2.0
// compare_tensors beside what bounds it: memcmp and memcpy of the same bytes, and a loop that only
// counts elements outside the limit. Bytes per second are of both tensors together.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <vector>

#include <opalign/base/float_bits.hpp>
#include <opalign/compare/compare.hpp>

namespace {

using namespace opalign;

constexpr std::int64_t k_elements = 1 << 20;

/// Two tensors of small numbers; of a hundred elements of the first, one is another.
struct Pair {
  std::vector<std::byte> a, b;
  TensorView a_view, b_view;

  Pair(DType dtype, bool equal) : a(k_elements * size_of(dtype)), b(a.size()) {
    const bool complex = kind_of(dtype) == DTypeKind::complex;
    std::vector<double> numbers(static_cast<std::size_t>(k_elements) * (complex ? 2 : 1));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(i * 2654435761U % 2003) / 1000 - 1;
    if (kind_of(dtype) == DTypeKind::floating)
      round_into(dtype, numbers, b.data());
    else if (complex)
      round_into(dtype == DType::complex64 ? DType::float32 : DType::float64, numbers, b.data());
    else
      for (std::size_t i = 0; i < b.size(); i += size_of(dtype))
        b[i] = static_cast<std::byte>(i / size_of(dtype) % 100);
    a = b;
    for (std::size_t i = 0; !equal && i < a.size(); i += 100 * size_of(dtype))
      a[i] ^= std::byte{1};
    a_view = {dtype, {k_elements}, a.data()};
    b_view = {dtype, {k_elements}, b.data()};
  }
};

void count(benchmark::State& state, const Pair& pair) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(pair.a.size() + pair.b.size()));
}

void compare_nearly_equal(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const Pair pair(dtype, false);
  state.SetLabel(std::string(name(dtype)));
  for (auto _ : state)
    benchmark::DoNotOptimize(compare::compare_tensors(pair.a_view, pair.b_view, {1e-2, 1e-2}));
  count(state, pair);
}
BENCHMARK(compare_nearly_equal)->DenseRange(0, k_dtype_count - 1);

void compare_all_outside(benchmark::State& state) {
  Pair pair(DType::float32, true);
  for (std::byte& byte : pair.a)
    byte ^= std::byte{1};
  for (auto _ : state)
    benchmark::DoNotOptimize(compare::compare_tensors(pair.a_view, pair.b_view, {0, 0}));
  count(state, pair);
}
BENCHMARK(compare_all_outside);

void compare_equal(benchmark::State& state) {
  const Pair pair(DType::float32, true);
  for (auto _ : state)
    benchmark::DoNotOptimize(compare::compare_tensors(pair.a_view, pair.b_view, {1e-2, 1e-2}));
  count(state, pair);
}
BENCHMARK(compare_equal);

void bound_memcmp(benchmark::State& state) {
  const Pair pair(DType::float32, true);
  for (auto _ : state)
    benchmark::DoNotOptimize(std::memcmp(pair.a.data(), pair.b.data(), pair.a.size()));
  count(state, pair);
}
BENCHMARK(bound_memcmp);

void bound_memcpy(benchmark::State& state) {
  Pair pair(DType::float32, true);
  for (auto _ : state) {
    std::memcpy(pair.a.data(), pair.b.data(), pair.a.size());
    benchmark::ClobberMemory();
  }
  count(state, pair);
}
BENCHMARK(bound_memcpy);

void naive_count_outside(benchmark::State& state) {
  const Pair pair(DType::float32, false);
  std::vector<float> a(k_elements), b(k_elements);
  std::memcpy(a.data(), pair.a.data(), pair.a.size());
  std::memcpy(b.data(), pair.b.data(), pair.b.size());
  for (auto _ : state) {
    std::int64_t outside = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      outside += std::fabs(a[i] - b[i]) > 1e-2F + 1e-2F * std::fabs(b[i]);
    benchmark::DoNotOptimize(outside);
  }
  count(state, pair);
}
BENCHMARK(naive_count_outside);

}  // namespace
