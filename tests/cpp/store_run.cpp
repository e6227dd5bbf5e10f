// SPDX-License-Identifier: Apache-2.0
// What goes into a run.db comes out again.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <doctest/doctest.h>

#include <opalign/store/store.hpp>

#include "sample_records.hpp"
#include "temporary_directory.hpp"

using namespace opalign;
using namespace opalign::store;
using opalign::testing::failed_record;
using opalign::testing::passed_record;
using opalign::testing::TemporaryDirectory;

namespace {

std::vector<Record> all(const Reader& reader, const Filter& filter = {}) {
  std::vector<Record> records;
  REQUIRE(reader.each(filter, [&](const Record& record) {
    records.push_back(record);
    return true;
  }));
  return records;
}

}  // namespace

TEST_CASE("store: a record that passes keeps its row, times and statuses") {
  TemporaryDirectory folder;
  Expected<Writer> writer = Writer::create(folder / "a/run", {{"seed", "7"}});
  REQUIRE(writer);
  REQUIRE(writer->append(passed_record(3)));
  REQUIRE(writer->flush());

  Expected<Reader> reader = Reader::open(folder / "a/run");
  REQUIRE(reader);
  CHECK(*reader->facts() == Facts{{"seed", "7"}});
  std::vector<Record> records = all(*reader);
  REQUIRE(records.size() == 1);
  const Record& record = records.front();
  const Record expected = passed_record(3);
  CHECK(record.seq == 3);
  CHECK(record.id == expected.id);
  CHECK(record.text == expected.text);
  CHECK(record.api == "paddle.add");
  CHECK(record.file == "suites/smoke.txt");
  CHECK(record.line == 4);
  CHECK(record.judgement.verdict == Verdict::pass);
  CHECK(record.wall_s == doctest::Approx(0.001));
  REQUIRE(record.runners.size() == 2);
  CHECK(record.runners[1].runner == "torch@2.13.0:cpu");
  CHECK(record.runners[1].status == "finished");
  CHECK(record.runners[0].forward_s == doctest::Approx(12e-6));
  CHECK(record.runners[0].backward_s == doctest::Approx(34e-6));
}

TEST_CASE("store: a record that does not pass keeps everything") {
  TemporaryDirectory folder;
  Record record = failed_record(0);
  record.text = std::string("not utf-8: \xff and a \0 byte", 26);
  record.runners[1].message = "bad \xfe byte";
  TensorStats& stats = record.judgement.leaves[0].stats;
  stats.max_abs = std::numeric_limits<double>::infinity();
  stats.bias = -std::numeric_limits<double>::infinity();
  stats.cosine = std::numeric_limits<double>::quiet_NaN();
  stats.max_ulp = std::numeric_limits<std::uint64_t>::max();
  {
    Expected<Writer> writer = Writer::create(folder.path(), {});
    REQUIRE(writer);
    REQUIRE(writer->append(record));
  }
  std::vector<Record> records = all(*Reader::open(folder / "run.db"));
  REQUIRE(records.size() == 1);
  const Record& read = records.front();
  CHECK(read.text == record.text);
  CHECK(read.judgement.verdict == Verdict::differs);
  CHECK(read.judgement.stage == Stage::backward);
  CHECK(read.judgement.reason == Reason::value);
  CHECK(read.judgement.message == record.judgement.message);
  CHECK(read.judgement.runner == record.judgement.runner);
  REQUIRE(read.judgement.leaves.size() == 2);
  const LeafComparison& leaf = read.judgement.leaves[0];
  CHECK(leaf.stage == Stage::backward);
  CHECK(leaf.reason == Reason::value);
  CHECK(leaf.path == "grad(x)");
  CHECK(leaf.message == record.judgement.leaves[0].message);
  CHECK(leaf.dtype == "float32");
  CHECK(leaf.shape == Shape{2, 3});
  CHECK(leaf.stats.numel == 6);
  CHECK(leaf.stats.mismatched == 2);
  CHECK(leaf.stats.max_abs == stats.max_abs);
  CHECK(leaf.stats.bias == stats.bias);
  CHECK(std::isnan(leaf.stats.cosine));
  CHECK(leaf.stats.max_ulp == stats.max_ulp);
  CHECK(leaf.stats.worst == 5);
  REQUIRE(leaf.elements.size() == 2);
  CHECK(leaf.elements[0].index == std::vector<std::int64_t>{1, 2});
  CHECK(leaf.elements[0].target == "1.25");
  CHECK(leaf.elements[0].reference == "nan");
  CHECK(read.runners[1].error_class == "other");
  CHECK(read.runners[1].error_type == "RuntimeError");
  CHECK(read.runners[1].error_stage == "backward");
  CHECK(read.runners[1].message == "bad \xef\xbf\xbd byte");
  CHECK(read.runners[1].trace == record.runners[1].trace);
  CHECK(read.runners[1].signal == 11);
}

