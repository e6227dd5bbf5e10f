// SPDX-License-Identifier: Apache-2.0
#include <opalign/sched/flight.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/sched/place_inputs.hpp>
#include <opalign/value/pool.hpp>

namespace opalign::sched {
namespace {

/// While another runner of the unit is still busy too, nobody knows what is slow: patience.
constexpr double k_patience = 6;
constexpr double k_slower = 20;

}  // namespace

void Flight::refuse(Verdict verdict, Reason reason, std::string message) {
  unit.judgement = {verdict, Stage::plan, reason, "", std::move(message), {}};
  std::ranges::fill(unit.programs, plan::Program());
}

bool Flight::is_complete() const {
  return std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome.has_value(); });
}

bool Flight::is_unsupported() const {
  const std::optional<Outcome>& target = outcomes.front();
  return target && target->status == OutcomeStatus::failed && target->error &&
         target->error->kind == ErrorClass::not_registered;
}

double Flight::time_limit_s(std::size_t runner, double least) const {
  double limit = least;
  for (std::size_t other = 0; other < outcomes.size(); ++other) {
    if (other == runner)
      continue;
    const std::optional<Outcome>& outcome = outcomes[other];
    limit = std::max(limit, outcome ? k_slower * (outcome->forward_s + outcome->backward_s)
                                    : k_patience * least);
  }
  return limit;
}

Job Flight::job(std::uint64_t number, std::size_t runner, const std::string& tensors,
                std::uint64_t seed) const {
  const plan::Program& program = unit.programs[runner];
  Job job;
  job.id = job_id(number, runner);
  job.resolve = program.kind == plan::Program::Kind::resolve;
  for (const plan::Input& input : unit.inputs)
    job.input_names.push_back(input.name);
  job.region = region;
  job.kind = unit.api;
  job.body = job.resolve ? fmt::format(R"("name":"{}")", program.body)
                         : fmt::format(R"("tensors":{},"program":{},"pool":{})", tensors,
                                       program.body, value::pool_start(unit.id, seed));
  return job;
}

compare::Context Flight::context(Touched touched) const {
  compare::Context context;
  context.touched = std::move(touched);
  context.values = unit.compare_values;
  context.inputs_finite = unit.inputs_finite;
  context.known = unit.known;
  for (const plan::Input& input : unit.inputs)
    if (input.differentiable)
      context.gradient_names.push_back(input.name);
  return context;
}

}  // namespace opalign::sched
