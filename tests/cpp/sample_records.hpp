// SPDX-License-Identifier: Apache-2.0
// Records as a run would write them, for the tests of store/ and report/.
#pragma once

#include <fmt/format.h>

#include <opalign/store/store.hpp>

namespace opalign::testing {

[[nodiscard]] inline store::Record passed_record(int seq) {
  store::Record record;
  record.seq = seq;
  record.id = fmt::format("{:016x}", seq);
  record.text = fmt::format("paddle.add(Tensor([{}],\"float32\"), Tensor([1],\"float32\"), )", seq);
  record.api = "paddle.add";
  record.file = "suites/smoke.txt";
  record.line = seq + 1;
  record.judgement.verdict = Verdict::pass;
  for (const char* runner : {"paddle@3.3.1:cpu", "torch@2.13.0:cpu"}) {
    store::RunnerRecord ran;
    ran.runner = runner;
    ran.status = "finished";
    ran.forward_s = 12e-6;
    ran.backward_s = 34e-6;
    record.runners.push_back(ran);
  }
  record.wall_s = 0.001;
  return record;
}

/// A gradient that differs; the reference failed in the backward stage.
[[nodiscard]] inline store::Record failed_record(int seq) {
  store::Record record = passed_record(seq);
  record.api = "paddle.nn.functional.softmax";
  record.text = "paddle.nn.functional.softmax(Tensor([2, 3],\"float32\"), axis=-1, )";
  record.judgement.verdict = Verdict::differs;
  record.judgement.stage = Stage::backward;
  record.judgement.reason = Reason::value;
  record.judgement.runner = "paddle@3.3.1:cpu";
  record.judgement.message = "grad(x): 2 of 6 elements differ";
  LeafComparison differing;
  differing.stage = Stage::backward;
  differing.path = "grad(x)";
  differing.reason = Reason::value;
  differing.message = "2 of 6 elements differ";
  differing.dtype = "float32";
  differing.shape = {2, 3};
  differing.stats.numel = 6;
  differing.stats.bit_equal = 3;
  differing.stats.mismatched = 2;
  differing.stats.class_mismatched = 1;
  differing.stats.max_abs = 0.125;
  differing.stats.max_rel = 0.0625;
  differing.stats.max_ulp = 1048576;
  differing.stats.first_mismatch = 1;
  differing.stats.worst = 5;
  differing.elements = {{{1, 2}, "1.25", "nan"}, {{0, 1}, "-0.33333334", "-0.45833334"}};
  LeafComparison agreeing = differing;
  agreeing.stage = Stage::forward;
  agreeing.path = "output";
  agreeing.reason = Reason::none;
  agreeing.message.clear();
  agreeing.elements.clear();
  agreeing.stats = {};
  agreeing.stats.numel = 6;
  agreeing.stats.bit_equal = 6;
  record.judgement.leaves = {differing, agreeing};
  store::RunnerRecord& reference = record.runners[1];
  reference.error_class = "other";
  reference.error_type = "RuntimeError";
  reference.error_stage = "backward";
  reference.message = "derivative for 'softmax' is not implemented";
  reference.trace = "File \"<translation>\", line 1, in result";
  reference.signal = 11;
  return record;
}

}  // namespace opalign::testing
