// SPDX-License-Identifier: Apache-2.0
// `opalign cases`: what is in suites, without running anything: check, list, fmt.
#include <opalign/cli/command.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/cli/suite_reader.hpp>

namespace opalign::cli {
namespace {

struct CasesOptions {
  std::vector<std::string> suites;
  bool by_api = false;
};

/// The callee of the first call.
std::string api_of(const cases::Case& parsed) {
  for (const cases::Statement& statement : parsed.statements) {
    if (const auto* evaluate = std::get_if<cases::Evaluate>(&statement))
      return evaluate->call.callee;
    if (const auto* assign = std::get_if<cases::Assign>(&statement))
      if (const auto* call = std::get_if<cases::Call>(&assign->value.data))
        return call->callee;
  }
  return {};
}

/// Parses all cases; errors go to standard error. Returns how many there were.
Expected<int> each_case(
    const CasesOptions& options,
    const std::function<void(const cases::SuiteCase&, const cases::Case&)>& take) {
  TRY_ASSIGN(SuiteReader suites, SuiteReader::open(options.suites, {}));
  int wrong = 0;
  for (Offer<cases::SuiteCase> offer; !(offer = suites.next()).ended;) {
    if (!offer.item) {
      suites.wait();
      continue;
    }
    const cases::SuiteCase& source = *offer.item;
    const Expected<cases::Case> parsed = cases::parse(source.text, {source.file, source.line});
    if (parsed) {
      take(source, *parsed);
    } else {
      fmt::print(stderr, "{}\n", parsed.error().text());
      ++wrong;
    }
  }
  for (const Error& error : suites.errors())
    print_error(error);
  if (wrong > 0)
    fmt::print(stderr, "{} cases do not parse\n", wrong);
  if (!suites.errors().empty())
    return k_exit_usage;
  return wrong == 0 ? k_exit_ok : k_exit_differences;
}

Expected<int> check(const CasesOptions& options) {
  std::int64_t count = 0;
  TRY_ASSIGN(const int code, each_case(options, [&](const auto&, const auto&) { ++count; }));
  fmt::print("{} cases parse\n", count);
  return code;
}

Expected<int> list(const CasesOptions& options) {
  std::map<std::string, std::int64_t> counts;
  const Expected<int> code =
      each_case(options, [&](const cases::SuiteCase&, const cases::Case& parsed) {
        if (options.by_api) {
          ++counts[api_of(parsed)];
        } else {
          const std::string text = cases::print(parsed);
          fmt::print("{} {}\n", cases::case_id(text), text);
        }
      });
  for (const auto& [api, count] : counts)
    fmt::print("{:8} {}\n", count, api);
  return code;
}

Expected<int> format(const CasesOptions& options) {
  return each_case(options, [](const cases::SuiteCase&, const cases::Case& parsed) {
    fmt::print("{}\n", cases::print(parsed));
  });
}

}  // namespace

void add_cases(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CasesOptions>();
  CLI::App* command = app.add_subcommand("cases", "Look at suites without running them");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  opalign cases check suites/\n"
      "  opalign cases list --by-api suites/quickstart.txt\n"
      "  opalign cases fmt recorded.txt > canonical.txt\n");
  const auto add = [&](const char* name, const char* what,
                       Expected<int> (*action)(const CasesOptions&)) {
    CLI::App* sub = command->add_subcommand(name, what);
    sub->add_option("SUITE", options->suites, "Files, folders, globs, or -")->required();
    set_action(*sub, exit_code, [options, action] { return action(*options); });
    return sub;
  };
  add("check", "Parse every case; exit 1 if one does not", check);
  add("list", "Print ids and canonical texts", list)
      ->add_flag("--by-api", options->by_api, "Count cases by API instead");
  add("fmt", "Print canonical texts", format);
}

}  // namespace opalign::cli
