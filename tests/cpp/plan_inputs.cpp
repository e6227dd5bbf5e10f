// SPDX-License-Identifier: Apache-2.0
// What only the plan shows of inputs. Bindings and translations are tested as text, by verdicts.
#include <set>

#include <doctest/doctest.h>

#include <opalign/plan/plan.hpp>

using namespace opalign;

TEST_CASE("plan: tensors at the same place of two calls draw apart") {
  const Expected<catalog::Catalog> catalog =
      catalog::Catalog::load(OPALIGN_TEST_DIR "/liar/catalog");
  REQUIRE(catalog.has_value());
  const plan::Planner planner(*catalog, {"liar", "truth"}, {});
  const plan::Unit unit = planner.plan(0, {"a = Tensor([2], \"float32\")\n"
                                           "b = liar.identity(Tensor([2], \"float32\"))\n"
                                           "c = liar.identity(Tensor([2], \"float32\"))\n"
                                           "check a, b, c",
                                           "", 1});
  CHECK_FALSE(unit.judgement.has_value());
  REQUIRE(unit.inputs.size() == 3);
  std::set<std::string> paths;
  for (const plan::Input& input : unit.inputs)
    paths.insert(input.path);
  CHECK(paths == std::set<std::string>{"a", "1:0", "2:0"});
}
