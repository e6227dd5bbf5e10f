// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/draft.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/plan/inputs.hpp>

namespace opalign::plan {
namespace {

/// `b.f(x)` as a call of the method with `b` as its first argument.
std::unique_ptr<cases::Call> with_receiver(const cases::Call& call, const std::string& receiver) {
  auto method = std::make_unique<cases::Call>(call);
  method->arguments.insert(method->arguments.begin(), {"", {cases::Name{receiver}}});
  return method;
}

/// `framework`: of the calls before it, whose results the variables hold; it is moved on.
Step step_of(const cases::Call& call, std::string target, std::string& framework,
             const catalog::Catalog& catalog) {
  Step step;
  step.call = &call;
  step.api = call.callee;
  const std::size_t dot = call.callee.find('.');
  const std::string receiver = call.callee.substr(0, dot);
  if (call.on_variable) {
    step.api = fmt::format("{}.Tensor.{}", framework, call.callee.substr(dot + 1));
    step.method = with_receiver(call, receiver);
    step.call = step.method.get();
  } else {
    framework = receiver;
  }
  step.entry = catalog.find(step.api);
  if (!target.empty())
    step.target = std::move(target);
  else if (call.on_variable && step.entry != nullptr && !step.entry->inplace.empty())
    step.target = receiver;
  else
    step.target = "result";
  return step;
}

/// The tensors of a step in the order of its text; fills in tensor_of_argument.
std::vector<Occurrence> tensors_of(Step& step) {
  std::vector<Occurrence> found;
  if (step.value != nullptr) {
    collect_tensors(*step.value, step.target, 0, found);
    return found;
  }
  for (std::size_t i = 0; i < step.call->arguments.size(); ++i) {
    const auto& [name, value] = step.call->arguments[i];
    step.tensor_of_argument.push_back(step.first_tensor + found.size());
    collect_tensors(value, name.empty() ? fmt::to_string(i) : name, static_cast<int>(i), found);
  }
  return found;
}

std::string_view parameter_of(const catalog::Bound& bound, int argument) {
  for (const catalog::BoundParameter& parameter : bound.parameters)
    if (parameter.argument == argument)
      return parameter.name;
  // Items of a variadic parameter after its first one.
  for (const catalog::BoundParameter& parameter : bound.parameters)
    if (bound.rest != nullptr && parameter.value == bound.rest.get())
      return parameter.name;
  return {};
}

}  // namespace

std::string_view framework_of(std::string_view api) { return api.substr(0, api.find('.')); }

std::optional<std::size_t> Step::input_of(std::string_view name) const {
  const catalog::BoundParameter* parameter = bound.find(name);
  if (parameter == nullptr || parameter->argument < 0 ||
      !std::holds_alternative<cases::Tensor>(parameter->value->data))
    return std::nullopt;
  return tensor_of_argument[static_cast<std::size_t>(parameter->argument)];
}

const Step* Draft::first_call() const {
  const auto found = std::ranges::find_if(steps, [](const Step& s) { return s.call != nullptr; });
  return found == steps.end() ? nullptr : &*found;
}

Draft draft_of(const cases::Case& parsed, const catalog::Catalog& catalog) {
  Draft draft;
  draft.single = parsed.statements.size() == 1 &&
                 std::holds_alternative<cases::Evaluate>(parsed.statements.front());
  std::string framework;
  std::string last_result;
  for (const cases::Statement& statement : parsed.statements) {
    if (const auto* check = std::get_if<cases::Check>(&statement)) {
      draft.fetch = check->names;
      continue;
    }
    const auto* assign = std::get_if<cases::Assign>(&statement);
    const cases::Call* call = assign != nullptr ? std::get_if<cases::Call>(&assign->value.data)
                                                : &std::get<cases::Evaluate>(statement).call;
    const std::string target = assign != nullptr ? assign->target : std::string();
    if (call != nullptr) {
      draft.steps.push_back(step_of(*call, target, framework, catalog));
      last_result = draft.steps.back().target;
    } else {
      Step& step = draft.steps.emplace_back();
      step.target = target;
      step.value = &assign->value;
    }
  }
  if (draft.fetch.empty() && !last_result.empty())
    draft.fetch.push_back(last_result);
  return draft;
}

Expected<std::vector<Input>> bind(Step& step, std::size_t first_tensor) {
  step.first_tensor = first_tensor;
  const std::vector<Occurrence> found = tensors_of(step);
  if (step.entry != nullptr) {
    TRY_ASSIGN(step.bound, catalog::bind(step.entry->signature, *step.call));
  }
  std::vector<Input> inputs;
  for (const Occurrence& occurrence : found) {
    TRY_ASSIGN(Input input, make_input(occurrence, step.entry, step.bound,
                                       parameter_of(step.bound, occurrence.argument)));
    if (step.call != nullptr && first_tensor > 0)
      input.path = fmt::format("{}:{}", first_tensor, input.path);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

bool has_nonfinite(const Step& step) {
  if (step.value != nullptr)
    return has_nonfinite(*step.value);
  return std::ranges::any_of(step.call->arguments, [](const cases::Argument& argument) {
    return has_nonfinite(argument.value);
  });
}

}  // namespace opalign::plan
