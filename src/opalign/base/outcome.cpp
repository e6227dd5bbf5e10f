// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/outcome.hpp>

#include <algorithm>
#include <array>

namespace opalign {
namespace {

constexpr std::array<std::string_view, 9> k_error_classes{
    "not_registered", "invalid_argument", "out_of_memory", "translation", "no_such_name",
    "not_allowed",    "no_such_dtype",    "output_limit",  "other"};
constexpr std::array<std::string_view, 6> k_statuses{"finished",       "failed",    "died",
                                                     "broke_protocol", "timed_out", "not_run"};

}  // namespace

std::string_view label(ErrorClass kind) { return k_error_classes[static_cast<std::size_t>(kind)]; }

std::optional<ErrorClass> parse_error_class(std::string_view label) {
  const auto found = std::ranges::find(k_error_classes, label);
  if (found == k_error_classes.end())
    return std::nullopt;
  return static_cast<ErrorClass>(found - k_error_classes.begin());
}

std::string_view label(OutcomeStatus status) {
  return k_statuses[static_cast<std::size_t>(status)];
}

}  // namespace opalign
