// SPDX-License-Identifier: Apache-2.0
// Judging with no reference and with several, the leaves of a judgement, and hostile outcomes.
#include <doctest/doctest.h>

#include "compare_data.hpp"

using namespace compare_test;

namespace {

const Result k_one{floats({1})}, k_two{floats({2})}, k_three{floats({3})};

Outcome named(std::string runner, Outcome outcome) {
  outcome.runner = std::move(runner);
  return outcome;
}

Judgement judge(Outcome target, std::vector<Outcome> references,
                const compare::Context& context = {{"x"}, true, true}) {
  return compare::judge(policy("paddleapitest"), context, named("paddle", std::move(target)),
                        references);
}

struct Expectation {
  Verdict verdict;
  Stage stage;
  Reason reason;
  std::string message;
};

void check(const Judgement& judgement, const Expectation& want, std::string_view runner) {
  CHECK(label(judgement.verdict) == label(want.verdict));
  CHECK(label(judgement.stage) == label(want.stage));
  CHECK(label(judgement.reason) == label(want.reason));
  CHECK(judgement.message == want.message);
  CHECK(judgement.runner == runner);
}

}  // namespace

TEST_CASE("compare: without a reference a call must run, be finite, and keep its inputs") {
  const Result holed{tensor(DType::float32, {1, 4}, {1, 2, 3, k_nan})};
  check(judge(done(k_one), {}), {Verdict::pass, Stage::none, Reason::none, ""}, "");
  check(
      judge(done(holed), {}),
      {Verdict::differs, Stage::forward, Reason::nonfinite, "output[0, 3]: nan from finite inputs"},
      "paddle");
  check(judge(done(sequence({k_one, {ResultMapping{{{"k", {-k_inf}}}}}})), {}),
        {Verdict::differs, Stage::forward, Reason::nonfinite,
         "output[1][\"k\"]: -inf from finite inputs"},
        "paddle");
  check(
      judge(done(k_one, {floats({0, k_inf})}), {}),
      {Verdict::differs, Stage::backward, Reason::nonfinite, "grad(x)[1]: inf from finite inputs"},
      "paddle");
  CHECK(judge(done(holed), {}, {{"x"}, true, false}).verdict == Verdict::pass);
  CHECK(judge(done(holed), {}, {{"x"}, false, true}).verdict == Verdict::pass);
  check(judge(raised(ErrorClass::other), {}),
        {Verdict::target_error, Stage::forward, Reason::exception, "paddle: ValueError: no good"},
        "paddle");
  CHECK(judge(raised(ErrorClass::other, Stage::backward), {}).stage == Stage::backward);
  CHECK(judge(ended(OutcomeStatus::died, 11), {}).verdict == Verdict::crash);
  CHECK(judge(raised(ErrorClass::not_registered), {}).verdict == Verdict::unsupported);
  Outcome writes = done(k_one);
  writes.modified = {"x"};
  CHECK(judge(writes, {}).reason == Reason::input_modified);
}

TEST_CASE("compare: of several references the odd one out is named") {
  const auto torch = [](Outcome outcome) { return named("torch", std::move(outcome)); };
  const auto jax = [](Outcome outcome) { return named("jax", std::move(outcome)); };
  const std::string one_two =
      "output[0]: 1 != 2 (1 of 1 elements, max abs 1, max rel 0.5, "
      "limit atol 0.01 rtol 0.01)";
  check(judge(done(k_one), {torch(done(k_one)), jax(done(k_one))}),
        {Verdict::pass, Stage::none, Reason::none, ""}, "");
  check(judge(done(k_one), {torch(done(k_two)), jax(done(k_two))}),
        {Verdict::differs, Stage::forward, Reason::value,
         "against torch: " + one_two + "; torch and jax agree: paddle is the odd one out"},
        "paddle");
  check(judge(done(k_one), {torch(done(k_one)), jax(done(k_two))}),
        {Verdict::differs, Stage::forward, Reason::value,
         "against jax: " + one_two + "; paddle agrees with torch: jax is the odd one out"},
        "jax");
  check(judge(done(k_one), {torch(done(k_two)), jax(done(k_three))}),
        {Verdict::differs, Stage::forward, Reason::value,
         "against torch: " + one_two + "; torch and jax disagree too"},
        "");
  check(judge(raised(ErrorClass::other), {torch(done(k_two)), jax(done(k_two))}),
        {Verdict::target_error, Stage::forward, Reason::exception,
         "against torch: paddle: ValueError: no good; torch and jax agree: paddle is the odd one "
         "out"},
        "paddle");
  check(judge(done(k_one), {torch(ended(OutcomeStatus::died, 9)), jax(done(k_one))}),
        {Verdict::reference_error, Stage::forward, Reason::signal,
         "against torch: torch died by signal 9 (SIGKILL) in forward; paddle agrees with jax: "
         "torch is the odd one out"},
        "torch");
  check(judge(ended(OutcomeStatus::died, 11), {torch(done(k_two)), jax(done(k_two))}),
        {Verdict::crash, Stage::forward, Reason::signal,
         "paddle died by signal 11 (SIGSEGV) in forward"},
        "paddle");
}

