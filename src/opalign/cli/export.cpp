// SPDX-License-Identifier: Apache-2.0
// `opalign export`: the records of a run in a format for programs.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include <opalign/base/files.hpp>
#include <opalign/cli/arguments.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/report/format.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {
namespace {

constexpr std::string_view k_export_examples = R"(Examples:
  opalign export RUN --format jsonl --out run.jsonl
  opalign export RUN --verdict differs,crash | jq -r .case)";

struct ExportOptions {
  std::string run;
  std::string format = "jsonl";
  std::string out;
  std::vector<std::string> verdicts;
};

/// An export that fails leaves what was there.
Expected<void> write_to_file(const report::Format& format, const store::Reader& reader,
                             const store::Filter& filter, const std::string& path) {
  const auto [final, temporary] = replacement_for(path);
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  Expected<void> written = format.write(reader, filter, out);
  out.close();
  std::error_code code;
  const bool beside = temporary != final;
  if (written && out && beside)
    std::filesystem::rename(temporary, final, code);
  if (written && out && !code)
    return {};
  if (beside)
    std::filesystem::remove(temporary, code);
  TRY(std::move(written));
  return fail(fmt::format("{}: cannot be written", path),
              "check that its folder exists, may be written, and has room");
}

std::string format_help() {
  std::string text = "One of:";
  for (const report::Format& format : report::formats())
    text += fmt::format(" {} ({}),", format.name, format.meaning);
  text.pop_back();
  return text;
}

Expected<int> export_run(const ExportOptions& options) {
  TRY_ASSIGN(const report::Format* format, report::find_format(options.format));
  store::Filter filter;
  TRY_ASSIGN(filter.verdicts, parse_verdicts(options.verdicts));
  TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.run));
  if (!options.out.empty()) {
    TRY(write_to_file(*format, reader, filter, options.out));
    return k_exit_ok;
  }
  TRY(format->write(reader, filter, std::cout));
  if (!std::cout.flush())
    return fail("standard output: cannot be written", "");
  return k_exit_ok;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write the records of a run for programs");
  command->footer(std::string(k_export_examples));
  declare_run(*command, options->run);
  command->add_option("--format", options->format, format_help())->capture_default_str();
  command->add_option("--out", options->out, "File to write (default: standard output)");
  declare_verdicts(*command, options->verdicts);
  set_action(*command, exit_code, [options] { return export_run(*options); });
}

}  // namespace opalign::cli
