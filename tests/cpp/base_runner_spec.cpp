// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <opalign/base/runner_spec.hpp>

using opalign::check_transforms;
using opalign::Expected;
using opalign::parse_runner_spec;
using opalign::RunnerSpec;

TEST_CASE("runner spec: canonical text") {
  const char* texts[][2] = {
      {"paddle", "paddle:cpu"},
      {"paddle@3.3.1:cpu+compile", "paddle@3.3.1:cpu+compile"},
      {"torch:cuda:1", "torch:cuda:1"},
      {"torch:cuda", "torch:cuda:0"},
      {"torch:cpu:0", "torch:cpu"},
      {"paddle+env(FLAGS_x=1)", "paddle:cpu+env(FLAGS_x=1)"},
      {"paddle@3.3+env(a=f(1)+2:3)+amp", "paddle@3.3:cpu+env(a=f(1)+2:3)+amp"},
  };
  for (auto& [text, canonical] : texts) {
    CAPTURE(text);
    Expected<RunnerSpec> spec = parse_runner_spec(text);
    REQUIRE(spec);
    CHECK(to_string(*spec) == canonical);
    CHECK(parse_runner_spec(canonical) == *spec);
  }
}

TEST_CASE("runner spec: parts") {
  Expected<RunnerSpec> spec = parse_runner_spec("paddle@3.3.1:gpu:2+env(x=1)+compile");
  REQUIRE(spec);
  CHECK(spec->framework == "paddle");
  CHECK(spec->version == "3.3.1");
  CHECK(spec->device == "gpu");
  CHECK(spec->index == 2);
  CHECK(spec->transforms == std::vector<std::string>{"env(x=1)", "compile"});
}

TEST_CASE("runner spec: errors say the place and what was expected") {
  const char* texts[][2] = {
      {"", "runner '', column 1: expected the name of a framework, got the end"},
      {"Paddle", "runner 'Paddle', column 1: expected the name of a framework, got 'Paddle'"},
      {"paddle@", "runner 'paddle@', column 8: expected a version, got the end"},
      {"paddle:", "runner 'paddle:', column 8: expected a device, got the end"},
      {"torch:cuda:x",
       "runner 'torch:cuda:x', column 12: expected the number of a device, got 'x'"},
      {"torch:cuda:99999999999",
       "runner 'torch:cuda:99999999999', column 23: expected the number of a device, got the end"},
      {"torch+env(x", "runner 'torch+env(x', column 10: expected a text in parentheses, got '(x'"},
      {"torch compile",
       "runner 'torch compile', column 6: expected ':', '+' or the end, got ' compile'"},
  };
  for (auto& [text, message] : texts) {
    CAPTURE(text);
    Expected<RunnerSpec> spec = parse_runner_spec(text);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().message == message);
    CHECK_FALSE(spec.error().hint.empty());
  }
}

TEST_CASE("runner spec: no transform is available yet") {
  CHECK(check_transforms(*parse_runner_spec("paddle")));
  Expected<void> checked = check_transforms(*parse_runner_spec("paddle+compile"));
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message ==
        "runner 'paddle:cpu+compile': '+compile': no transform is available yet");
}