TEST_CASE("compare: a reference that cannot say anything does not matter beside one that can") {
  const Outcome mute = named("torch", raised(ErrorClass::not_registered)),
                absent = named("jax", ended(OutcomeStatus::not_run)),
                same = named("numpy", done(k_one)), other = named("numpy", done(k_two));
  CHECK(judge(done(k_one), {mute, absent, same}).verdict == Verdict::pass);
  const Judgement differing = judge(done(k_one), {mute, absent, other});
  CHECK(differing.verdict == Verdict::differs);
  CHECK(differing.message.starts_with("against numpy: output[0]: 1 != 2"));
  const Judgement unsupported = judge(done(k_one), {mute, absent});
  CHECK(unsupported.verdict == Verdict::unsupported);
  CHECK(unsupported.runner == "torch");
}

TEST_CASE(
    "compare: all leaves are compared, those that disagree come first, worst elements first") {
  const Result a = sequence({k_one, {floats({1, 2, 3, k_nan, 5})}, {std::int64_t{7}}});
  const Result b = sequence({k_one, {floats({1, 4, 30, 1, 5})}, {std::int64_t{8}}});
  const Judgement judgement =
      judge(done(a, {floats({1})}), {named("torch", done(b, {floats({2})}))});
  REQUIRE(judgement.leaves.size() == 4);
  CHECK(judgement.message ==
        "output[1][3]: nan != 1 (1 of 5 elements differ in nan or inf, 2 in value) and 2 more");
  const LeafComparison& leaf = judgement.leaves[0];
  CHECK(leaf.path == "output[1]");
  CHECK(leaf.dtype == "float32");
  CHECK(leaf.shape == Shape{5});
  CHECK(leaf.stats.mismatched == 3);
  CHECK(leaf.stats.first_mismatch == 1);
  REQUIRE(leaf.elements.size() == 3);
  CHECK(leaf.elements[0].index == std::vector<std::int64_t>{3});
  CHECK(leaf.elements[1].index == std::vector<std::int64_t>{2});
  CHECK(leaf.elements[1].target == "3");
  CHECK(leaf.elements[1].reference == "30");
  CHECK(judgement.leaves[1].message.starts_with("output[2]: 7 != 8 (1 of 1 elements"));
  CHECK(judgement.leaves[2].path == "grad(x)");
  CHECK(judgement.leaves[2].stage == Stage::backward);
  CHECK(judgement.leaves[3].reason == Reason::none);
}

TEST_CASE("compare: at most 8 elements are shown, and a bounded number of leaves") {
  std::vector<double> a(100), b(100);
  for (std::size_t i = 0; i < 100; ++i)
    a[i] = static_cast<double>(i);
  const Judgement wide = judge(done({floats(a)}), {named("torch", done({floats(b)}))});
  REQUIRE(wide.leaves[0].elements.size() == 8);
  CHECK(wide.leaves[0].elements[0].target == "99");
  CHECK(wide.leaves[0].elements[7].target == "92");

  const Result ones = sequence(std::vector<Result>(1000, k_one)),
               twos = sequence(std::vector<Result>(1000, k_two));
  const Judgement many = judge(done(ones), {named("torch", done(twos))});
  CHECK(many.leaves.size() < 100);
  CHECK(many.message.ends_with(" and 999 more"));
}

TEST_CASE("compare: hostile outcomes become verdicts") {
  const TensorView null{DType::float32, {2}, nullptr}, negative{DType::float32, {-2}, nullptr},
      strange{static_cast<DType>(200), {2}, floats({1, 1}).data};
  for (const TensorView& bad : {null, negative, strange}) {
    check(judge(done({bad}), {named("torch", done(k_one))}),
          {Verdict::differs, Stage::forward, Reason::structure,
           "output: malformed tensor from the target"},
          "");
    CHECK(judge(done(k_one), {named("torch", done({bad}))}).message ==
          "output: malformed tensor from the reference");
    CHECK(judge(done({bad}), {named("torch", done(Result{}))}).message ==
          "output: malformed tensor != None");
    CHECK(judge(done({bad}), {}).reason == Reason::structure);
    CHECK(judge(done(k_one, {bad}), {named("torch", done(k_one, {std::nullopt}))}).stage ==
          Stage::backward);
    CHECK(judge(done(k_one, {bad}), {named("torch", done(k_one))}).verdict == Verdict::differs);
  }
  const TensorView empty{DType::float32, {0, 3}, nullptr};
  CHECK(judge(done({empty}), {named("torch", done({empty}))}).verdict == Verdict::vacuous);

  Result deep = k_one;
  for (int i = 0; i < 1000; ++i)
    deep = sequence({deep});
  for (const std::vector<Outcome>& references :
       {std::vector<Outcome>{}, {named("torch", done(deep))}}) {
    const Judgement judgement = judge(done(deep), references);
    CHECK(judgement.reason == Reason::structure);
    CHECK(judgement.message.find("nested deeper than 32 levels") != std::string::npos);
  }

  Outcome liar = done(k_one);
  liar.has_gradients = true;
  liar.gradients.assign(5, floats({1}));
  CHECK(judge(liar, {named("torch", done(k_one, {floats({1})}))})
            .message.starts_with("grad(#1): only the target has a gradient"));
  liar.error = RunnerError{ErrorClass::other, Stage::forward, "", std::string(10000, '\t'), ""};
  CHECK(judge(liar, {named("torch", done(k_one))}).verdict == Verdict::target_error);
}
