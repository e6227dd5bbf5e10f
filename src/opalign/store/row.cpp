// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/row.hpp>

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <opalign/base/verdict.hpp>

namespace opalign::store {
namespace {

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(fmt::format("run.db: {}", what), "the file is damaged, or a newer opalign wrote it");
}

template <class Enum>
Expected<Enum> to_enum(std::int64_t number, int count, std::string_view what) {
  if (number < 0 || number >= count)
    return damaged(fmt::format("{} {} is unknown", what, number));
  return static_cast<Enum>(number);
}

}  // namespace

std::int64_t to_nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
double to_seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

Expected<std::string> encode_times(const std::vector<RunnerRecord>& runners,
                                   const NumberOfName& number) {
  std::string text;
  for (const RunnerRecord& runner : runners) {
    TRY_ASSIGN(const std::int64_t name, number(runner.runner));
    TRY_ASSIGN(const std::int64_t status, number(runner.status));
    fmt::format_to(std::back_inserter(text), "{} {} {} {};", name, status,
                   to_nanoseconds(runner.forward_s), to_nanoseconds(runner.backward_s));
  }
  return text;
}

Expected<std::vector<RunnerRecord>> decode_times(std::string_view times, const NameOfNumber& name) {
  std::vector<RunnerRecord> runners;
  const char* at = times.data();
  const char* end = at + times.size();
  while (at != end) {
    std::array<std::int64_t, 4> numbers{};
    for (std::int64_t& number : numbers) {
      auto [next, code] = std::from_chars(at, end, number);
      if (code != std::errc() || next == end)
        return damaged("the times of a record cannot be read");
      at = next + 1;
    }
    RunnerRecord runner;
    TRY_ASSIGN(runner.runner, name(numbers[0]));
    TRY_ASSIGN(runner.status, name(numbers[1]));
    runner.forward_s = to_seconds(numbers[2]);
    runner.backward_s = to_seconds(numbers[3]);
    runners.push_back(std::move(runner));
  }
  return runners;
}

Expected<Verdict> to_verdict(std::int64_t number) {
  return to_enum<Verdict>(number, k_verdict_count, "verdict");
}
Expected<Stage> to_stage(std::int64_t number) {
  return to_enum<Stage>(number, k_stage_count, "stage");
}
Expected<Reason> to_reason(std::int64_t number) {
  return to_enum<Reason>(number, k_reason_count, "reason");
}

}  // namespace opalign::store
