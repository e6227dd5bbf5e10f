// SPDX-License-Identifier: Apache-2.0
// One row a rule of docs/verdicts.md: outcomes in, the exact verdict, stage, reason and runner out.
#include <doctest/doctest.h>

#include "compare_data.hpp"

using namespace compare_test;

namespace {

const Result k_ones{floats({1, 1})}, k_twos{floats({2, 2})};

std::vector<std::optional<TensorView>> grads(std::optional<TensorView> x) { return {x}; }

Outcome modified(Outcome outcome) {
  outcome.modified = {"x", "y"};
  return outcome;
}

Outcome with_outputs(Outcome outcome, Result outputs) {
  outcome.outputs = std::move(outputs);
  return outcome;
}

struct Row {
  const char* rule;
  Outcome target, reference;
  Verdict verdict;
  Stage stage;
  Reason reason;
  const char* runner;
  const char* message;  ///< a part of it
};

std::vector<Row> fate_rows() {
  using enum Verdict;
  using enum OutcomeStatus;
  const Stage forward = Stage::forward, backward = Stage::backward, fetch = Stage::fetch;
  const Outcome ok = done(k_ones);
  return {
      {"target: no such name", raised(ErrorClass::no_such_name), ok, invalid, forward,
       Reason::no_such_name, "paddle", "paddle: ValueError: no good"},
      {"target: not allowed", raised(ErrorClass::not_allowed), ended(died, 11), invalid, forward,
       Reason::not_allowed, "paddle", ""},
      {"target: no such dtype", raised(ErrorClass::no_such_dtype), ok, unsupported, forward,
       Reason::no_such_dtype, "paddle", "no good"},
      {"reference: no such name", ok, raised(ErrorClass::no_such_name), unsupported, forward,
       Reason::no_such_name, "torch", ""},
      {"target: signal", ended(died, 11), ok, crash, forward, Reason::signal, "paddle",
       "paddle died by signal 11 (SIGSEGV) in forward"},
      {"target: signal in backward", ended(died, 6, backward), ok, crash, backward, Reason::signal,
       "paddle", "(SIGABRT) in backward"},
      {"target: exited", ended(died), ok, crash, forward, Reason::exited, "paddle",
       "exited with code 3"},
      {"target: protocol", ended(broke_protocol), ok, crash, forward, Reason::protocol, "paddle",
       "broke the protocol"},
      {"target: time", ended(timed_out), ok, timeout, forward, Reason::time_limit, "paddle",
       "time limit"},
      {"both: time", ended(timed_out), ended(timed_out), timeout, forward, Reason::time_limit,
       "paddle", ""},
      {"target: memory", raised(ErrorClass::out_of_memory), ok, out_of_memory, forward,
       Reason::memory_limit, "paddle", ""},
      {"target: memory in backward", raised(ErrorClass::out_of_memory, backward),
       done({floats({1})}), out_of_memory, backward, Reason::memory_limit, "paddle", ""},
      {"target: output", raised(ErrorClass::output_limit, fetch), done({floats({1})}),
       out_of_memory, fetch, Reason::output_limit, "paddle", ""},
      {"target: not run", ended(not_run), ok, unsupported, Stage::plan, Reason::no_translation,
       "paddle", "no translation for paddle"},
      {"reference: signal", ok, ended(died, 11), reference_error, forward, Reason::signal, "torch",
       ""},
      {"reference: exited", ok, ended(died), reference_error, forward, Reason::exited, "torch", ""},
      {"reference: protocol", ok, ended(broke_protocol), reference_error, forward, Reason::protocol,
       "torch", ""},
      {"reference: time", ok, ended(timed_out), reference_error, forward, Reason::time_limit,
       "torch", ""},
      {"reference: memory", ok, raised(ErrorClass::out_of_memory), reference_error, forward,
       Reason::memory_limit, "torch", ""},
      {"reference: translation", ok, raised(ErrorClass::translation), reference_error, forward,
       Reason::translation, "torch", ""},
      {"reference: not run", ok, ended(not_run), unsupported, Stage::plan, Reason::no_translation,
       "torch", ""},
      {"target: translation", raised(ErrorClass::translation), ok, target_error, forward,
       Reason::translation, "paddle", ""},
      {"target: not registered", raised(ErrorClass::not_registered), ok, unsupported, forward,
       Reason::not_registered, "paddle", "ValueError: no good"},
      {"reference: not registered", ok, raised(ErrorClass::not_registered), unsupported, forward,
       Reason::not_registered, "torch", "torch: ValueError"},
      {"target refuses, reference not registered", raised(ErrorClass::other),
       raised(ErrorClass::not_registered), unsupported, forward, Reason::not_registered, "torch",
       ""},
      {"backward not registered", raised(ErrorClass::not_registered, backward), done({floats({1})}),
       unsupported, backward, Reason::not_registered, "paddle", ""},
      {"forward differs before a backward that is not registered",
       raised(ErrorClass::not_registered, backward), done({floats({2})}), differs, forward,
       Reason::value, "", "output[0]: 1 != 2"},
      {"both refuse", raised(ErrorClass::invalid_argument), raised(ErrorClass::other), both_error,
       forward, Reason::invalid_argument, "",
       "paddle: ValueError: no good; torch: ValueError: no good"},
      {"both refuse, backward", raised(ErrorClass::other, backward),
       raised(ErrorClass::other, backward), both_error, backward, Reason::exception, "", ""},
      {"target refuses", raised(ErrorClass::invalid_argument), ok, target_error, forward,
       Reason::invalid_argument, "paddle", ""},
      {"target raises", raised(ErrorClass::other), ok, target_error, forward, Reason::exception,
       "paddle", ""},
      {"target refuses, reference dies", raised(ErrorClass::other), ended(died, 11),
       reference_error, forward, Reason::signal, "torch", ""},
      {"target refuses earlier", raised(ErrorClass::other), raised(ErrorClass::other, backward),
       target_error, forward, Reason::exception, "paddle", ""},
      {"reference refuses earlier", raised(ErrorClass::other, backward),
       raised(ErrorClass::invalid_argument), too_permissive, forward, Reason::invalid_argument,
       "paddle", ""},
      {"only the reference refuses", ok, raised(ErrorClass::invalid_argument), too_permissive,
       forward, Reason::invalid_argument, "paddle",
       "paddle accepts what the reference refuses; torch: ValueError"},
      {"only the reference raises", ok, raised(ErrorClass::other), reference_error, forward,
       Reason::exception, "torch", ""},
      {"failed without an error", ended(failed), ok, target_error, forward, Reason::exception,
       "paddle", "failed without an error"},
  };
}

std::vector<Row> result_rows() {
  using enum Verdict;
  const Stage none = Stage::none, forward = Stage::forward, backward = Stage::backward;
  const Result nothing{}, zeros{floats({0, -0.0})}, nans{floats({k_nan, k_nan})},
      empty{tensor(DType::float32, {0, 3}, {})};
  const Outcome differentiable = done(k_ones, grads(floats({1, 2})));
  return {
      {"agree", done(k_ones), done(k_ones), pass, none, Reason::none, "", ""},
      {"agree with gradients", differentiable, differentiable, pass, none, Reason::none, "", ""},
      {"value", done(k_ones), done(k_twos), differs, forward, Reason::value, "",
       "output[0]: 1 != 2 (2 of 2 elements, max abs 1, max rel 0.5, limit atol 0.01 rtol 0.01)"},
      {"class", done(nans), done(k_ones), differs, forward, Reason::nonfinite, "",
       "output[0]: nan != 1 (2 of 2 elements differ in nan or inf, 0 in value)"},
      {"shape", done(k_ones), done({tensor(DType::float32, {2, 1}, {1, 1})}), differs, forward,
       Reason::shape, "", "output: shape [2] != [2, 1]"},
      {"dtype", done(k_ones), done({vector(DType::float64, {1, 1})}), differs, forward,
       Reason::dtype, "", "output: dtype float32 != float64"},
      {"length", done(sequence({k_ones, k_ones})), done(sequence({k_ones})), differs, forward,
       Reason::structure, "", "output: sequence of 2 != sequence of 1"},
      {"second item", done(sequence({k_ones, k_ones})), done(sequence({k_ones, k_twos})), differs,
       forward, Reason::value, "", "output[1][0]: 1 != 2"},
      {"None", done(k_ones), done(nothing), differs, forward, Reason::structure, "",
       "output: tensor float32 [2] != None"},
      {"one item and no sequence", done(sequence({k_ones})), done(k_ones), differs, forward,
       Reason::structure, "", ""},
      {"0-D tensor and Python scalar", done({tensor(DType::float32, {}, {1})}), done({1.0}),
       differs, forward, Reason::structure, "", "output: tensor float32 [] != float 1"},
      {"0-D tensors", done({tensor(DType::float32, {}, {1})}),
       done({tensor(DType::float32, {}, {2})}), differs, forward, Reason::value, "",
       "output: 1 != 2 (1 of 1 "},
      {"int and float", done({std::int64_t{3}}), done({3.0}), differs, forward, Reason::dtype, "",
       "output: int 3 != float 3"},
      {"bool and int", done({true}), done({std::int64_t{1}}), differs, forward, Reason::dtype, "",
       "output: bool True != int 1"},
      {"scalars agree", done({3.001}), done({3.0}), pass, none, Reason::none, "", ""},
      {"scalars differ", done({std::complex<double>(1, 2)}), done({std::complex<double>(1, -2)}),
       differs, forward, Reason::value, "", "output: 1+2j != 1-2j"},
      {"strings", done({std::string("a\nb")}), done({std::string("c")}), differs, forward,
       Reason::value, "", "output: str \"a b\" != \"c\""},
      {"dtypes agree", done({ResultDType{"int64"}}), done({ResultDType{"int64"}}), pass, none,
       Reason::none, "", ""},
      {"dtypes differ", done({ResultDType{"int32"}}), done({ResultDType{"int64"}}), differs,
       forward, Reason::value, "", "dtype \"int32\" != \"int64\""},
      {"others agree", done({ResultOther{"Place"}}), done({ResultOther{"Place"}}), vacuous, none,
       Reason::none, "", "None"},
      {"others differ", done({ResultOther{"Place"}}), done({ResultOther{"device"}}), differs,
       forward, Reason::structure, "", "Place != device"},
      {"mappings, other order", done({ResultMapping{{{"a", k_ones}, {"b", k_twos}}}}),
       done({ResultMapping{{{"b", k_twos}, {"a", k_ones}}}}), pass, none, Reason::none, "", ""},
      {"mappings, value", done({ResultMapping{{{"a", k_ones}}}}),
       done({ResultMapping{{{"a", k_twos}}}}), differs, forward, Reason::value, "",
       "output[\"a\"][0]: 1 != 2"},
      {"mappings, keys", done({ResultMapping{{{"a", k_ones}}}}),
       done({ResultMapping{{{"b", k_ones}}}}), differs, forward, Reason::structure, "",
       "output[\"a\"]: only the target returns this key and 1 more"},
      {"target changed an input", modified(done(k_ones)), modified(done(k_ones)), differs, forward,
       Reason::input_modified, "paddle", "paddle changed its input x, y"},
      {"reference changed an input", done(k_ones), modified(done(k_ones)), differs, forward,
       Reason::input_modified, "torch", ""},
      {"gradient", done(k_ones, grads(floats({1, 2}))), done(k_ones, grads(floats({1, 3}))),
       differs, backward, Reason::value, "", "grad(x)[1]: 2 != 3"},
      {"forward before backward", done(k_ones, grads(floats({1, 2}))),
       done(k_twos, grads(floats({1, 3}))), differs, forward, Reason::value, "", "and 1 more"},
      {"gradient's shape", done(k_ones, grads(floats({1, 2}))),
       done(k_ones, grads(floats({1, 2, 3}))), differs, backward, Reason::shape, "", ""},
      {"null and zero gradient", done(k_ones, grads(std::nullopt)),
       done(k_ones, grads(floats({0, -0.0}))), pass, none, Reason::none, "", ""},
      {"null and other gradient", done(k_ones, grads(std::nullopt)),
       done(k_ones, grads(floats({0, 1}))), differs, backward, Reason::structure, "",
       "grad(x): only the reference has a gradient that is not zero"},
      {"only one differentiable", done(k_ones), differentiable, differs, backward,
       Reason::structure, "", "torch is differentiable here, paddle is not"},
      {"one differentiable, zero gradients", done(k_ones, grads(floats({0, 0}))), done(k_ones),
       pass, none, Reason::none, "", ""},
      {"empty", done(empty), done(empty), vacuous, none, Reason::none, "",
       "agreement proves nothing: all is empty"},
      {"zero", done(zeros), done(zeros), vacuous, none, Reason::none, "", "all is zero"},
      {"nan", done(nans), done(nans), vacuous, none, Reason::none, "", "all is nan"},
      {"empty and zero", done(sequence({empty, zeros})), done(sequence({empty, zeros})), vacuous,
       none, Reason::none, "", "empty or zero"},
      {"zero and something", done(sequence({zeros, k_ones})), done(sequence({zeros, k_ones})), pass,
       none, Reason::none, "", ""},
      {"zero, gradient not", done(zeros, grads(floats({1, 1}))), done(zeros, grads(floats({1, 1}))),
       pass, none, Reason::none, "", ""},
      {"false", done({vector(DType::boolean, {0, 0})}), done({vector(DType::boolean, {0, 0})}),
       vacuous, none, Reason::none, "", ""},
      {"no output", done(sequence({})), done(sequence({})), vacuous, none, Reason::none, "",
       "there is no output"},
      {"None only", done(nothing), done(nothing), vacuous, none, Reason::none, "", ""},
      {"zero differs from its near", done(zeros), done({floats({0, 0.02})}), differs, forward,
       Reason::value, "", ""},
  };
}

void check(const Row& row) {
  Outcome target = row.target, reference = row.reference;
  target.runner = "paddle";
  reference.runner = "torch";
  const compare::Context context{{"x"}, true, true};
  const Judgement judgement =
      compare::judge(policy("paddleapitest"), context, target, std::span(&reference, 1));
  CAPTURE(row.rule);
  CAPTURE(judgement.message);
  CHECK(label(judgement.verdict) == label(row.verdict));
  CHECK(label(judgement.stage) == label(row.stage));
  CHECK(label(judgement.reason) == label(row.reason));
  CHECK(judgement.runner == row.runner);
  CHECK(judgement.message.find(row.message) != std::string::npos);
  CHECK(judgement.message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("compare: what became of the runners decides first") {
  for (const Row& row : fate_rows())
    check(row);
}

TEST_CASE("compare: results of a pair") {
  for (const Row& row : result_rows())
    check(row);
}

TEST_CASE("compare: random results are held to structure, shape and dtype only") {
  const compare::Context context{{"x"}, false, true};
  const auto verdict = [&](const Outcome& target, const Outcome& reference) {
    return compare::judge(policy("torch"), context, target, std::span(&reference, 1)).verdict;
  };
  CHECK(verdict(done(k_ones), done(k_twos)) == Verdict::pass);
  CHECK(verdict(done({floats({0})}), done({floats({0})})) == Verdict::pass);
  CHECK(verdict(done(k_ones), done({floats({1})})) == Verdict::differs);
  CHECK(verdict(with_outputs(done(k_ones), {vector(DType::int32, {1, 1})}), done(k_ones)) ==
        Verdict::differs);
}

TEST_CASE("memory that changes while it is compared is a difference, and nothing worse") {
  std::vector<float> theirs{1, 2}, ours{2, 1};
  const auto view = [](std::vector<float>& values) {
    return Result{TensorView{DType::float32, {2}, reinterpret_cast<std::byte*>(values.data())}};
  };
  compare::Context context;
  int windows = 0;
  context.touched = [&](std::size_t) {
    if (++windows == 2)  // equal from when the statistics are done
      theirs = ours;
  };
  const Outcome reference = done(view(ours));
  const Judgement judgement =
      compare::judge(policy("torch"), context, done(view(theirs)), std::span(&reference, 1));
  CHECK(judgement.verdict == Verdict::differs);
  CHECK(judgement.reason == Reason::value);
  CHECK(judgement.message.find("changed while it was compared") != std::string::npos);
}
