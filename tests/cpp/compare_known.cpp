// SPDX-License-Identifier: Apache-2.0
// What known differences make of a judgement: which leaves they explain, with several references,
// and beyond the leaves that are kept.
#include <doctest/doctest.h>

#include "compare_data.hpp"

using namespace compare_test;

namespace {

const Result k_one{floats({1})}, k_two{floats({2})};

KnownDifference known(std::vector<std::string> where) {
  KnownDifference entry;
  entry.name = "a.b/c";
  entry.reason = "why";
  entry.kinds = {Reason::value};
  entry.where = std::move(where);
  return entry;
}

using Known = std::vector<std::vector<KnownDifference>>;

Judgement judge(const Known& known, Outcome target, std::vector<Outcome> references) {
  target.runner = "paddle";
  references.front().runner = "torch";
  references.back().runner = references.size() == 1 ? "torch" : "jax";
  const compare::Context context{{"xs[0]", "xs[1]"}, true, true, known};
  return compare::judge(policy("paddleapitest"), context, target, references);
}

Verdict verdict(const Known& known, Outcome target, std::vector<Outcome> references) {
  return judge(known, std::move(target), std::move(references)).verdict;
}

}  // namespace

TEST_CASE("known: a place covers what is below it and nothing beside it") {
  const Outcome wrong = done(k_one, {floats({1}), floats({2})});
  const Outcome right = done(k_one, {floats({1}), floats({1})});
  CHECK(verdict({{known({})}}, wrong, {right}) == Verdict::known);
  CHECK(verdict({{known({"grad(xs)"})}}, wrong, {right}) == Verdict::known);
  CHECK(verdict({{known({"grad(xs[1])"})}}, wrong, {right}) == Verdict::known);
  CHECK(verdict({{known({"grad(xs[0])"})}}, wrong, {right}) == Verdict::differs);
  CHECK(verdict({{known({"grad(x)"})}}, wrong, {right}) == Verdict::differs);
  CHECK(verdict({{known({"output"})}}, wrong, {right}) == Verdict::differs);
  const std::vector<Result> ones(12, k_one);
  std::vector<Result> last = ones;
  last[11] = k_two;
  CHECK(verdict({{known({"output[1]"})}}, done(sequence(last)), {done(sequence(ones))}) ==
        Verdict::differs);
}

TEST_CASE("known: one that is not known decides, wherever it stands") {
  std::vector<Result> ones(50, k_one), twos(50, k_two);
  std::vector<KnownDifference> all_but_last;
  for (int i = 0; i < 49; ++i)
    all_but_last.push_back(known({"output[" + std::to_string(i) + "]"}));
  const Judgement judgement = judge({all_but_last}, done(sequence(ones)), {done(sequence(twos))});
  CHECK(judgement.verdict == Verdict::differs);
  CHECK(judgement.message.starts_with("output[49][0]: 1 != 2"));
  CHECK(judgement.message.ends_with(")"));  // no "and 49 more"
  CHECK(judgement.known.empty());
  CHECK(judgement.leaves.front().known == "a.b/c");
  CHECK(judgement.leaves.back().path == "output[49]");
}

TEST_CASE("known: the name, the reason and the first difference are told") {
  const Judgement judgement = judge({{known({"output"})}}, done(k_one), {done(k_two)});
  CHECK(judgement.verdict == Verdict::known);
  CHECK(judgement.stage == Stage::forward);
  CHECK(judgement.reason == Reason::value);
  CHECK(judgement.known == std::vector<std::string>{"a.b/c"});
  CHECK(judgement.message.starts_with("a.b/c: why; output[0]: 1 != 2"));
}

TEST_CASE("known: of each reference its own") {
  const Known of_torch{{known({})}, {}};
  CHECK(verdict(of_torch, done(k_one), {done(k_two), done(k_one)}) == Verdict::known);
  CHECK(verdict(of_torch, done(k_one), {done(k_one), done(k_two)}) == Verdict::differs);
  CHECK(verdict(of_torch, done(k_one), {done(k_two), done(k_two)}) == Verdict::differs);
  CHECK(verdict({{known({})}, {known({})}}, done(k_one), {done(k_two), done(k_two)}) ==
        Verdict::known);
}

TEST_CASE("known: a tolerance is met or it is not") {
  KnownDifference wide = known({});
  wide.rtol = 0.5;
  CHECK(verdict({{wide}}, done(k_one), {done(k_two)}) == Verdict::known_tolerance);
  CHECK(verdict({{wide}}, done(k_two), {done(k_one)}) == Verdict::differs);
  CHECK(verdict({{wide}}, done(sequence({k_one})), {done(sequence({k_one, k_one}))}) ==
        Verdict::differs);
}

TEST_CASE("known: errors by verdict, stage and kind; deaths never") {
  KnownDifference refusal;
  refusal.verdict = Verdict::target_error;
  refusal.stage = Stage::backward;
  refusal.kinds = {Reason::invalid_argument};
  const Outcome refused = raised(ErrorClass::invalid_argument, Stage::backward);
  CHECK(verdict({{refusal}}, refused, {done(k_one)}) == Verdict::known);
  CHECK(verdict({{refusal}}, raised(ErrorClass::other, Stage::backward), {done(k_one)}) ==
        Verdict::target_error);
  CHECK(verdict({{refusal}}, raised(ErrorClass::invalid_argument), {done(k_one)}) ==
        Verdict::target_error);
  // Its forward result is wrong, and nobody knows that.
  CHECK(verdict({{refusal}}, refused, {done(k_two)}) == Verdict::differs);
  CHECK(verdict({{known({})}}, ended(OutcomeStatus::died, 11), {done(k_one)}) == Verdict::crash);
}
