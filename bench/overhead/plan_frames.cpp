// SPDX-License-Identifier: Apache-2.0
// Writes what a run would send to its workers, without running it: for bare_loop.py.
//   plan_frames CATALOG SUITE OUT MAX_BYTES FRAMEWORK...
// makes OUT/inputs.bin, and OUT/<framework>.jsonl with a line {"tensors":…,"program":…} a case.
// Cases without a program for every framework, and those with more than MAX_BYTES of inputs, are
// left out.
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/plan.hpp>
#include <opalign/sched/place_inputs.hpp>

using namespace opalign;

namespace {

Expected<int> write_frames(const std::vector<std::string>& arguments) {
  const std::vector<std::string> frameworks(arguments.begin() + 5, arguments.end());
  TRY_ASSIGN(const catalog::Catalog catalog, catalog::Catalog::load(arguments[1]));
  const std::size_t max_bytes = std::stoull(arguments[4]);
  const plan::Planner planner(catalog, frameworks, {});
  std::ofstream inputs(arguments[3] + "/inputs.bin", std::ios::binary);
  std::ofstream cases(arguments[3] + "/cases.txt");
  std::vector<std::ofstream> files;
  for (const std::string& framework : frameworks)
    files.emplace_back(fmt::format("{}/{}.jsonl", arguments[3], framework));
  std::size_t offset = 0;
  int count = 0;
  Expected<void> failure;
  TRY(cases::read_suite(arguments[2], [&](const cases::SuiteCase& source) {
    const plan::Unit unit = planner.plan(count, source);
    const std::size_t bytes = sched::region_bytes(unit);
    if (unit.judgement || bytes > max_bytes)
      return true;
    std::vector<std::byte> region((bytes + 4095) / 4096 * 4096);
    const Expected<std::string> tensors = sched::place_inputs(unit, 0, offset, region);
    if (!tensors)
      return true;
    inputs.write(reinterpret_cast<const char*>(region.data()),
                 static_cast<std::streamsize>(region.size()));
    offset += region.size();
    cases << unit.text << '\n';
    for (std::size_t i = 0; i < frameworks.size(); ++i)
      files[i] << fmt::format(R"({{"tensors":{},"program":{}}})", *tensors, unit.programs[i].body)
               << '\n';
    ++count;
    return true;
  }));
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: plan_frames CATALOG SUITE OUT MAX_BYTES FRAMEWORK...\n");
    return 2;
  }
  const Expected<int> count = write_frames({argv, argv + argc});
  if (!count) {
    fmt::print(stderr, "{}\n", count.error().text());
    return 2;
  }
  fmt::print("{} cases\n", *count);
  return 0;
}
