// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <doctest/doctest.h>

#include <opalign/base/files.hpp>
#include <opalign/base/resources.hpp>

#include "temporary_directory.hpp"

using namespace opalign;
using opalign::testing::TemporaryDirectory;

TEST_CASE("resources: OPALIGN_RESOURCES chooses the folder, and must hold it") {
  TemporaryDirectory folder;
  ::setenv("OPALIGN_RESOURCES", folder.path().c_str(), 1);
  Expected<std::string> empty = resource_root();
  REQUIRE(make_directories(folder / "catalog/paddle"));
  REQUIRE(make_directories(folder / "python/opalign"));
  Expected<std::string> root = resource_root();
  Expected<std::string> there = resource("catalog/paddle");
  Expected<std::string> missing = resource("catalog/torch");
  ::unsetenv("OPALIGN_RESOURCES");

  REQUIRE_FALSE(empty);
  CHECK(empty.error().message ==
        "OPALIGN_RESOURCES=" + folder.path() + ": expected a folder with python/ and catalog/");
  REQUIRE(root);
  CHECK(*root == folder.path());
  REQUIRE(there);
  CHECK(*there == folder / "catalog/paddle");
  REQUIRE_FALSE(missing);
}

TEST_CASE("resources: the version is one") { CHECK(version().find('.') != std::string_view::npos); }
