// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/catalog.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <opalign/base/suggest.hpp>
#include <opalign/catalog/known_read.hpp>
#include <opalign/catalog/node.hpp>

namespace opalign::catalog {
namespace {

namespace fs = std::filesystem;

using RawEntries = std::map<std::string, std::pair<std::string /*file*/, toml::table>, std::less<>>;

constexpr std::array<std::string_view, 10> k_entry_keys{"call",     "same_as", "values", "no_grad",
                                                        "backward", "inplace", "writes", "compare",
                                                        "known",    "note"};

/// A key is a framework's name if some entry's text under it uses that name ("torch.add(x, y)").
/// So a new framework needs no list, and a misspelled key is still found out.
std::set<std::string, std::less<>> frameworks_of(const RawEntries& raw) {
  std::set<std::string, std::less<>> frameworks{"numpy",
                                                "scipy"};  // texts know them as np and so on
  for (const auto& [api, source] : raw)
    for (const auto& [key, node] : source.second)
      if (const auto text = node.value<std::string_view>();
          text && std::ranges::find(k_entry_keys, key.str()) == k_entry_keys.end() &&
          text->find(fmt::format("{}.", key.str())) != std::string_view::npos)
        frameworks.emplace(key.str());
  return frameworks;
}

Expected<Invariant> invariant_of(const toml::node& node, const std::string& place) {
  Invariant invariant;
  const auto take_text = [&](std::string_view framework, std::string text) {
    if (text == "meta")
      invariant.meta = true;
    else
      invariant.texts.emplace(framework, std::move(text));
  };
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const std::string where = fmt::format("{}.{}", place, key.str());
      if (key.str() == "when") {
        TRY_ASSIGN(Domain condition, domain_of(value, where));
        invariant.when = std::move(condition);
      } else {
        TRY_ASSIGN(std::string text, string_of(value, where));
        take_text(key.str() == "text" ? std::string_view() : key.str(), std::move(text));
      }
    }
    return invariant;
  }
  TRY_ASSIGN(std::string text, string_of(node, place));
  take_text("", std::move(text));
  return invariant;
}

/// The parameter that a name like `add_`, `__setitem__` or `__iadd__` says is written.
bool writes_first_parameter(std::string_view api) {
  const std::string_view leaf = api.substr(api.rfind('.') + 1);
  static const std::set<std::string_view> k_operators{
      "__setitem__", "__iadd__",      "__isub__", "__imul__", "__itruediv__", "__idiv__",
      "__ipow__",    "__ifloordiv__", "__imod__", "__iand__", "__ior__",      "__ixor__"};
  return k_operators.contains(leaf) || (leaf.ends_with('_') && !leaf.ends_with("__"));
}

/// The table of an entry with its `same_as` chain merged beneath it.
Expected<toml::table> resolve(const RawEntries& raw, const std::string& api, int depth = 0) {
  const auto& [file, table] = raw.find(api)->second;
  const toml::node* alias = table.get("same_as");
  if (alias == nullptr)
    return table;
  TRY_ASSIGN(std::string base_name, string_of(*alias, api + ".same_as"));
  if (!raw.contains(base_name) || depth > 8)
    return fail(fmt::format("{}: [\"{}\"] same_as = \"{}\": expected another entry's name", file,
                            api, base_name));
  TRY_ASSIGN(toml::table merged, resolve(raw, base_name, depth + 1));
  for (const auto& [key, value] : table)
    merged.insert_or_assign(key, value);
  merged.erase("same_as");
  return merged;
}

/// The entry whose `known` list an entry has: its own name, or one further down its `same_as`
/// chain.
std::string origin_of_known(const RawEntries& raw, std::string api) {
  while (!raw.find(api)->second.second.contains("known"))
    api = *raw.find(api)->second.second.get("same_as")->value<std::string>();
  return api;
}

