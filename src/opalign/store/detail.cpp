// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/detail.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <opalign/store/row.hpp>

namespace opalign::store {
namespace {

using nlohmann::json;

json number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

double to_double(const json& value) {
  if (!value.is_string())
    return value.get<double>();
  const std::string& text = value.get_ref<const std::string&>();
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return (text == "-inf" ? -1 : 1) * std::numeric_limits<double>::infinity();
}

template <class T>
void put(json& object, const char* key, const T& value) {
  if (value != T())
    object[key] = value;
}

template <class T>
void get(const json& object, const char* key, T& value) {
  if (json::const_iterator found = object.find(key); found != object.end())
    found->get_to(value);
}

json encode_stats(const TensorStats& s) {
  return json::array({s.numel, s.bit_equal, s.mismatched, s.class_mismatched, number(s.max_abs),
                      number(s.mean_abs), number(s.rms_abs), number(s.max_rel), s.max_ulp,
                      number(s.bias), number(s.cosine), s.first_mismatch, s.worst});
}

TensorStats decode_stats(const json& a) {
  return {.numel = a.at(0),
          .bit_equal = a.at(1),
          .mismatched = a.at(2),
          .class_mismatched = a.at(3),
          .max_abs = to_double(a.at(4)),
          .mean_abs = to_double(a.at(5)),
          .rms_abs = to_double(a.at(6)),
          .max_rel = to_double(a.at(7)),
          .max_ulp = a.at(8),
          .bias = to_double(a.at(9)),
          .cosine = to_double(a.at(10)),
          .first_mismatch = a.at(11),
          .worst = a.at(12)};
}

json encode_leaf(const LeafComparison& leaf) {
  json object = {{"stage", static_cast<int>(leaf.stage)}, {"path", leaf.path}};
  put(object, "reason", static_cast<int>(leaf.reason));
  put(object, "message", leaf.message);
  put(object, "known", leaf.known);
  put(object, "dtype", leaf.dtype);
  put(object, "shape", leaf.shape);
  object["stats"] = encode_stats(leaf.stats);
  for (const LeafComparison::Element& element : leaf.elements)
    object["elements"].push_back({element.index, element.target, element.reference});
  return object;
}

Expected<LeafComparison> decode_leaf(const json& object) {
  LeafComparison leaf;
  TRY_ASSIGN(leaf.stage, to_stage(object.at("stage")));
  TRY_ASSIGN(leaf.reason, to_reason(object.value("reason", 0)));
  get(object, "path", leaf.path);
  get(object, "message", leaf.message);
  get(object, "known", leaf.known);
  get(object, "dtype", leaf.dtype);
  get(object, "shape", leaf.shape);
  leaf.stats = decode_stats(object.at("stats"));
  if (json::const_iterator elements = object.find("elements"); elements != object.end())
    for (const json& element : *elements)
      leaf.elements.push_back({element.at(0), element.at(1), element.at(2)});
  return leaf;
}

json encode_runner(const RunnerRecord& runner) {
  json object = json::object();
  put(object, "class", runner.error_class);
  put(object, "type", runner.error_type);
  put(object, "stage", runner.error_stage);
  put(object, "message", runner.message);
  put(object, "trace", runner.trace);
  put(object, "signal", runner.signal);
  put(object, "exit", runner.exit_code);
  return object;
}

void decode_runner(const json& object, RunnerRecord& runner) {
  get(object, "class", runner.error_class);
  get(object, "type", runner.error_type);
  get(object, "stage", runner.error_stage);
  get(object, "message", runner.message);
  get(object, "trace", runner.trace);
  get(object, "signal", runner.signal);
  get(object, "exit", runner.exit_code);
}

Expected<void> decode_object(const json& object, Record& record) {
  get(object, "runner", record.judgement.runner);
  get(object, "message", record.judgement.message);
  get(object, "known", record.judgement.known);
  for (const json& item : object.value("leaves", json::array())) {
    TRY_ASSIGN(LeafComparison leaf, decode_leaf(item));
    record.judgement.leaves.push_back(std::move(leaf));
  }
  const json runners = object.value("runners", json::array());
  for (std::size_t i = 0; i < std::min(runners.size(), record.runners.size()); ++i)
    decode_runner(runners[i], record.runners[i]);
  return {};
}

}  // namespace

std::string encode_detail(const Record& record) {
  json object = json::object();
  put(object, "runner", record.judgement.runner);
  put(object, "message", record.judgement.message);
  put(object, "known", record.judgement.known);
  for (const LeafComparison& leaf : record.judgement.leaves)
    object["leaves"].push_back(encode_leaf(leaf));
  for (const RunnerRecord& runner : record.runners)
    object["runners"].push_back(encode_runner(runner));
  // What a framework says need not be UTF-8.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Expected<void> decode_detail(std::string_view text, Record& record) {
  try {
    return decode_object(json::parse(text), record);
  } catch (const json::exception&) {
    return fail("run.db: the details of a record cannot be read", "the file is damaged");
  }
}

}  // namespace opalign::store
