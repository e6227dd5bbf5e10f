// SPDX-License-Identifier: Apache-2.0
// `opalign catalog`: show an entry, or check all entries against the installed frameworks.
#include <opalign/cli/command.hpp>

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <opalign/base/suggest.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/cli/arguments.hpp>
#include <opalign/cli/launch.hpp>
#include <opalign/worker/inquiry.hpp>

namespace opalign::cli {
namespace {

using Json = nlohmann::json;

struct CatalogOptions {
  std::string directory;
  std::vector<std::string> apis;
  std::vector<std::string> runners;
};

void print_entry(const catalog::Entry& entry) {
  fmt::print("{}{}\n  {}\n", entry.api, entry.call, entry.file);
  for (const auto& [framework, text] : entry.translations)
    fmt::print("  {}: {}\n", framework, text);
  for (const auto& [parameter, domain] : entry.values)
    fmt::print("  values of {}: {}\n", parameter, domain.text());
  if (!entry.no_grad.empty())
    fmt::print("  no gradient: {}\n", fmt::join(entry.no_grad, ", "));
  if (!entry.backward)
    fmt::print("  not differentiated\n");
  if (!entry.inplace.empty())
    fmt::print("  writes: {}\n", entry.inplace);
  if (!entry.writes.empty())
    fmt::print("  writes too: {}\n", fmt::join(entry.writes, ", "));
  if (entry.compare) {
    if (entry.compare->when)
      fmt::print("  where {}:\n", entry.compare->when->text());
    if (entry.compare->meta)
      fmt::print("  compared: structure, shape and dtype\n");
    for (const auto& [framework, text] : entry.compare->texts)
      fmt::print("  compared{}{}: {}\n", framework.empty() ? "" : " on ", framework, text);
  }
  for (const catalog::Known& known : entry.known)
    fmt::print("  known, {}: {}\n", known.difference.name, known.difference.reason);
  if (!entry.note.empty())
    fmt::print("  note: {}\n", entry.note);
}

Expected<int> show(const CatalogOptions& options) {
  TRY_ASSIGN(const catalog::Catalog catalog, load_catalog(options.directory));
  if (options.apis.empty())
    for (const auto& [api, entry] : catalog.entries())
      fmt::print("{}\n", api);
  for (const std::string& api : options.apis) {
    const catalog::Entry* entry = catalog.find(api);
    if (entry == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& [name, other] : catalog.entries())
        names.push_back(name);
      return fail(fmt::format("{}: no entry", api), did_you_mean(api, names));
    }
    print_entry(*entry);
  }
  return k_exit_ok;
}

/// Names of parameters, and whether each has a default: what a signature means for a call.
std::string shape_of(const catalog::Signature& signature) {
  std::vector<std::string> parts;
  for (const catalog::Parameter& parameter : signature.parameters)
    parts.push_back(fmt::format("{}{}{}", parameter.variadic ? "*" : "", parameter.name,
                                parameter.default_value ? "=" : ""));
  return fmt::format("({})", fmt::join(parts, ", "));
}

/// Names alone, out of Python's text of a signature: its defaults may be no literals.
std::string shape_of_python(std::string_view text) {
  std::string shape = "(";
  std::string part;
  int depth = 0;
  bool has_default = false;
  char quote = 0;
  const auto end_part = [&] {
    if (!part.empty() && part != "/" && part != "*" && !part.starts_with("**"))
      shape += (shape.size() > 1 ? ", " : "") + part + (has_default ? "=" : "");
    part.clear();
    has_default = false;
  };
  for (const char c : text.substr(1, text.size() - 2)) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '<') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '>') {
      --depth;
    } else if (c == ',' && depth == 0) {
      end_part();
    } else if (c == '=' && depth == 0) {
      has_default = true;
    } else if (!has_default && depth == 0 && c != ' ') {
      part += c;
    }
  }
  end_part();
  return shape + ")";
}

