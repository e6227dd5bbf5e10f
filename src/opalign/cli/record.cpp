// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/record.hpp>

namespace opalign::cli {
namespace {

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
    record.error_stage = label(outcome.error->stage);
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
