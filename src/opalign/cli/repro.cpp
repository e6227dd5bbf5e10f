// SPDX-License-Identifier: Apache-2.0
// `opalign repro`: a record of a run as scripts that need opalign no more. Here the case is
// planned, filled and run once more; python/opalign/repro/ writes the scripts from what that gives.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <opalign/base/files.hpp>
#include <opalign/base/resources.hpp>
#include <opalign/base/subprocess.hpp>
#include <opalign/cli/arguments.hpp>
#include <opalign/cli/command.hpp>
#include <opalign/cli/repro_case.hpp>
#include <opalign/plan/inputs.hpp>
#include <opalign/sched/place_inputs.hpp>
#include <opalign/store/store.hpp>
#include <opalign/value/pool.hpp>

namespace opalign::cli {
namespace {

using nlohmann::json;

constexpr std::string_view k_repro_examples = R"(Examples:
  opalign repro RUN 3f2a91                 the record whose id begins so, into RUN/repro-3f2a91…/
  opalign repro RUN 3f2a91 --out report    into report/

Each script needs its framework and NumPy alone:
  python report/repro_paddle.py            prints outputs and gradients
  python report/compare.py                 runs them all and shows how they differ
  python report/compare.py --help          says how to run them elsewhere)";

/// Ids that an error lists.
constexpr std::size_t k_listed = 10;

struct ReproOptions {
  std::string run;
  std::string id;
  std::string out;
  std::string catalog;
};

Expected<store::Record> find_record(const ReproOptions& options, const store::Reader& reader) {
  TRY_ASSIGN(std::vector<store::Record> records, reader.find(options.id));
  if (records.empty())
    return no_record(options.run, options.id);
  std::set<std::string> ids;
  for (const store::Record& record : records)
    ids.insert(record.id);
  if (ids.size() > 1) {
    std::vector<std::string> listed(ids.begin(), ids.end());
    const bool is_cut = listed.size() > k_listed;
    if (is_cut)
      listed.resize(k_listed);
    return fail(fmt::format("{}: {} ids begin with '{}': {}{}", options.run, ids.size(), options.id,
                            fmt::join(listed, ", "), is_cut ? ", …" : ""),
                "give more of the id");
  }
  // A case that ran twice: the record that fails says more.
  for (store::Record& record : records)
    if (info(record.judgement.verdict).is_failure)
      return std::move(record);
  return std::move(records.front());
}

json describe_inputs(const ReproCase& material, std::string& data) {
  json inputs = json::array();
  for (const plan::Input& input : material.unit.inputs) {
    inputs.push_back({{"name", input.name},
                      {"dtype", name(input.dtype)},
                      {"shape", input.shape},
                      {"strides", input.strides},
                      {"offset", input.offset},
                      {"numel", input.buffer_numel},
                      {"differentiable", input.differentiable},
                      {"at", data.size()}});
    // place_inputs packs them at multiples of 64.
    data.resize(data.size() + plan::aligned(plan::buffer_bytes(input)));
  }
  return inputs;
}

/// The upstream gradients of a runner's outputs, as docs/protocol.md ("Memory") gives them.
json describe_upstream(const ReproCase& material, std::span<const std::byte> pool,
                       const ReproRunner& runner, std::string& data) {
  constexpr auto k_round = static_cast<std::size_t>(value::k_pool_elements);
  std::map<DType, std::size_t> next;  // element of the section, in the first round
  json upstream = json::array();
  for (const auto& [path, dtype, shape] : runner.leaves) {
    const std::size_t width = size_of(dtype);
    const auto section = pool.subspan(*value::pool_offset(dtype), k_round * width);
    const std::size_t start = value::pool_start(material.unit.id, material.seed) % k_round;
    std::size_t& from = next.try_emplace(dtype, start).first->second;
    const std::size_t at = data.size();
    for (auto left = static_cast<std::size_t>(*numel(shape)); left > 0;) {
      const std::size_t count = std::min(left, k_round - from);
      data.append(reinterpret_cast<const char*>(section.data()) + from * width, count * width);
      from = (from + count) % k_round;
      left -= count;
    }
    upstream.push_back({{"path", path}, {"dtype", name(dtype)}, {"shape", shape}, {"at", at}});
  }
  return upstream;
}

Expected<json> describe(const ReproCase& material, std::string& data) {
  const store::Record& record = material.record;
  json description{{"id", record.id},
                   {"text", record.text},
                   {"api", record.api},
                   {"verdict", label(record.judgement.verdict)},
                   {"stage", label(record.judgement.stage)},
                   {"reason", label(record.judgement.reason)},
                   {"message", record.judgement.message},
                   {"opalign", store::fact(material.facts, "opalign")},
                   {"written_by", version()},
                   {"seed", material.seed},
                   {"compares_values", material.unit.compare_values}};
  description["inputs"] = describe_inputs(material, data);
  TRY(sched::place_inputs(material.unit, material.seed, 0,
                          std::as_writable_bytes(std::span(data.data(), data.size()))));
  std::vector<std::byte> pool(value::k_pool_bytes);
  value::fill_pool(material.seed, pool);
  const auto known = std::ranges::find_if(material.runners,
                                          [](const ReproRunner& r) { return !r.leaves.empty(); });
  for (const ReproRunner& runner : material.runners) {
    if (runner.program.kind != plan::Program::Kind::run)
      continue;
    // One that did not get so far would differentiate what the others do.
    const ReproRunner& source =
        runner.kind.empty() && known != material.runners.end() ? *known : runner;
    const json upstream = describe_upstream(material, pool, source, data);
    description["runners"].push_back(
        {{"spec", runner.spec},
         {"framework", runner.framework},
         {"python", runner.here ? runner.here->environment.python : "python3"},
         {"pythonpath",
          runner.here ? runner.here->environment.pythonpath : std::vector<std::string>()},
         {"program", runner.program.body},
         {"preludes", runner.preludes},
         {"kind", runner.kind},
         {"upstream", runner.differentiates ? upstream : json::array()},
         {"backward", material.unit.backward && runner.differentiates}});
  }
  return description;
}

/// A file that goes with this object.
struct Passing {
  std::string path;
  ~Passing() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

/// Writes the scripts of `description` into `out` with a Python of one of the environments.
Expected<void> write_scripts(const ReproCase& material, json description, const std::string& data,
                             const std::string& out) {
  TRY_ASSIGN(const std::string main, resource("python/opalign/repro/main.py"));
  TRY(make_directories(out));
  const Passing description_file{out + "/.description.json"}, data_file{out + "/.data"};
  description["data"] = data_file.path;
  TRY(write_file_atomically(data_file.path, data));
  TRY(write_file_atomically(description_file.path,
                            description.dump(1, ' ', false, json::error_handler_t::replace)));
  std::string python = "python3";
  for (const ReproRunner& runner : material.runners | std::views::reverse)
    if (runner.here)
      python = runner.here->environment.python;
  TRY_ASSIGN(const CommandResult result,
             run_command({{python, "-I", "-B", main, description_file.path, out}}));
  fmt::print("{}", result.output);
  if (!result.succeeded())
    return fail(fmt::format("the scripts cannot be written: {}", result.errors));
  return {};
}

Expected<int> repro(ReproOptions options) {
  TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.run));
  ReproCase material;
  TRY_ASSIGN(material.record, find_record(options, reader));
  TRY_ASSIGN(material.facts, reader.facts());
  material.seed = std::strtoull(store::fact(material.facts, "seed").c_str(), nullptr, 10);
  if (options.out.empty())
    options.out = (std::filesystem::is_directory(options.run)
                       ? std::filesystem::path(options.run)
                       : std::filesystem::path(options.run).parent_path()) /
                  fmt::format("repro-{}", material.record.id);
  TRY_ASSIGN(const catalog::Catalog catalog, load_catalog(options.catalog));
  TRY_ASSIGN(material.runners, find_runners(material.facts, catalog));
  TRY(plan_case(catalog, material));
  TRY(run_again(material));
  std::string data;
  TRY_ASSIGN(json description, describe(material, data));
  TRY(write_scripts(material, std::move(description), data, options.out));
  if (!material.again.empty())
    fmt::print("verdict of the run: {}; just now: {}\n", label(material.record.judgement.verdict),
               material.again);
  return k_exit_ok;
}

}  // namespace

void add_repro(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReproOptions>();
  CLI::App* command =
      app.add_subcommand("repro", "Write a record as scripts that need its frameworks alone");
  command->footer(std::string(k_repro_examples));
  declare_run(*command, options->run);
  command->add_option("ID", options->id, "Case id, or how it begins")->required();
  command->add_option("--out", options->out, "Folder to write to (default: RUN/repro-ID)");
  declare_catalog(*command, options->catalog);
  set_action(*command, exit_code, [options] { return repro(*options); });
}

}  // namespace opalign::cli
