// SPDX-License-Identifier: Apache-2.0
// The closed vocabulary of results: verdict, stage, reason. One table; no other place knows a
// label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace opalign {

/// What the comparison says of a case. The numbers reach run.db; they are fixed.
enum class Verdict : std::uint8_t {
  pass = 0,
  vacuous = 1,
  known = 2,
  known_tolerance = 3,
  expected_failure = 4,
  differs = 5,
  too_permissive = 6,
  target_error = 7,
  reference_error = 8,
  both_error = 9,
  crash = 10,
  timeout = 11,
  out_of_memory = 12,
  flaky = 13,
  unexpected_pass = 14,
  unsupported = 15,
  invalid = 16,
  skipped = 17,
};

/// Where it was decided.
enum class Stage : std::uint8_t {
  none = 0,
  parse = 1,
  plan = 2,
  forward = 3,
  backward = 4,
  fetch = 5
};

/// Why a verdict is not a pass.
enum class Reason : std::uint8_t {
  none = 0,
  structure = 1,
  shape = 2,
  dtype = 3,
  nonfinite = 4,
  value = 5,
  input_modified = 6,
  unstable = 7,
  no_translation = 8,
  not_registered = 9,
  invalid_argument = 10,
  translation = 11,
  exception = 12,
  signal = 13,
  exited = 14,
  protocol = 15,
  time_limit = 16,
  memory_limit = 17,
  output_limit = 18,
  syntax = 19,
  no_such_name = 20,
  not_allowed = 21,
  not_bound = 22,
  no_such_dtype = 23,
};

// Numbers read from a file are below these.
inline constexpr int k_verdict_count = 18;
inline constexpr int k_stage_count = 6;
inline constexpr int k_reason_count = 24;

struct VerdictInfo {
  Verdict verdict;
  std::string_view label;
  bool is_failure;  ///< makes `opalign run` exit with 1
  std::string_view meaning;
};

[[nodiscard]] std::span<const VerdictInfo> verdict_table();
[[nodiscard]] const VerdictInfo& info(Verdict verdict);
[[nodiscard]] std::string_view label(Verdict verdict);
[[nodiscard]] std::string_view label(Stage stage);
[[nodiscard]] std::string_view label(Reason reason);
[[nodiscard]] std::optional<Verdict> parse_verdict(std::string_view label);

}  // namespace opalign
