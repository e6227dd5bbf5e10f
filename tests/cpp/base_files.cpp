// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <doctest/doctest.h>

#include <opalign/base/files.hpp>

#include "temporary_directory.hpp"

using namespace opalign;
using opalign::testing::TemporaryDirectory;

TEST_CASE("files: what was written is read, byte by byte") {
  TemporaryDirectory folder;
  const std::string path = folder / "a";
  const std::string content("one\0two\n\xff", 9);
  REQUIRE(write_file_atomically(path, content));
  CHECK(*read_file(path) == content);
  REQUIRE(write_file_atomically(path, "shorter"));
  CHECK(*read_file(path) == "shorter");
}

TEST_CASE("files: nothing is left beside a file, written or not") {
  TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "a", "text"));
  REQUIRE(make_directories(folder / "folder"));
  CHECK_FALSE(write_file_atomically(folder / "folder", "text"));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++entries;
  CHECK(entries == 2);
}

TEST_CASE("files: a link and what is no file stay what they are") {
  TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "a", "old"));
  std::filesystem::create_symlink("a", folder / "link");
  REQUIRE(write_file_atomically(folder / "link", "new"));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(*read_file(folder / "a") == "new");

  std::filesystem::create_symlink("/dev/full", folder / "full");
  CHECK_FALSE(write_file_atomically(folder / "full", "text"));
  std::filesystem::create_symlink("/dev/null", folder / "null");
  CHECK(write_file_atomically(folder / "null", "text"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("files: errors name the path and a way out") {
  TemporaryDirectory folder;
  Expected<std::string> text = read_file(folder / "none");
  REQUIRE_FALSE(text);
  CHECK(text.error().message ==
        (folder / "none") + ": cannot be opened: No such file or directory");
  CHECK(text.error().hint == "check the spelling of the path");

  REQUIRE(write_file_atomically(folder / "file", ""));
  CHECK_FALSE(make_directories(folder / "file"));
  CHECK_FALSE(make_directories(folder / "file/below"));
  CHECK(make_directories(folder / "a/b/c"));
  CHECK(make_directories(folder / "a/b/c"));
}
