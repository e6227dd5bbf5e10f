// SPDX-License-Identifier: Apache-2.0
#include <opalign/plan/program.hpp>

#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/plan/encode.hpp>

namespace opalign::plan {
namespace {

/// The input that an in-place call writes and returns.
std::optional<std::size_t> written_tensor(const Step& step) {
  if (step.entry == nullptr || step.entry->inplace.empty())
    return std::nullopt;
  return step.input_of(step.entry->inplace);
}

/// Inputs that a call writes besides returning a result: they are outputs, too.
std::vector<std::size_t> side_outputs(const Step& step) {
  std::vector<std::size_t> found;
  if (step.entry != nullptr)
    for (const std::string& name : step.entry->writes)
      if (const std::optional<std::size_t> input = step.input_of(name))
        found.push_back(*input);
  return found;
}

/// Inputs that a case may write: of several statements nobody knows which.
std::vector<std::size_t> cloned_tensors(const Draft& draft, const Unit& unit) {
  if (draft.only() == nullptr) {
    std::vector<std::size_t> all(unit.inputs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::vector<std::size_t> cloned;
  if (const std::optional<std::size_t> written = written_tensor(*draft.only()))
    cloned.push_back(*written);
  for (const std::size_t input : side_outputs(*draft.only()))
    cloned.push_back(input);
  return cloned;
}

/// The text that stands for the raw outputs where those are not unique, or nothing.
std::string_view check_text(const Step& step, std::string_view framework, const Unit& unit) {
  if (!unit.compare_values || !unit.has_invariant)
    return {};
  const auto& texts = step.entry->compare->texts;
  auto text = texts.find(framework);
  text = text == texts.end() ? texts.find("") : text;
  return text == texts.end() ? std::string_view() : text->second;
}

/// `,"to":…}`, the end of a step.
void append_target(std::string& out, std::string_view target) {
  out += R"(,"to":)";
  append_json_string(out, target);
  out += '}';
}

/// `,"names":{"x":…,"axis":…}` of the bound parameters.
void append_names(std::string& out, const Step& step) {
  out += R"(,"names":{)";
  const char* separator = "";
  for (const catalog::BoundParameter& parameter : step.bound.parameters) {
    out += separator;
    append_json_string(out, parameter.name);
    out += ':';
    std::size_t next = parameter.argument < 0
                           ? 0
                           : step.tensor_of_argument[static_cast<std::size_t>(parameter.argument)];
    append_value(out, *parameter.value, next);
    separator = ",";
  }
  out += '}';
}

void append_value_step(std::string& out, const Step& step) {
  std::size_t next = step.first_tensor;
  out += R"({"value":)";
  append_value(out, *step.value, next);
  append_target(out, step.target);
}

void append_call_step(std::string& out, const Step& step) {
  const std::string_view callee = step.call->callee;
  out += step.call->on_variable ? R"({"method":)" : R"({"call":)";
  append_json_string(out, step.call->on_variable ? callee.substr(callee.find('.') + 1) : callee);
  out += ',';
  std::size_t next = step.first_tensor;
  append_arguments(out, step.call->arguments, next);
  append_target(out, step.target);
}

void append_eval_step(std::string& out, const Step& step, std::string_view text) {
  out += R"({"eval":)";
  append_json_string(out, text);
  append_names(out, step);
  append_target(out, step.target);
}

Expected<void> append_step(std::string& out, const Step& step, std::string_view framework) {
  if (step.value != nullptr) {
    append_value_step(out, step);
    return {};
  }
  if (framework_of(step.api) == framework) {
    append_call_step(out, step);
    return {};
  }
  if (step.entry != nullptr)
    if (const auto text = step.entry->translations.find(framework);
        text != step.entry->translations.end()) {
      append_eval_step(out, step, text->second);
      return {};
    }
  return fail(fmt::format("{}: no translation to {}", step.api, framework),
              "a catalog entry would give it one (docs/catalog.md)");
}

/// What makes up the outputs: variables, and inputs that the one call of a case writes.
std::string fetch_list(const Draft& draft, std::string_view framework, bool checked) {
  const auto tensor = [](std::size_t input) { return fmt::format(R"({{"tensor":{}}})", input); };
  const Step* only = checked ? nullptr : draft.only();
  if (only != nullptr && framework_of(only->api) == framework)
    if (const std::optional<std::size_t> written = written_tensor(*only))
      return tensor(*written);
  std::vector<std::string> fetched;
  for (const std::string& name : draft.fetch)
    append_json_string(fetched.emplace_back(), name);
  if (only != nullptr)
    for (const std::size_t input : side_outputs(*only))
      fetched.push_back(tensor(input));
  return fmt::format("{}", fmt::join(fetched, ","));
}

}  // namespace

Expected<std::string> make_program(const Draft& draft, std::string_view framework,
                                   const Unit& unit) {
  std::string out = R"({"steps":[)";
  const char* separator = "";
  for (const Step& step : draft.steps) {
    out += separator;
    TRY(append_step(out, step, framework));
    separator = ",";
  }
  const Step* only = draft.only();
  const std::string_view check =
      only == nullptr ? std::string_view() : check_text(*only, framework, unit);
  if (!check.empty()) {
    out += R"(,{"check":)";
    append_json_string(out, check);
    append_names(out, *only);
    out += '}';
  }
  out += fmt::format(R"(],"fetch":[{}],"clone":[{}],"backward":{}}})",
                     fetch_list(draft, framework, !check.empty()),
                     fmt::join(cloned_tensors(draft, unit), ","), unit.backward ? 1 : 0);
  return out;
}

}  // namespace opalign::plan
