// SPDX-License-Identifier: Apache-2.0
// The row of a record: its numbers and the runners' times as they stand in run.db.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/store/store.hpp>

namespace opalign::store {

[[nodiscard]] std::int64_t to_nanoseconds(double seconds);
[[nodiscard]] double to_seconds(std::int64_t nanoseconds);

/// The number that stands for a text in the name table, and back.
using NumberOfName = std::function<Expected<std::int64_t>(const std::string&)>;
using NameOfNumber = std::function<Expected<std::string>(std::int64_t)>;

Expected<std::string> encode_times(const std::vector<RunnerRecord>& runners,
                                   const NumberOfName& number);
Expected<std::vector<RunnerRecord>> decode_times(std::string_view times, const NameOfNumber& name);

// A number of base/verdict.hpp from a file; an error if it is none.
Expected<Verdict> to_verdict(std::int64_t number);
Expected<Stage> to_stage(std::int64_t number);
Expected<Reason> to_reason(std::int64_t number);

}  // namespace opalign::store
