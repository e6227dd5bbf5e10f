// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/known_read.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/base/suggest.hpp>
#include <opalign/case/parse.hpp>
#include <opalign/catalog/node.hpp>

namespace opalign::catalog {
namespace {

constexpr std::array<std::string_view, 13> k_known_keys{
    "name", "reason", "example", "verdict",   "stage", "kind",  "where",
    "atol", "rtol",   "dtype",   "reference", "when",  "report"};

// A death, a time limit or memory is nobody's design.
constexpr std::array k_verdicts{Verdict::differs, Verdict::target_error, Verdict::too_permissive,
                                Verdict::reference_error};
constexpr std::array k_stages{Stage::forward, Stage::backward};
constexpr std::array k_kinds{Reason::structure, Reason::shape, Reason::dtype,
                             Reason::nonfinite, Reason::value, Reason::invalid_argument,
                             Reason::exception};

template <class Word, std::size_t n>
Expected<Word> word_of(const std::string& text, const std::string& place,
                       const std::array<Word, n>& words) {
  std::vector<std::string_view> labels;
  for (const Word word : words) {
    labels.push_back(label(word));
    if (text == labels.back())
      return word;
  }
  return fail(
      fmt::format("{}: expected one of {}, got \"{}\"", place, fmt::join(labels, ", "), text),
      did_you_mean(text, labels));
}

Expected<double> tolerance_of(const toml::node& node, const std::string& place) {
  const std::optional<double> value = node.value<double>();
  if (!value || !std::isfinite(*value) || *value <= 0)
    return fail(place + ": expected a number above 0");
  return *value;
}

Expected<void> check_parameter(const std::string& name, const std::string& place,
                               const Signature& signature) {
  if (signature.find(name) != nullptr)
    return {};
  std::vector<std::string_view> names;
  for (const Parameter& parameter : signature.parameters)
    names.push_back(parameter.name);
  return fail(fmt::format("{}: \"{}\" is not a parameter", place, name), did_you_mean(name, names));
}

Expected<void> check_where(const std::string& text, const std::string& place,
                           const Signature& signature) {
  if (text == "output" || text.starts_with("output[") || text == "gradients")
    return {};
  if (text.starts_with("grad(") && text.ends_with(')'))
    return check_parameter(text.substr(5, text.find_first_of("[)") - 5), place, signature);
  return fail(
      fmt::format("{}: expected output, output[i] or grad(parameter), got \"{}\"", place, text),
      "write it as the report of the difference does");
}

Expected<void> check_example(const std::string& text, const std::string& place,
                             const std::string& api) {
  const Expected<cases::Case> parsed = cases::parse(text);
  if (!parsed)
    return fail(fmt::format("{}: {}", place, parsed.error().message), parsed.error().hint);
  const auto* call = std::get_if<cases::Evaluate>(&parsed->statements.front());
  if (parsed->statements.size() != 1 || call == nullptr || call->call.callee != api)
    return fail(fmt::format("{}: expected a call of {}", place, api));
  return {};
}

Expected<void> read_key(std::string_view key, const toml::node& node, const std::string& place,
                        Known& known) {
  KnownDifference& difference = known.difference;
  if (key == "atol") {
    TRY_ASSIGN(difference.atol, tolerance_of(node, place));
    return {};
  }
  if (key == "rtol") {
    TRY_ASSIGN(difference.rtol, tolerance_of(node, place));
    return {};
  }
  if (key == "where") {
    TRY_ASSIGN(difference.where, strings_of(node, place));
    return {};
  }
  if (key == "kind" || key == "dtype") {
    TRY_ASSIGN(const std::vector<std::string> words, strings_of(node, place));
    for (const std::string& word : words)
      if (key == "kind") {
        TRY_ASSIGN(const Reason kind, word_of(word, place, k_kinds));
        difference.kinds.push_back(kind);
      } else if (const std::optional<DType> dtype = parse_dtype(word)) {
        known.dtypes.push_back(*dtype);
      } else {
        return fail(fmt::format("{}: \"{}\" is no dtype", place, word));
      }
    return {};
  }
  if (key == "when") {
    TRY_ASSIGN(Domain when, domain_of(node, place));
    known.when = std::move(when);
    return {};
  }
  TRY_ASSIGN(std::string text, string_of(node, place));
  if (key == "verdict") {
    TRY_ASSIGN(difference.verdict, word_of(text, place, k_verdicts));
  } else if (key == "stage") {
    TRY_ASSIGN(difference.stage, word_of(text, place, k_stages));
  } else if (key == "name") {
    difference.name = std::move(text);
  } else if (key == "reason") {
    difference.reason = std::move(text);
  } else if (key == "example") {
    known.example = std::move(text);
  } else if (key == "reference") {
    known.reference = std::move(text);
  } else if (key == "report") {
    known.report = std::move(text);
  } else {
    return fail(place + ": unknown key", did_you_mean(key, k_known_keys));
  }
  return {};
}

Expected<Known> read_one(const toml::table& table, const std::string& place, const std::string& api,
                         const Signature& signature) {
  Known known;
  for (const auto& [key, node] : table) {
    TRY(read_key(key.str(), node, fmt::format("{}.{}", place, key.str()), known));
  }
  KnownDifference& difference = known.difference;
  for (const auto& [key, text] : {std::pair{"name", &difference.name},
                                  {"reason", &difference.reason},
                                  {"example", &known.example}})
    if (text->empty())
      return fail(fmt::format("{}: expected a key \"{}\"", place, key));
  difference.name = fmt::format("{}/{}", api, difference.name);
  if (difference.verdict == Verdict::differs && difference.kinds.empty())
    difference.kinds = {Reason::value};
  else if (difference.verdict != Verdict::differs &&
           (!difference.where.empty() || difference.is_tolerance()))
    return fail(fmt::format("{}: where, atol and rtol are of the verdict differs, not of {}", place,
                            label(difference.verdict)));
  for (const std::string& text : difference.where) {
    TRY(check_where(text, place + ".where", signature));
  }
  if (known.when)
    for (const std::string& name : known.when->names()) {
      TRY(check_parameter(name, place + ".when", signature));
    }
  TRY(check_example(known.example, place + ".example", api));
  return known;
}

}  // namespace

Expected<std::vector<Known>> read_known(const toml::node& node, const std::string& place,
                                        const std::string& api, const Signature& signature) {
  std::vector<Known> all;
  const toml::array* items = node.as_array();
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const toml::table* table = (*items)[i].as_table();
    if (table == nullptr)
      break;
    TRY_ASSIGN(Known known, read_one(*table, fmt::format("{}[{}]", place, i), api, signature));
    if (std::ranges::any_of(all, [&](const Known& other) {
          return other.difference.name == known.difference.name;
        }))
      return fail(fmt::format("{}[{}]: {} is there already", place, i, known.difference.name));
    all.push_back(std::move(known));
  }
  if (items == nullptr || all.size() != items->size())
    return fail(place + ": expected a list of tables",
                "write [[\"" + api + "\".known]] below the entry");
  return all;
}

}  // namespace opalign::catalog