TEST_CASE("store: records come in order of seq, filtered, counted") {
  TemporaryDirectory folder;
  Expected<Writer> writer = Writer::create(folder.path(), {});
  REQUIRE(writer);
  for (int seq : {5, 1, 4, 0})
    REQUIRE(writer->append(passed_record(seq)));
  for (int seq : {3, 2})
    REQUIRE(writer->append(failed_record(seq)));
  REQUIRE(writer->append(passed_record(5)));
  REQUIRE(writer->flush());

  Expected<Reader> reader = Reader::open(folder.path());
  REQUIRE(reader);
  std::vector<std::int64_t> order;
  for (const Record& record : all(*reader))
    order.push_back(record.seq);
  CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 5});
  CHECK(all(*reader, {.verdicts = {Verdict::differs, Verdict::crash}}).size() == 2);
  CHECK(all(*reader, {.limit = 3}).size() == 3);
  CHECK(reader->find(passed_record(5).id)->size() == 2);
  CHECK(reader->find("00000000000000")->size() == 7);
  CHECK(reader->find("%")->empty());
  Expected<std::vector<ApiCount>> apis = reader->count_by_api();
  REQUIRE(apis);
  REQUIRE(apis->size() == 2);
  CHECK((*apis)[0].api == "paddle.add");
  CHECK((*apis)[0].count == 5);
  CHECK((*apis)[1].api == "paddle.nn.functional.softmax");
  CHECK((*apis)[1].verdict == Verdict::differs);
  CHECK((*apis)[1].count == 2);

  std::map<std::int64_t, std::string> finished = *reader->finished();
  CHECK(finished.at(failed_record(2).seq) == failed_record(2).id);
}

TEST_CASE("store: facts can be added and changed") {
  TemporaryDirectory folder;
  Expected<Writer> writer = Writer::create(folder.path(), {{"a", "1"}});
  REQUIRE(writer);
  REQUIRE(writer->set_fact("a", "2"));
  REQUIRE(writer->set_fact("b", "3"));
  CHECK(*Reader::open(folder.path())->facts() == Facts{{"a", "2"}, {"b", "3"}});
}

TEST_CASE("store: batches of 64 are visible while the writer goes on") {
  TemporaryDirectory folder;
  Expected<Writer> writer = Writer::create(folder.path(), {});
  REQUIRE(writer);
  Expected<Reader> reader = Reader::open(folder.path());
  REQUIRE(reader);
  for (int seq = 0; seq < 130; ++seq)
    REQUIRE(writer->append(passed_record(seq)));
  CHECK(reader->finished()->size() == 128);
  CHECK(writer->queued() == 2);
  REQUIRE(writer->flush());
  CHECK(reader->finished()->size() == 130);
}

TEST_CASE("store: a resumed run goes on, and a later record takes the place of one") {
  TemporaryDirectory folder;
  {
    Expected<Writer> writer = Writer::create(folder.path(), {});
    REQUIRE(writer);
    REQUIRE(writer->append(passed_record(0)));
    REQUIRE(writer->append(passed_record(1)));
    REQUIRE(writer->flush());
    CHECK(Reader::open(folder.path())->finished()->size() == 2);
  }
  {
    Expected<Writer> writer = Writer::resume(folder.path());
    REQUIRE(writer);
    REQUIRE(writer->append(failed_record(1)));
    REQUIRE(writer->append(passed_record(2)));
  }
  std::vector<Record> records = all(*Reader::open(folder.path()));
  REQUIRE(records.size() == 3);
  CHECK(records[1].judgement.verdict == Verdict::differs);
  CHECK(records[1].judgement.leaves.size() == 2);
  CHECK(records[2].runners[0].runner == "paddle@3.3.1:cpu");
}

TEST_CASE("store: a finished run is one file, read or not") {
  TemporaryDirectory folder;
  REQUIRE(Writer::create(folder.path(), {}));
  CHECK(all(*Reader::open(folder.path())).empty());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"run.db", "run.lock"});
}
