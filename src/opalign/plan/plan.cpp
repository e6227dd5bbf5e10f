// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/plan.hpp>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/plan/encode.hpp>
#include <opalign/plan/inputs.hpp>
#include <opalign/plan/known.hpp>

namespace opalign::plan {
namespace {

Judgement judged(Verdict verdict, Stage stage, Reason reason, const Error& error) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.stage = stage;
  judgement.reason = reason;
  judgement.message = error.text();
  return judgement;
}

/// One call of the case, with all that the catalog says of it.
struct PlannedCall {
  const cases::Call* call = nullptr;
  /// `b.cast_(…)` with `b` as its first argument: what `call` points to for a method of a variable.
  std::unique_ptr<cases::Call> method;
  std::string api;     ///< "paddle.Tensor.cast_" for `b.cast_(…)`
  std::string target;  ///< variable that takes the result
  std::size_t first_tensor = 0;
  const catalog::Entry* entry = nullptr;
  catalog::Bound bound;
  std::vector<std::size_t> tensor_of_argument;  ///< number of the first tensor of each argument
};

std::string_view framework_of(std::string_view api) { return api.substr(0, api.find('.')); }

/// `"x":…,"axis":…` of the bound parameters.
void append_names(std::string& out, const PlannedCall& planned) {
  const char* separator = "";
  for (const catalog::BoundParameter& parameter : planned.bound.parameters) {
    out += separator;
    append_json_string(out, parameter.name);
    out += ':';
    std::size_t next =
        parameter.argument < 0
            ? 0
            : planned.tensor_of_argument[static_cast<std::size_t>(parameter.argument)];
    append_value(out, *parameter.value, next);
    separator = ",";
  }
}

/// The number of the input that a parameter is bound to, if it is an input itself.
std::optional<std::size_t> input_of(const PlannedCall& planned, std::string_view name) {
  const catalog::BoundParameter* parameter = planned.bound.find(name);
  if (parameter == nullptr || parameter->argument < 0 ||
      !std::holds_alternative<cases::Tensor>(parameter->value->data))
    return std::nullopt;
  return planned.tensor_of_argument[static_cast<std::size_t>(parameter->argument)];
}

/// The tensor that an in-place call writes and returns.
std::optional<std::size_t> written_tensor(const PlannedCall& planned) {
  if (planned.entry == nullptr || planned.entry->inplace.empty())
    return std::nullopt;
  return input_of(planned, planned.entry->inplace);
}

/// Tensors that a call writes besides returning a result: they are outputs, too.
std::vector<std::size_t> side_outputs(const PlannedCall& planned) {
  std::vector<std::size_t> found;
  if (planned.entry != nullptr)
    for (const std::string& name : planned.entry->writes)
      if (const std::optional<std::size_t> input = input_of(planned, name))
        found.push_back(*input);
  return found;
}

void append_call_step(std::string& out, const PlannedCall& planned, std::string_view to) {
  out += planned.call->on_variable ? R"({"method":)" : R"({"call":)";
  const std::string_view callee = planned.call->callee;
  append_json_string(out, planned.call->on_variable ? callee.substr(callee.find('.') + 1) : callee);
  out += ',';
  std::size_t next = planned.first_tensor;
  append_arguments(out, planned.call->arguments, next);
  out += R"(,"to":)";
  append_json_string(out, to);
  out += '}';
}

void append_eval_step(std::string& out, const PlannedCall& planned, std::string_view text,
                      std::string_view to) {
  out += R"({"eval":)";
  append_json_string(out, text);
  out += R"(,"names":{)";
  append_names(out, planned);
  out += R"(},"to":)";
  append_json_string(out, to);
  out += '}';
}

/// All that is needed to write the programs of one case.
struct Draft {
  const cases::Case* parsed = nullptr;
  std::vector<PlannedCall> calls;  ///< of the statements that are calls, in order
  std::vector<std::string> fetch;  ///< variables of `check`
  bool single = true;              ///< one call and nothing else
  std::vector<std::size_t> cloned;
};

/// The program of a runner of `framework`, or nothing where a call has no translation to it.
std::optional<std::string> make_program(const Draft& draft, std::string_view framework,
                                        const Unit& unit) {
  std::string out = R"({"steps":[)";
  const char* separator = "";
  auto planned = draft.calls.begin();
  std::size_t next_tensor = 0;
  for (const cases::Statement& statement : draft.parsed->statements) {
    const auto* assign = std::get_if<cases::Assign>(&statement);
    if (std::holds_alternative<cases::Check>(statement))
      continue;
    out += separator;
    separator = ",";
    if (assign != nullptr && !std::holds_alternative<cases::Call>(assign->value.data)) {
      out += R"({"value":)";
      append_value(out, assign->value, next_tensor);
      out += R"(,"to":)";
      append_json_string(out, assign->target);
      out += '}';
      continue;
    }
    if (framework_of(planned->api) == framework) {
      append_call_step(out, *planned, planned->target);
    } else {
      const auto text = planned->entry->translations.find(framework);
      if (text == planned->entry->translations.end())
        return std::nullopt;
      append_eval_step(out, *planned, text->second, planned->target);
    }
    next_tensor = planned->first_tensor;
    std::vector<Occurrence> taken;
    for (const cases::Argument& argument : planned->call->arguments)
      collect_tensors(argument.value, "", 0, taken);
    next_tensor += taken.size();
    ++planned;
  }

  const PlannedCall& first = draft.calls.front();
  const std::optional<std::size_t> written =
      draft.single && framework_of(first.api) == framework ? written_tensor(first) : std::nullopt;
  std::string_view check;
  if (draft.single && first.entry != nullptr && first.entry->compare && unit.compare_values) {
    const auto& texts = first.entry->compare->texts;
    auto text = texts.find(framework);
    text = text == texts.end() ? texts.find("") : text;
    if (text != texts.end() && unit.has_invariant)
      check = text->second;
  }
  if (!check.empty()) {
    out += R"(,{"check":)";
    append_json_string(out, check);
    out += R"(,"names":{)";
    append_names(out, first);
    out += "}}";
  }
  out += R"(],"fetch":[)";
  if (written && check.empty()) {
    out += fmt::format(R"({{"tensor":{}}})", *written);
  } else {
    separator = "";
    for (const std::string& name : draft.fetch) {
      out += separator;
      append_json_string(out, name);
      separator = ",";
    }
    if (draft.single && check.empty())
      for (const std::size_t input : side_outputs(first))
        out += fmt::format(R"(,{{"tensor":{}}})", input);
  }
  out += fmt::format(R"(],"clone":[{}],"backward":{}}})", fmt::join(draft.cloned, ","),
                     unit.backward ? 1 : 0);
  return out;
}

/// Finds the calls of a case and what their results are called.
Draft draft_of(const cases::Case& parsed, const catalog::Catalog& catalog) {
  Draft draft;
  draft.parsed = &parsed;
  draft.single = parsed.statements.size() == 1 &&
                 std::holds_alternative<cases::Evaluate>(parsed.statements.front());
  std::string framework;
  for (const cases::Statement& statement : parsed.statements) {
    if (const auto* check = std::get_if<cases::Check>(&statement)) {
      draft.fetch = check->names;
      continue;
    }
    const auto* assign = std::get_if<cases::Assign>(&statement);
    const cases::Call* call = assign != nullptr ? std::get_if<cases::Call>(&assign->value.data)
                                                : &std::get<cases::Evaluate>(statement).call;
    if (call == nullptr)
      continue;
    PlannedCall planned;
    planned.call = call;
    const std::string receiver = call->callee.substr(0, call->callee.find('.'));
    if (call->on_variable) {
      planned.api =
          fmt::format("{}.Tensor.{}", framework, call->callee.substr(receiver.size() + 1));
      planned.method = std::make_unique<cases::Call>(*call);
      planned.method->arguments.insert(planned.method->arguments.begin(),
                                       {"", {cases::Name{receiver}}});
      planned.call = planned.method.get();
    } else {
      planned.api = call->callee;
      framework = std::string(framework_of(call->callee));
    }
    planned.entry = catalog.find(planned.api);
    if (assign != nullptr)
      planned.target = assign->target;
    else if (call->on_variable && planned.entry != nullptr && !planned.entry->inplace.empty())
      planned.target = receiver;
    else
      planned.target = "result";
    draft.calls.push_back(std::move(planned));
  }
  if (draft.fetch.empty() && !draft.calls.empty())
    draft.fetch.push_back(draft.calls.back().target);
  return draft;
}

std::string_view parameter_of(const PlannedCall& planned, int argument) {
  for (const catalog::BoundParameter& parameter : planned.bound.parameters)
    if (parameter.argument == argument)
      return parameter.name;
  // Items of a variadic parameter after its first one.
  for (const catalog::BoundParameter& parameter : planned.bound.parameters)
    if (planned.bound.rest != nullptr && parameter.value == planned.bound.rest.get())
      return parameter.name;
  return {};
}

}  // namespace

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
  if (!parsed) {
    unit.text = source.text;
    unit.id = cases::case_id(source.text);
    unit.judgement = judged(Verdict::invalid, Stage::parse, Reason::syntax, parsed.error());
    return unit;
  }
  unit.text = cases::print(*parsed);
  unit.id = cases::case_id(unit.text);

  Draft draft = draft_of(*parsed, m_catalog);
  if (draft.calls.empty()) {
    unit.judgement = judged(Verdict::invalid, Stage::plan, Reason::syntax,
                            {"expected a call", "a case calls at least one operator"});
    return unit;
  }
  unit.api = draft.calls.front().api;

  // Bind, then collect the inputs of assignments and calls in the order of the text.
  auto planned = draft.calls.begin();
  const auto invalid = [&](Reason reason, const Error& error) {
    unit.judgement = judged(Verdict::invalid, Stage::plan, reason, error);
    return unit;
  };
  for (const cases::Statement& statement : parsed->statements) {
    std::vector<Occurrence> found;
    const auto* assign = std::get_if<cases::Assign>(&statement);
    if (std::holds_alternative<cases::Check>(statement))
      continue;
    PlannedCall* of_call = nullptr;
    if (assign != nullptr && !std::holds_alternative<cases::Call>(assign->value.data)) {
      collect_tensors(assign->value, assign->target, 0, found);
    } else {
      of_call = &*planned++;
      of_call->first_tensor = unit.inputs.size();
      for (std::size_t i = 0; i < of_call->call->arguments.size(); ++i) {
        const cases::Argument& argument = of_call->call->arguments[i];
        of_call->tensor_of_argument.push_back(unit.inputs.size() + found.size());
        collect_tensors(argument.value, argument.name.empty() ? fmt::to_string(i) : argument.name,
                        static_cast<int>(i), found);
        unit.inputs_finite = unit.inputs_finite && !has_nonfinite(argument.value);
      }
      if (of_call->entry != nullptr) {
        Expected<catalog::Bound> bound = catalog::bind(of_call->entry->signature, *of_call->call);
        if (!bound)
          return invalid(Reason::not_bound, bound.error());
        of_call->bound = std::move(*bound);
      }
    }
    if (assign != nullptr)
      unit.inputs_finite = unit.inputs_finite && !has_nonfinite(assign->value);
    for (const Occurrence& occurrence : found) {
      const bool bound = of_call != nullptr && of_call->entry != nullptr;
      Expected<Input> input = make_input(
          occurrence, bound ? of_call->entry : nullptr, bound ? &of_call->bound : nullptr,
          bound ? parameter_of(*of_call, occurrence.argument) : std::string_view());
      if (!input)
        return invalid(Reason::not_bound, input.error());
      const std::size_t bytes = aligned(buffer_bytes(*input));
      if (bytes >
          m_options.max_input_bytes - std::min(unit.input_bytes, m_options.max_input_bytes)) {
        unit.judgement =
            judged(Verdict::skipped, Stage::plan, Reason::memory_limit,
                   {fmt::format("inputs take more than {} bytes", m_options.max_input_bytes),
                    "raise --max-input-bytes"});
        return unit;
      }
      unit.input_bytes += bytes;
      unit.inputs.push_back(std::move(*input));
    }
  }

  const PlannedCall& first = draft.calls.front();
  if (draft.single && first.entry != nullptr && first.entry->compare) {
    bool holds = true;
    if (first.entry->compare->when) {
      const Expected<bool> condition = holds_for(*first.entry->compare->when, first.bound);
      if (!condition)
        return invalid(Reason::not_bound, condition.error());
      holds = *condition;
    }
    unit.compare_values = !(holds && first.entry->compare->meta);
    unit.has_invariant = holds;
  }
  if (draft.single && first.entry != nullptr && m_options.known)
    unit.known = known_differences(*first.entry, first.bound, unit.inputs, m_frameworks);
  unit.backward =
      std::ranges::any_of(unit.inputs, [](const Input& input) { return input.differentiable; });
  if (draft.single) {
    if (const std::optional<std::size_t> written = written_tensor(first))
      draft.cloned.push_back(*written);
    const std::vector<std::size_t> others = side_outputs(first);
    draft.cloned.insert(draft.cloned.end(), others.begin(), others.end());
  } else {
    for (std::size_t i = 0; i < unit.inputs.size(); ++i)
      draft.cloned.push_back(i);
  }

  const std::string root(framework_of(unit.api));
  const auto known = m_catalog.entries().lower_bound(root + ".");
  if (std::ranges::find(m_frameworks, root) == m_frameworks.end() &&
      (known == m_catalog.entries().end() || !known->first.starts_with(root + ".")))
    return invalid(Reason::no_such_name, {fmt::format("{}: {} is no framework of this run, nor one "
                                                      "that the catalog knows",
                                                      unit.api, root),
                                          ""});

  const auto unknown = std::ranges::find_if(
      draft.calls, [](const PlannedCall& call) { return call.entry == nullptr; });
  for (std::size_t i = 0; i < m_frameworks.size(); ++i) {
    const std::string& framework = m_frameworks[i];
    const bool needs_entries = std::ranges::any_of(
        draft.calls, [&](const PlannedCall& call) { return framework_of(call.api) != framework; });
    std::optional<std::string> body;
    if (!needs_entries || unknown == draft.calls.end())
      body = make_program(draft, framework, unit);
    if (body) {
      unit.programs[i] = {Program::Kind::run, std::move(*body)};
      continue;
    }
    unit.judgement =
        judged(Verdict::unsupported, Stage::plan, Reason::no_translation,
               {fmt::format("{}: no translation to {}",
                            unknown == draft.calls.end() ? unit.api : unknown->api, framework),
                "a catalog entry would give it one (docs/catalog.md)"});
  }
  if (unit.judgement) {
    // Nothing to compare: ask only whether the name exists, where its own framework is in the run.
    for (std::size_t i = 0; i < m_frameworks.size(); ++i)
      unit.programs[i] = framework_of(unit.api) == m_frameworks[i]
                             ? Program{Program::Kind::resolve, unit.api}
                             : Program{};
  }
  return unit;
}

}  // namespace opalign::plan
