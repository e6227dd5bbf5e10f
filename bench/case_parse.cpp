// SPDX-License-Identifier: Apache-2.0
// Cases a second on one core: parsing, and all that a run does with a line before it is planned.
// Reads shared/cases/field.txt beside the checkout, or makes lines like it.
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/case/suite.hpp>

namespace {

using namespace opalign::cases;
namespace fs = std::filesystem;

std::vector<std::string> typical_lines() {
  std::vector<std::string> lines;
  for (int i = 1; i <= 2000; ++i) {
    lines.push_back(
        fmt::format(R"(paddle.Tensor.__add__(Tensor([{}, 16, 1],"float32"), 1e-06, ))", i));
    const std::string x = fmt::format(R"(Tensor([{}, 16, 1],"float32"))", i);
    lines.push_back(fmt::format("paddle.Tensor.__add__({}, 1e-06, )", x));
    lines.push_back(fmt::format("paddle.concat(tuple({0},{0},), axis=0, )", x));
    lines.push_back(fmt::format(
        R"(paddle.nn.functional.conv1d({0}, {0}, bias=None, padding=list[1,{1},], groups=1, ))", x,
        i));
    lines.push_back(
        fmt::format("paddle.Tensor.__getitem__({}, tuple(slice(None,-1,None),Ellipsis,), )", x));
  }
  return lines;
}

const std::vector<std::string>& corpus() {
  static const std::vector<std::string> k_lines = [] {
    const fs::path file =
        fs::path(OPALIGN_BENCH_DIR).parent_path().parent_path() / "shared/cases/field.txt";
    std::vector<std::string> lines;
    const opalign::Expected<void> read = read_suite(file.string(), [&](SuiteCase c) {
      lines.push_back(std::move(c.text));
      return true;
    });
    return read ? lines : typical_lines();
  }();
  return k_lines;
}

template <class Work>
void each_line(benchmark::State& state, Work work) {
  const std::vector<std::string>& lines = corpus();
  for (auto _ : state)
    for (const std::string& line : lines)
      work(line);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(lines.size()));
}

void case_parse(benchmark::State& state) {
  each_line(state, [](const std::string& line) { benchmark::DoNotOptimize(parse(line)); });
}

void case_parse_print_id(benchmark::State& state) {
  each_line(state, [](const std::string& line) {
    if (const opalign::Expected<Case> c = parse(line))
      benchmark::DoNotOptimize(case_id(print(*c)));
  });
}

BENCHMARK(case_parse)->Unit(benchmark::kMillisecond);
BENCHMARK(case_parse_print_id)->Unit(benchmark::kMillisecond);

}  // namespace
