// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/repro_case.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <opalign/base/interrupt.hpp>
#include <opalign/cli/launch.hpp>
#include <opalign/cli/run_options.hpp>
#include <opalign/plan/plan.hpp>
#include <opalign/sched/scheduler.hpp>
#include <opalign/value/pool.hpp>

namespace opalign::cli {
namespace {

std::optional<double> number_fact(const store::Facts& facts, const std::string& key) {
  const std::string text = store::fact(facts, key);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

void collect_leaves(const Result& result, const std::string& path, ReproRunner& runner) {
  if (const auto* tensor = std::get_if<TensorView>(&result.value)) {
    if (value::pool_offset(tensor->dtype))
      runner.leaves.push_back({path, tensor->dtype, tensor->shape});
  } else if (const auto* sequence = std::get_if<ResultSequence>(&result.value)) {
    for (std::size_t i = 0; i < sequence->items.size(); ++i)
      collect_leaves(sequence->items[i], fmt::format("{}[{}]", path, i), runner);
  } else if (const auto* mapping = std::get_if<ResultMapping>(&result.value)) {
    for (const auto& [key, item] : mapping->items)
      collect_leaves(item, fmt::format("{}[\"{}\"]", path, key), runner);
  }
}

/// What upstream gradients need to know: the outputs of a runner.
void take_outputs(const Outcome& outcome, ReproRunner& runner) {
  if (outcome.status != OutcomeStatus::finished)
    return;
  runner.kind = std::holds_alternative<TensorView>(outcome.outputs.value) ? "tensor" : "nested";
  collect_leaves(outcome.outputs, "output", runner);
}

}  // namespace

Expected<std::vector<ReproRunner>> find_runners(const store::Facts& facts,
                                                const catalog::Catalog& catalog) {
  std::istringstream specs(store::fact(facts, "target") + " " + store::fact(facts, "references"));
  std::vector<ReproRunner> runners;
  for (std::string text; specs >> text;) {
    TRY_ASSIGN(const RunnerSpec spec, parse_runner_spec(text));
    ReproRunner runner{text, spec.framework, {}, {}, catalog.preludes(spec.framework), {}, "",
                       true};
    if (Expected<ResolvedRunner> found = resolve_runner(text))
      runner.here = std::move(*found);
    else
      fmt::print(stderr, "opalign: note: {}\n", found.error().text());
    runners.push_back(std::move(runner));
  }
  return runners;
}

Expected<void> plan_case(const catalog::Catalog& catalog, ReproCase& repro) {
  const store::Record& record = repro.record;
  const cases::SuiteCase source{record.text, record.file, record.line};
  std::vector<std::string> frameworks;
  for (const ReproRunner& runner : repro.runners)
    frameworks.push_back(runner.framework);
  repro.unit = plan::Planner(catalog, frameworks, {}).plan(0, source);
  const std::optional<Judgement> refused = std::exchange(repro.unit.judgement, std::nullopt);
  bool any = false;
  for (std::size_t i = 0; i < frameworks.size(); ++i) {
    plan::Program& program = repro.unit.programs[i];
    if (refused) {
      plan::Unit alone = plan::Planner(catalog, {frameworks[i]}, {}).plan(0, source);
      program = alone.judgement ? plan::Program() : std::move(alone.programs.front());
      if (!alone.judgement)
        repro.unit.inputs = std::move(alone.inputs);
    }
    repro.runners[i].program = program;
    any = any || program.kind == plan::Program::Kind::run;
  }
  if (!any)
    return fail(fmt::format("{}: nothing to reproduce: {}", record.id,
                            refused ? refused->message : "no runner has a program"),
                "only a case that can run has scripts");
  return {};
}

Expected<void> run_again(ReproCase& repro) {
  RunOptions options;
  TRY(complete(options));
  options.sched.slots = 1;
  options.sched.threads = 1;
  options.sched.seed = repro.seed;
  std::vector<sched::RunnerLaunch> launches;
  std::vector<ReproRunner*> runners;
  plan::Unit whole = repro.unit;
  whole.seq = 1;
  whole.programs.clear();
  for (ReproRunner& runner : repro.runners) {
    if (!runner.here || runner.program.kind != plan::Program::Kind::run)
      continue;
    TRY_ASSIGN(sched::RunnerLaunch launch,
               make_launch(*runner.here, {options.sched.threads, options.sched.output_limit,
                                          options.kept_memory, runner.preludes}));
    launches.push_back(std::move(launch));
    whole.programs.push_back(runner.program);
    runners.push_back(&runner);
  }
  if (runners.empty())
    return {};
  plan::Unit forward = whole;
  forward.seq = 0;
  for (plan::Program& program : forward.programs) {
    nlohmann::json body = nlohmann::json::parse(program.body);
    body["backward"] = 0;
    program.body = body.dump();
  }
  const std::string policy_name = store::fact(repro.facts, "policy");
  TRY_ASSIGN(
      const compare::Policy policy,
      compare::make_policy(policy_name.empty() ? options.policy : policy_name,
                           number_fact(repro.facts, "atol"), number_fact(repro.facts, "rtol")));
  std::vector<plan::Unit> waiting{std::move(whole), std::move(forward)};
  const auto next = [&]() -> Offer<plan::Unit> {
    if (waiting.empty())
      return {std::nullopt, true};
    Offer<plan::Unit> offer{std::move(waiting.back())};
    waiting.pop_back();
    return offer;
  };
  const auto finished = [&](const sched::Finished& result) -> Expected<void> {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const Outcome& outcome = result.outcomes[i];
      if (result.unit.seq == 0)
        take_outputs(outcome, *runners[i]);
      else if (outcome.has_gradients)
        runners[i]->differentiates =
            std::ranges::any_of(outcome.gradients, [](const auto& g) { return g.has_value(); });
    }
    if (result.unit.seq == 1 && runners.size() == repro.runners.size())
      repro.again = label(result.judgement.verdict);
    return {};
  };
  catch_interrupts();
  const Expected<sched::Totals> totals =
      sched::run(options.sched, launches, policy, next, finished, [] { return Expected<void>(); });
  if (!totals)  // the scripts are worth having all the same
    fmt::print(stderr, "opalign: note: {}\n", totals.error().text());
  else if (totals->interrupted)
    return fail("interrupted");
  return {};
}

}  // namespace opalign::cli
