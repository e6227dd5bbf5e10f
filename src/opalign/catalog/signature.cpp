// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/signature.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/base/suggest.hpp>
#include <opalign/case/parse.hpp>

namespace opalign::catalog {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Splits at commas outside brackets and quotes.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (const std::string_view last = trim(text.substr(begin)); !last.empty())
    parts.push_back(last);
  return parts;
}

Expected<cases::Value> parse_literal(std::string_view text) {
  TRY_ASSIGN(cases::Case parsed, cases::parse(fmt::format("signature.default({})", text)));
  const auto* evaluate = std::get_if<cases::Evaluate>(&parsed.statements.front());
  if (evaluate == nullptr || evaluate->call.arguments.size() != 1)
    return fail(fmt::format("signature default: expected one literal, got \"{}\"", text));
  return evaluate->call.arguments.front().value;
}

}  // namespace

const Parameter* Signature::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(parameters, [&](const Parameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Expected<Signature> parse_signature(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')')
    return fail(fmt::format("signature: expected \"(…)\", got \"{}\"", text));
  Signature signature;
  for (std::string_view part : split_arguments(text.substr(1, text.size() - 2))) {
    if (part == "*" || part == "/")  // markers of Python that bind nothing
      continue;
    Parameter parameter;
    if (part.starts_with('*')) {
      parameter.variadic = true;
      part.remove_prefix(1);
    }
    const auto equals = part.find('=');
    parameter.name = std::string(trim(part.substr(0, equals)));
    if (parameter.name.empty() || signature.find(parameter.name) != nullptr)
      return fail(
          fmt::format("signature \"{}\": expected a new parameter name, got \"{}\"", text, part));
    if (equals != std::string_view::npos) {
      TRY_ASSIGN(parameter.default_value, parse_literal(trim(part.substr(equals + 1))));
    }
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

const BoundParameter* Bound::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(parameters, [&](const BoundParameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Expected<Bound> bind(const Signature& signature, const cases::Call& call) {
  const std::vector<Parameter>& parameters = signature.parameters;
  Bound bound;
  for (const Parameter& parameter : parameters)
    bound.parameters.push_back({parameter.name, nullptr, -1});

  std::size_t position = 0;
  for (std::size_t index = 0; index < call.arguments.size(); ++index) {
    const cases::Argument& argument = call.arguments[index];
    std::size_t target = position;
    if (argument.name.empty()) {
      if (target >= parameters.size())
        return fail(fmt::format("{}: expected at most {} positional arguments, got {}", call.callee,
                                parameters.size(), index + 1));
      if (parameters[target].variadic) {
        if (bound.rest == nullptr) {
          bound.rest = std::make_unique<cases::Value>(cases::Value{cases::Tuple{}});
          bound.parameters[target].value = bound.rest.get();
          bound.parameters[target].argument = static_cast<int>(index);
        }
        std::get<cases::Tuple>(bound.rest->data).items.push_back(argument.value);
        continue;
      }
      ++position;
    } else {
      const auto found = std::ranges::find_if(
          parameters, [&](const Parameter& p) { return p.name == argument.name; });
      if (found == parameters.end()) {
        std::vector<std::string_view> names;
        for (const Parameter& parameter : parameters)
          names.push_back(parameter.name);
        return fail(fmt::format("{}: unknown argument \"{}\"", call.callee, argument.name),
                    did_you_mean(argument.name, names));
      }
      target = static_cast<std::size_t>(found - parameters.begin());
    }
    if (bound.parameters[target].value != nullptr)
      return fail(
          fmt::format("{}: argument \"{}\" is given twice", call.callee, parameters[target].name));
    bound.parameters[target].value = &argument.value;
    bound.parameters[target].argument = static_cast<int>(index);
  }

  static const cases::Value k_empty{cases::Tuple{}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound.parameters[i].value != nullptr)
      continue;
    if (parameters[i].variadic)
      bound.parameters[i].value = &k_empty;
    else if (parameters[i].default_value)
      bound.parameters[i].value = &*parameters[i].default_value;
    else
      return fail(fmt::format("{}: argument \"{}\" is missing", call.callee, parameters[i].name));
  }
  return bound;
}

}  // namespace opalign::catalog
