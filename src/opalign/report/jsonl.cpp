// SPDX-License-Identifier: Apache-2.0
#include <opalign/report/jsonl.hpp>

#include <nlohmann/json.hpp>

namespace opalign::report {
namespace {

using nlohmann::ordered_json;

template <class T>
void put(ordered_json& object, const char* key, const T& value) {
  if (value != T())
    object[key] = value;
}

ordered_json encode_runner(const store::RunnerRecord& runner) {
  ordered_json object = {{"runner", runner.runner},
                         {"status", runner.status},
                         {"forward_s", runner.forward_s},
                         {"backward_s", runner.backward_s}};
  put(object, "error_class", runner.error_class);
  put(object, "error_type", runner.error_type);
  put(object, "error_stage", runner.error_stage);
  put(object, "message", runner.message);
  put(object, "trace", runner.trace);
  put(object, "signal", runner.signal);
  put(object, "exit_code", runner.exit_code);
  return object;
}

}  // namespace

std::string to_json_line(const store::Record& record) {
  const Judgement& judgement = record.judgement;
  ordered_json object = {{"case", record.text},
                         {"id", record.id},
                         {"verdict", label(judgement.verdict)},
                         {"stage", label(judgement.stage)},
                         {"reason", label(judgement.reason)},
                         {"message", judgement.message},
                         {"file", record.file},
                         {"line", record.line},
                         {"api", record.api},
                         {"wall_s", record.wall_s}};
  put(object, "known", judgement.known);
  object["runners"] = ordered_json::array();
  for (const store::RunnerRecord& runner : record.runners)
    object["runners"].push_back(encode_runner(runner));
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace opalign::report
