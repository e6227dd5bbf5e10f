// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/plan.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/plan/draft.hpp>
#include <opalign/plan/inputs.hpp>
#include <opalign/plan/known.hpp>
#include <opalign/plan/program.hpp>

namespace opalign::plan {
namespace {

Judgement judged(Verdict verdict, Stage stage, Reason reason, const Error& error) {
  return {verdict, stage, reason, "", error.text(), {}};
}

Judgement invalid(Reason reason, const Error& error) {
  return judged(Verdict::invalid, Stage::plan, reason, error);
}

/// What a case is known by: its canonical text, or the text itself where that is no case.
std::string text_of(const Expected<cases::Case>& parsed, const cases::SuiteCase& source) {
  return parsed ? cases::print(*parsed) : source.text;
}

/// Binds all calls and makes the unit's inputs, in the order of the text.
std::optional<Judgement> bind_all(Draft& draft, const Options& options, Unit& unit) {
  std::size_t room = options.max_input_bytes;
  for (Step& step : draft.steps) {
    unit.inputs_finite = unit.inputs_finite && !has_nonfinite(step);
    Expected<std::vector<Input>> inputs = bind(step, unit.inputs.size());
    if (!inputs)
      return invalid(Reason::not_bound, inputs.error());
    for (Input& input : *inputs) {
      // Elements are drawn densely, and with strides of 0 they may be more than the buffer holds.
      const std::size_t elements = static_cast<std::size_t>(*numel(input.shape));
      const std::size_t bytes =
          std::max(aligned(buffer_bytes(input)), elements * size_of(input.dtype));
      if (bytes > room)
        return judged(Verdict::skipped, Stage::plan, Reason::memory_limit,
                      {fmt::format("inputs take more than {} bytes", options.max_input_bytes),
                       "raise --max-input-bytes"});
      room -= bytes;
      unit.inputs.push_back(std::move(input));
    }
  }
  return std::nullopt;
}

/// What the entry's `compare` says of this call.
std::optional<Judgement> choose_comparison(const Step& step, Unit& unit) {
  if (step.entry == nullptr || !step.entry->compare)
    return std::nullopt;
  const catalog::Invariant& compare = *step.entry->compare;
  unit.has_invariant = true;
  if (compare.when) {
    const Expected<bool> holds = holds_for(*compare.when, step.bound);
    if (!holds)
      return invalid(Reason::not_bound, holds.error());
    unit.has_invariant = *holds;
  }
  unit.compare_values = !(unit.has_invariant && compare.meta);
  return std::nullopt;
}

bool has_entries(const catalog::Catalog& catalog, const std::string& framework) {
  const auto found = catalog.entries().lower_bound(framework + ".");
  return found != catalog.entries().end() && framework_of(found->first) == framework;
}

}  // namespace

std::string id_of(const cases::SuiteCase& source) {
  return cases::case_id(text_of(cases::parse(source.text), source));
}

Planner::Planner(const catalog::Catalog& catalog, std::vector<std::string> frameworks,
                 Options options)
    : m_catalog(catalog), m_frameworks(std::move(frameworks)), m_options(options) {}

Unit Planner::plan(std::int64_t seq, const cases::SuiteCase& source) const {
  Unit unit;
  unit.seq = seq;
  unit.file = source.file;
  unit.line = source.line;
  unit.programs.resize(m_frameworks.size());

  const Expected<cases::Case> parsed = cases::parse(source.text, {source.file, source.line});
  unit.text = text_of(parsed, source);
  unit.id = cases::case_id(unit.text);
  if (!parsed) {
    unit.judgement = judged(Verdict::invalid, Stage::parse, Reason::syntax, parsed.error());
    return unit;
  }
  Draft draft = draft_of(*parsed, m_catalog);
  const Step* call = draft.first_call();
  if (call == nullptr) {
    unit.judgement =
        invalid(Reason::syntax, {"expected a call", "a case calls at least one operator"});
    return unit;
  }
  unit.api = call->api;
  unit.judgement = prepare(draft, unit);
  if (!unit.judgement)
    write_programs(draft, unit);
  return unit;
}

std::optional<Judgement> Planner::prepare(Draft& draft, Unit& unit) const {
  if (std::optional<Judgement> refused = bind_all(draft, m_options, unit))
    return refused;
  unit.backward =
      std::ranges::any_of(unit.inputs, [](const Input& input) { return input.differentiable; });
  if (const Step* only = draft.only()) {
    if (std::optional<Judgement> refused = choose_comparison(*only, unit))
      return refused;
    if (only->entry != nullptr && m_options.known)
      unit.known = known_differences(*only->entry, only->bound, unit.inputs, m_frameworks);
  }
  const std::string framework(framework_of(unit.api));
  if (std::ranges::find(m_frameworks, framework) == m_frameworks.end() &&
      !has_entries(m_catalog, framework))
    return invalid(
        Reason::no_such_name,
        {fmt::format("{}: {} is no framework of this run, nor one that the catalog knows", unit.api,
                     framework),
         ""});
  return std::nullopt;
}

void Planner::write_programs(const Draft& draft, Unit& unit) const {
  for (std::size_t i = 0; i < m_frameworks.size(); ++i) {
    if (Expected<std::string> body = make_program(draft, m_frameworks[i], unit))
      unit.programs[i] = {Program::Kind::run, std::move(*body)};
    else
      unit.judgement =
          judged(Verdict::unsupported, Stage::plan, Reason::no_translation, body.error());
  }
  if (!unit.judgement)
    return;
  // Nothing to compare: ask only whether the name exists, where its own framework is in the run.
  for (std::size_t i = 0; i < m_frameworks.size(); ++i)
    unit.programs[i] = framework_of(unit.api) == m_frameworks[i]
                           ? Program{Program::Kind::resolve, unit.api}
                           : Program{};
}

}  // namespace opalign::plan