Expected<Entry> make_entry(const std::string& api, const RawEntries& raw, const toml::table& table,
                           const std::set<std::string, std::less<>>& frameworks) {
  Entry entry;
  entry.api = api;
  const std::string& file = entry.file = raw.find(api)->second.first;
  const std::string place = fmt::format("{}: [\"{}\"]", file, api);
  for (const auto& [key, node] : table) {
    const std::string where = fmt::format("{}.{}", place, key.str());
    if (key.str() == "call") {
      TRY_ASSIGN(entry.call, string_of(node, where));
    } else if (key.str() == "note") {
      TRY_ASSIGN(entry.note, string_of(node, where));
    } else if (key.str() == "inplace") {
      TRY_ASSIGN(entry.inplace, string_of(node, where));
    } else if (key.str() == "backward") {
      if (!node.is_boolean())
        return fail(where + ": expected true or false");
      entry.backward = node.value_or(true);
    } else if (key.str() == "compare") {
      TRY_ASSIGN(Invariant invariant, invariant_of(node, where));
      entry.compare = std::move(invariant);
    } else if (key.str() == "no_grad") {
      TRY_ASSIGN(entry.no_grad, strings_of(node, where));
    } else if (key.str() == "writes") {
      TRY_ASSIGN(entry.writes, strings_of(node, where));
    } else if (key.str() == "values") {
      if (node.as_table() == nullptr)
        return fail(where + ": expected a table of domains");
      for (const auto& [parameter, text] : *node.as_table()) {
        TRY_ASSIGN(Domain domain, domain_of(text, fmt::format("{}.{}", where, parameter.str())));
        entry.values.emplace(std::string(parameter.str()), std::move(domain));
      }
    } else if (key.str() == "known") {
      continue;  // it needs the signature
    } else if (frameworks.contains(key.str())) {
      TRY_ASSIGN(std::string text, string_of(node, where));
      entry.translations.emplace(std::string(key.str()), std::move(text));
    } else {
      std::vector<std::string_view> names(k_entry_keys.begin(), k_entry_keys.end());
      names.insert(names.end(), frameworks.begin(), frameworks.end());
      return fail(where + ": unknown key", did_you_mean(key.str(), names));
    }
  }
  if (entry.call.empty())
    return fail(place + ": expected a key \"call\"");
  Expected<Signature> signature = parse_signature(entry.call);
  if (!signature)
    return fail(fmt::format("{}: {}", place, signature.error().message), signature.error().hint);
  entry.signature = std::move(*signature);
  if (entry.inplace.empty() && writes_first_parameter(api) && !entry.signature.parameters.empty())
    entry.inplace = entry.signature.parameters.front().name;

  const auto require = [&](std::string_view parameter, std::string_view key) -> Expected<void> {
    if (entry.signature.find(parameter) == nullptr)
      return fail(
          fmt::format("{}.{}: \"{}\" is not a parameter of {}", place, key, parameter, entry.call));
    return {};
  };
  for (const std::string& parameter : entry.no_grad) {
    TRY(require(parameter, "no_grad"));
  }
  for (const std::string& parameter : entry.writes) {
    TRY(require(parameter, "writes"));
  }
  for (const auto& [parameter, domain] : entry.values) {
    TRY(require(parameter, "values"));
  }
  if (!entry.inplace.empty()) {
    TRY(require(entry.inplace, "inplace"));
  }
  if (const toml::node* known = table.get("known")) {
    TRY_ASSIGN(entry.known,
               read_known(*known, place + ".known", origin_of_known(raw, api), entry.signature));
  }
  return entry;
}

}  // namespace

Expected<Catalog> Catalog::load(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    files.push_back(it->path());
  if (error)
    return fail(fmt::format("{}: {}", directory, error.message()),
                "a catalog is a folder of <framework>/*.toml");
  std::ranges::sort(files);

  Catalog catalog;
  RawEntries raw;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (name.starts_with("prelude_") && name.ends_with(".py"))
      catalog.m_prelude_files.push_back(file.string());
    if (file.extension() != ".toml")
      continue;
    toml::table table;
    try {
      table = toml::parse_file(file.string());
    } catch (const toml::parse_error& parse_error) {  // toml++ reports through exceptions
      std::ostringstream place;
      place << file.string() << ':' << parse_error.source().begin.line << ':'
            << parse_error.source().begin.column;
      return fail(fmt::format("{}: {}", place.str(), parse_error.description()));
    }
    for (auto&& [key, node] : table) {
      if (node.as_table() == nullptr)
        return fail(fmt::format("{}: \"{}\": expected a table", file.string(), key.str()),
                    "an entry reads [\"paddle.concat\"], with the quotes");
      if (!raw.emplace(std::string(key.str()), std::pair(file.string(), *node.as_table())).second)
        return fail(fmt::format("{}: [\"{}\"] is also in {}", file.string(), key.str(),
                                raw.find(key.str())->second.first));
    }
  }
  const std::set<std::string, std::less<>> frameworks = frameworks_of(raw);
  for (const auto& [api, source] : raw) {
    TRY_ASSIGN(toml::table table, resolve(raw, api));
    TRY_ASSIGN(Entry entry, make_entry(api, raw, table, frameworks));
    catalog.m_entries.emplace(api, std::move(entry));
  }
  return catalog;
}

const Entry* Catalog::find(std::string_view api) const {
  const auto found = m_entries.find(api);
  return found == m_entries.end() ? nullptr : &found->second;
}

std::vector<std::string> Catalog::preludes(std::string_view framework) const {
  std::vector<std::string> found;
  const std::string prefix = fmt::format("prelude_{}", framework);
  for (const std::string& file : m_prelude_files) {
    const std::string name = fs::path(file).stem().string();
    if (name == prefix || name.starts_with(prefix + "_"))
      found.push_back(file);
  }
  return found;
}

}  // namespace opalign::catalog