/// Holds the entries of one framework against it: names exist, signatures agree.
Expected<int> check_names(const catalog::Catalog& catalog, worker::Inquiry& worker,
                          const std::string& framework) {
  std::vector<const catalog::Entry*> entries;
  Json names = Json::array();
  for (const auto& [api, entry] : catalog.entries())
    if (api.starts_with(framework + ".")) {
      entries.push_back(&entry);
      names.push_back(api);
    }
  int wrong = 0;
  TRY_ASSIGN(const Json answer, worker.ask("describe", {{"names", names}}));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Json& described = answer.at("names").at(i);
    const catalog::Entry& entry = *entries[i];
    std::string complaint;
    if (!described.value("found", false))
      complaint = "no such name";
    else if (!described.value("allowed", false))
      complaint = "a case may not call it";
    else if (described["signature"].is_string()) {
      const std::string live = described["signature"].get<std::string>();
      std::string expected = shape_of_python(live);
      // A method's receiver has whatever name the entry gives it.
      if (expected.starts_with("(self") && !entry.signature.parameters.empty())
        expected.replace(1, 4, entry.signature.parameters.front().name);
      // `*args` says nothing of what the call takes.
      if (expected.find("*args") == std::string::npos && expected != shape_of(entry.signature))
        complaint = fmt::format("expected the signature {}, got {}", live, entry.call);
    }
    if (!complaint.empty()) {
      fmt::print("{}: [\"{}\"] {}\n", entry.file, entry.api, complaint);
      ++wrong;
    }
  }
  fmt::print("{} {}: {} names\n", framework, worker.version(), entries.size());
  return wrong;
}

/// Compiles every text that runs in `framework`: syntax, and no name that nothing binds.
Expected<int> check_texts(const catalog::Catalog& catalog, worker::Inquiry& worker,
                          const std::string& framework) {
  std::vector<const catalog::Entry*> entries;
  Json texts = Json::array();
  Json parameters = Json::array();
  const auto add = [&](const catalog::Entry& entry, const std::string& text, bool sees_result) {
    Json names = Json::array();
    for (const catalog::Parameter& parameter : entry.signature.parameters)
      names.push_back(parameter.name);
    if (sees_result)
      names.push_back("result");
    entries.push_back(&entry);
    texts.push_back(text);
    parameters.push_back(names);
  };
  for (const auto& [api, entry] : catalog.entries()) {
    if (const auto text = entry.translations.find(framework); text != entry.translations.end())
      add(entry, text->second, false);
    if (entry.compare)
      for (const auto& [of, text] : entry.compare->texts)
        if (of == framework || (of.empty() && (api.starts_with(framework + ".") ||
                                               entry.translations.contains(framework))))
          add(entry, text, true);
  }
  int wrong = 0;
  TRY_ASSIGN(const Json answer, worker.ask("compile", {{"texts", texts}, {"params", parameters}}));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Json& compiled = answer.at("texts").at(i);
    if (compiled.value("ok", false))
      continue;
    fmt::print("{}: [\"{}\"] {}: {}\n", entries[i]->file, entries[i]->api,
               texts[i].get<std::string>(), compiled.value("message", "does not compile"));
    ++wrong;
  }
  fmt::print("{} {}: {} texts\n", framework, worker.version(), entries.size());
  return wrong;
}

Expected<int> check(const CatalogOptions& options) {
  TRY_ASSIGN(const catalog::Catalog catalog, load_catalog(options.directory));
  int wrong = 0;
  for (const std::string& text : options.runners) {
    TRY_ASSIGN(const ResolvedRunner runner, resolve_runner(text));
    const std::string& framework = runner.spec.framework;
    TRY_ASSIGN(const sched::RunnerLaunch made,
               make_launch(runner, {1, 0, 0, catalog.preludes(framework)}));
    TRY_ASSIGN(worker::Inquiry worker, worker::Inquiry::start(made.launch));
    TRY_ASSIGN(const int wrong_names, check_names(catalog, worker, framework));
    TRY_ASSIGN(const int wrong_texts, check_texts(catalog, worker, framework));
    wrong += wrong_names + wrong_texts;
  }
  fmt::print("{} entries, {} wrong\n", catalog.entries().size(), wrong);
  return wrong == 0 ? k_exit_ok : k_exit_differences;
}

}  // namespace

void add_catalog(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CatalogOptions>();
  CLI::App* command = app.add_subcommand("catalog", "What is known of each API");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  opalign catalog show paddle.concat\n"
      "  opalign catalog check --runner paddle --runner torch\n");
  CLI::App* show_command = command->add_subcommand("show", "Print entries, or all names");
  show_command->add_option("API", options->apis, "Names of entries");
  CLI::App* check_command =
      command->add_subcommand("check", "Hold every entry against the installed frameworks");
  check_command->add_option("--runner", options->runners, "Runners to ask")
      ->default_str("paddle torch");
  for (CLI::App* sub : {show_command, check_command})
    declare_catalog(*sub, options->directory);
  options->runners = {"paddle", "torch"};
  set_action(*show_command, exit_code, [options] { return show(*options); });
  set_action(*check_command, exit_code, [options] { return check(*options); });
}

}  // namespace opalign::cli
