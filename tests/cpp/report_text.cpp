// SPDX-License-Identifier: Apache-2.0
// What a person sees of a record and of a run.
#include <doctest/doctest.h>

#include <opalign/base/subprocess.hpp>
#include <opalign/report/overview.hpp>
#include <opalign/report/style.hpp>
#include <opalign/report/text.hpp>

#include "sample_records.hpp"
#include "temporary_directory.hpp"

using namespace opalign;
using namespace opalign::report;
using opalign::testing::failed_record;
using opalign::testing::passed_record;
using opalign::testing::TemporaryDirectory;

namespace {

const store::Facts k_facts{{"target", "paddle@3.3.1:cpu"},
                           {"references", "torch@2.13.0:cpu jax@0.10.2:cpu"},
                           {"policy", "torch"},
                           {"seed", "7"}};

int widest(std::string_view text) {
  int widest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, width_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

}  // namespace

TEST_CASE("report: a record that differs") {
  CHECK(render_record(failed_record(3), k_facts, {false, 80}) ==
        R"(differs: backward value  paddle.nn.functional.softmax
0000000000000003  suites/smoke.txt:4

  paddle.nn.functional.softmax(Tensor([2, 3],"float32"), axis=-1, )

  paddle@3.3.1:cpu: grad(x): 2 of 6 elements differ

  grad(x)  float32 [2, 3]  value
    2 of 6 elements beyond the limit, 1 in nan or inf, 3 equal bit by bit
    max abs 0.125, max rel 0.0625, max ulp 1048576
    index        target    reference
    [1, 2]         1.25          nan
    [0, 1]  -0.33333334  -0.45833334

  output  float32 [2, 3]  agrees
    equal bit by bit

  paddle@3.3.1:cpu  finished  forward 12 µs  backward 34 µs
  torch@2.13.0:cpu  finished  forward 12 µs  backward 34 µs
    RuntimeError in backward, signal 11
      derivative for 'softmax' is not implemented
      File "<translation>", line 1, in result

  run it again:
  opalign run --case 'paddle.nn.functional.softmax(Tensor([2, 3],"float32"), axis=-1, )' --target paddle@3.3.1:cpu --reference torch@2.13.0:cpu --reference jax@0.10.2:cpu --policy torch --seed 7
)");
}

TEST_CASE("report: a message that adds to the headline is shown with its leaf") {
  store::Record record = failed_record(0);
  record.judgement.leaves[1].message = "something else";
  CHECK(render_record(record, k_facts, {false, 80}).find("    something else\n") !=
        std::string::npos);
}

TEST_CASE("report: a shell reads the case in the rerun line as it is") {
  store::Record record = failed_record(0);
  record.text = "f('it''s', \"$HOME `x` \\\")";
  const std::string command = rerun_command(record, k_facts);
  Expected<CommandResult> result =
      run_command({.arguments = {"sh", "-c", "set -- " + command + "; printf %s \"$4\""}});
  REQUIRE(result);
  CHECK(result->output == record.text);
}

TEST_CASE("report: nothing but the rerun line is wider than the terminal") {
  store::Record record = failed_record(0);
  record.text = "paddle.concat(" + std::string(300, 'x') + ",tuple(Tensor([3,4],\"float32\"), ), )";
  record.runners[1].message = std::string(100, 'y') + " " + std::string(100, 'z');
  std::string text = render_record(record, k_facts, {false, 80});
  CHECK(widest(text.substr(0, text.find("  run it again"))) <= 80);
  CHECK(widest(render_line(record, {false, 80})) <= 80);
}

TEST_CASE("report: messages cannot steer the terminal") {
  store::Record record = failed_record(0);
  record.runners[1].message =
      "\x1b[31mred\x1b[0m \xc2\x9b"
      "1m\r bell\a µ";
  const std::string text = render_record(record, k_facts, {false, 80});
  CHECK(text.find_first_of("\x1b\r\a") == std::string::npos);
  CHECK(text.find("\\x1b[31mred\\x1b[0m \\x9b1m\\x0d bell\\x07 µ") != std::string::npos);
}

TEST_CASE("report: colours are there only where they are wanted") {
  CHECK(render_record(failed_record(0), k_facts, {true, 80}).find("\x1b[1;31mdiffers\x1b[0m") == 0);
  CHECK(paint({false, 80}, Tone::bad, "x") == "x");
}

TEST_CASE("report: one line a record where nothing limits the width") {
  store::Record record = failed_record(3);
  record.judgement.message = "two\nlines\tand a tab";
  CHECK(render_line(record, {}) ==
        "0000000000000003\tdiffers\tbackward\tvalue\tpaddle.nn.functional.softmax\t"
        "suites/smoke.txt:4\ttwo lines    and a tab\n");
}

TEST_CASE("report: the overview has the worst first") {
  TemporaryDirectory folder;
  Expected<store::Writer> writer = store::Writer::create(folder.path(), k_facts);
  REQUIRE(writer);
  for (int seq = 0; seq < 3000; ++seq)
    REQUIRE(writer->append(passed_record(seq)));
  for (int seq = 3000; seq < 3002; ++seq)
    REQUIRE(writer->append(failed_record(seq)));
  store::Record crashed = failed_record(3002);
  crashed.judgement.verdict = Verdict::crash;
  REQUIRE(writer->append(crashed));
  crashed.api = "paddle.incubate.nn.functional.fused_multi_head_attention_and_more";
  REQUIRE(writer->append(crashed));
  REQUIRE(writer->flush());
  Expected<store::Reader> reader = store::Reader::open(folder.path());
  REQUIRE(reader);
  CHECK(*render_overview(*reader, 1, {false, 80}) ==
        R"(paddle@3.3.1:cpu against torch@2.13.0:cpu jax@0.10.2:cpu

  differs      2    0.1 %  target and reference disagree
  crash        2    0.1 %  the target's process died or broke the protocol
  pass     3,000   99.9 %  every output and gradient agrees

  API that fails                  cases   failed
  paddle.nn.functional.softmax        3        3  differs 2, crash 1
  … and 1 more (--limit 0 shows all)
  1 other API without a failure
)");
  CHECK(widest(*render_overview(*reader, 0, {false, 80})) <= 80);
}

TEST_CASE("report: numbers for people") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(-1234) == "-1,234");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1234567) == "1,234,567");
  CHECK(format_seconds(12e-6) == "12 µs");
  CHECK(format_seconds(0.0123) == "12.3 ms");
  CHECK(format_seconds(3.41) == "3.41 s");
  CHECK(format_seconds(125) == "2 min 5 s");
  CHECK(format_seconds(7260) == "2 h 1 min");
  CHECK(format_percent(0) == "0.0 %");
  CHECK(format_percent(0.00001) == "<0.1 %");
  CHECK(format_percent(0.99999) == ">99.9 %");
  CHECK(format_percent(1) == "100.0 %");
  CHECK(shorten("µµµµ", 3) == "µµ…");
  CHECK(shorten("µµµ", 3) == "µµµ");
  CHECK(pad("µ", 3) == "µ  ");
}
