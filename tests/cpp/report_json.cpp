// SPDX-License-Identifier: Apache-2.0
// What programs read of a run.
#include <algorithm>
#include <limits>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <opalign/report/format.hpp>
#include <opalign/report/jsonl.hpp>
#include <opalign/report/summary.hpp>

#include "sample_records.hpp"
#include "temporary_directory.hpp"

using namespace opalign;
using namespace opalign::report;
using opalign::testing::failed_record;
using opalign::testing::passed_record;
using opalign::testing::TemporaryDirectory;

TEST_CASE("report: a JSON line") {
  CHECK(
      to_json_line(passed_record(0)) ==
      R"~({"case":"paddle.add(Tensor([0],\"float32\"), Tensor([1],\"float32\"), )",)~"
      R"~("id":"0000000000000000","verdict":"pass","stage":"","reason":"","message":"",)~"
      R"~("file":"suites/smoke.txt","line":1,"api":"paddle.add","wall_s":0.001,"runners":[)~"
      R"~({"runner":"paddle@3.3.1:cpu","status":"finished","forward_s":1.2e-05,"backward_s":3.4e-05},)~"
      R"~({"runner":"torch@2.13.0:cpu","status":"finished","forward_s":1.2e-05,"backward_s":3.4e-05}]})~");
}

TEST_CASE("report: a JSON line of a failure, with bytes that are not UTF-8") {
  store::Record record = failed_record(1);
  record.text = "bad \xff\n";
  const nlohmann::json line = nlohmann::json::parse(to_json_line(record));
  CHECK(line["case"] == "bad \xef\xbf\xbd\n");
  CHECK(line["verdict"] == "differs");
  CHECK(line["stage"] == "backward");
  CHECK(line["reason"] == "value");
  CHECK(line["runners"][1]["error_type"] == "RuntimeError");
  CHECK(line["runners"][1]["signal"] == 11);
  CHECK_FALSE(line["runners"][0].contains("message"));
}

TEST_CASE("report: formats are found by name and write what the filter chooses") {
  TemporaryDirectory folder;
  Expected<store::Writer> writer = store::Writer::create(folder.path(), {});
  REQUIRE(writer);
  REQUIRE(writer->append(passed_record(0)));
  REQUIRE(writer->append(failed_record(1)));
  REQUIRE(writer->append(passed_record(2)));
  REQUIRE(writer->flush());
  Expected<store::Reader> reader = store::Reader::open(folder.path());
  REQUIRE(reader);
  std::ostringstream all, passed;
  REQUIRE((*find_format("jsonl"))->write(*reader, {}, all));
  REQUIRE((*find_format("jsonl"))->write(*reader, {.verdicts = {Verdict::pass}}, passed));
  CHECK(passed.str() ==
        to_json_line(passed_record(0)) + "\n" + to_json_line(passed_record(2)) + "\n");
  const std::string text = all.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  for (const Format& format : formats()) {
    CAPTURE(format.name);
    std::ostringstream out;
    REQUIRE(format.write(*reader, {}, out));
    CHECK(out.str().find("paddle.nn.functional.softmax") != std::string::npos);
  }
  Expected<const Format*> unknown = find_format("jsnl");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text() ==
        "format 'jsnl' is unknown; there are: jsonl, text\n  hint: did you mean \"jsonl\"?");
}

TEST_CASE("report: the summary as JSON and as text") {
  Summary summary;
  summary.cases = 1204;
  summary.verdicts = {{"pass", 1200}, {"crash", 4}};
  summary.wall_s = 2.5;
  summary.cases_per_s = 481.6;
  summary.busy = 0.93;
  CHECK(to_json(summary) == R"({
  "cases": 1204,
  "verdicts": {
    "pass": 1200,
    "crash": 4
  },
  "known": {},
  "wall_s": 2.5,
  "cases_per_s": 481.6,
  "busy": 0.93
}
)");
  CHECK(to_text(summary, {false, 80}) ==
        R"(1,204 cases in 2.5 s: 482 cases/s, workers busy 93 % of the time
  crash      4    0.3 %  the target's process died or broke the protocol
  pass   1,200   99.7 %  every output and gradient agrees
)");
}

TEST_CASE("report: a summary of nothing is still JSON") {
  Summary summary;
  summary.cases_per_s = std::numeric_limits<double>::quiet_NaN();
  CHECK(nlohmann::json::parse(to_json(summary))["cases_per_s"] == 0);
  CHECK(nlohmann::json::parse(to_json(summary))["verdicts"].is_object());
}
