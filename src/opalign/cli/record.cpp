// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/record.hpp>

#include <array>
#include <string_view>

namespace opalign::cli {
namespace {

std::string_view label(OutcomeStatus status) {
  constexpr std::array<std::string_view, 6> k_labels{"finished",       "failed",    "died",
                                                     "broke_protocol", "timed_out", "not_run"};
  return k_labels[static_cast<std::size_t>(status)];
}

std::string_view label(ErrorClass kind) {
  constexpr std::array<std::string_view, 9> k_labels{
      "not_registered", "invalid_argument", "out_of_memory", "translation", "no_such_name",
      "not_allowed",    "no_such_dtype",    "output_limit",  "other"};
  return k_labels[static_cast<std::size_t>(kind)];
}

store::RunnerRecord make_runner_record(const Outcome& outcome) {
  store::RunnerRecord record;
  record.runner = outcome.runner;
  record.status = label(outcome.status);
  record.signal = outcome.signal;
  record.exit_code = outcome.exit_code;
  record.forward_s = outcome.forward_s;
  record.backward_s = outcome.backward_s;
  if (outcome.error) {
    record.error_class = label(outcome.error->kind);
    record.error_type = outcome.error->type;
    record.error_stage = opalign::label(outcome.error->stage);
    record.message = outcome.error->message;
    record.trace = outcome.error->trace;
  }
  return record;
}

}  // namespace

store::Record make_record(const sched::Finished& finished) {
  store::Record record;
  record.seq = finished.unit.seq;
  record.id = finished.unit.id;
  record.text = finished.unit.text;
  record.api = finished.unit.api;
  record.file = finished.unit.file;
  record.line = finished.unit.line;
  record.judgement = finished.judgement;
  for (const Outcome& outcome : finished.outcomes)
    record.runners.push_back(make_runner_record(outcome));
  record.wall_s = finished.wall_s;
  return record;
}

}  // namespace opalign::cli
