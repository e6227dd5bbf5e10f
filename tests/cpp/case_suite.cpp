// SPDX-License-Identifier: Apache-2.0
// Suites: which files, which cases in them; and all lines of the public suites where they are at
// hand.
#include <filesystem>
#include <fstream>
#include <tuple>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <opalign/case/parse.hpp>
#include <opalign/case/print.hpp>
#include <opalign/case/suite.hpp>

#include "temporary_directory.hpp"

using namespace opalign;
using namespace opalign::cases;
namespace fs = std::filesystem;

namespace {

struct Folder : testing::TemporaryDirectory {
  std::string write(const std::string& name, std::string_view text) const {
    const std::string file = *this / name;
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string write_compressed(const std::string& name, const std::string& text) const {
    const std::string file = *this / name;
    const gzFile out = gzopen(file.c_str(), "wb");
    const int written = gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    CHECK(written == static_cast<int>(text.size()));
    gzclose(out);
    return file;
  }
};

using Found = std::vector<std::tuple<int, std::string>>;

Found read(const std::string& file) {
  Found found;
  const Expected<void> result = read_suite(file, [&](SuiteCase c) {
    CHECK(c.file == file);
    found.emplace_back(c.line, c.text);
    return true;
  });
  if (!result)
    FAIL(result.error().text());
  return found;
}

const std::string k_text =
    "# a comment\n"
    "paddle.abs(1)\n"
    "  paddle.abs(2) # why\r\n"
    "\n"
    "not a case\n"
    "a = Tensor([2],\"int8\")\n"
    "  # inside\r\n"
    "b = paddle.abs(a)\r\n"
    "check b\n"
    " \t\r\n"
    "paddle.abs(3)\n"
    "c=1; paddle.f(c)\n"
    "check c";
const Found k_cases{
    {2, "paddle.abs(1)"},  {3, "  paddle.abs(2) # why"},
    {5, "not a case"},     {6, "a = Tensor([2],\"int8\")\n  # inside\nb = paddle.abs(a)\ncheck b"},
    {11, "paddle.abs(3)"}, {12, "c=1; paddle.f(c)\ncheck c"}};

}  // namespace

TEST_CASE("a suite is lines and blocks") {
  const Folder folder;
  CHECK(read(folder.write("a.txt", k_text)) == k_cases);
  CHECK(read(folder.write("b.txt", "\xEF\xBB\xBF" + k_text + "\n\n\n")) == k_cases);
  CHECK(read(folder.write_compressed("c.txt.gz", k_text)) == k_cases);
  CHECK(read(folder.write("empty.txt", "")).empty());
}

TEST_CASE("reading stops when enough is taken") {
  const Folder folder;
  int taken = 0;
  CHECK(read_suite(folder.write("a.txt", k_text), [&](const SuiteCase&) { return ++taken < 4; }));
  CHECK(taken == 4);
}

TEST_CASE("a line that no case can have is cut and refused") {
  const Folder folder;
  const std::string file = folder.write_compressed(
      "long.gz", "paddle.f(" + std::string(20 << 20, ' ') + ")\npaddle.f(1)");
  const Found found = read(file);
  REQUIRE(found.size() == 2);
  CHECK(std::get<1>(found[0]).size() == (1 << 20) + 1);
  CHECK_FALSE(parse(std::get<1>(found[0])).has_value());
  CHECK(found[1] == std::tuple(2, std::string("paddle.f(1)")));
}

TEST_CASE("files that cannot be read") {
  const Folder folder;
  const auto error_of = [](const std::string& file) {
    const Expected<void> result = read_suite(file, [](const SuiteCase&) { return true; });
    REQUIRE_FALSE(result.has_value());
    return result.error().message;
  };
  const std::string missing = folder / "none.txt";
  CHECK(error_of(missing) == missing + ": cannot be read: No such file or directory");
  CHECK(error_of(folder.path()) == folder.path() + ": cannot be read further: Is a directory");

  const std::string half = folder.write_compressed("half.gz", k_text);
  fs::resize_file(half, fs::file_size(half) - 20);
  CHECK(error_of(half) == half + ": cannot be read further: unexpected end of file");
}

TEST_CASE("a pipe is read as far as it has come") {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const Fd held(::open(pipe.c_str(), O_RDWR));  // so that opening it for reading does not block
  Fd writer(::open(pipe.c_str(), O_WRONLY));
  Expected<SuiteFile> suite = SuiteFile::open(pipe);
  REQUIRE(suite.has_value());
  const auto send = [&](std::string_view text) {
    REQUIRE(::write(writer.get(), text.data(), text.size()) == std::ssize(text));
  };
  const auto next = [&] {
    const Expected<Offer<SuiteCase>> offer = suite->next();
    REQUIRE(offer.has_value());
    CHECK_FALSE(offer->ended);
    return offer->item ? offer->item->text : "(nothing yet)";
  };
  CHECK(next() == "(nothing yet)");
  send("paddle.f(1)\npaddle.");
  CHECK(next() == "paddle.f(1)");
  CHECK(next() == "(nothing yet)");
  send("g(2)\n");
  CHECK(next() == "paddle.g(2)");
}

TEST_CASE("what is no suite is given up") {
  const Expected<void> zeros = read_suite("/dev/zero", [](const SuiteCase&) { return true; });
  REQUIRE_FALSE(zeros.has_value());
  CHECK(zeros.error().message == "/dev/zero:1: a line of more than 256 MiB");
}

TEST_CASE("suites are found") {
  const Folder folder;
  const std::string b = folder.write("b.txt", "");
  const std::string a = folder.write("sub/a.case", "");
  const std::string z = folder.write_compressed("sub/z.txt.gz", "");
  folder.write("sub/readme.md", "");
  const std::string odd = folder.write("[x].txt", "");
  const std::string nowhere = folder / "c.txt";
  fs::create_symlink("nowhere", nowhere);
  const auto expand = [](const std::vector<std::string>& arguments) {
    const Expected<std::vector<std::string>> files = expand_suites(arguments);
    if (!files)
      FAIL(files.error().text());
    return *files;
  };
  using Files = std::vector<std::string>;
  CHECK(expand({folder.path()}) == Files{odd, b, nowhere, a, z});
  CHECK(expand({z, "-", b}) == Files{z, "-", b});
  CHECK(expand({folder / "s*"}) == Files{a, z});
  CHECK(expand({folder / "sub/[az]*"}) == Files{a, z});
  CHECK(expand({odd}) == Files{odd});

  const std::string missing = folder / "bb.txt";
  const Expected<Files> none = expand_suites({missing});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error() == Error{missing + ": no such file or folder", "did you mean \"b.txt\"?"});
  fs::create_directory(folder / "bare");
  const Expected<Files> bare = expand_suites({folder / "bare"});
  REQUIRE_FALSE(bare.has_value());
  CHECK(bare.error() == Error{(folder / "bare") + ": no suites in this folder",
                              "a suite's name ends in .txt, .case, .txt.gz or .case.gz"});
}

TEST_CASE("the public suites read, print and read back equal") {
  const fs::path suite =
      fs::path(OPALIGN_TEST_DIR).parent_path().parent_path() / "shared/cases/all.txt.gz";
  if (!fs::exists(suite)) {
    MESSAGE("skipped: no shared/cases/all.txt.gz beside the checkout");
    return;
  }
  int lines = 0;
  int unchanged = 0;
  std::vector<std::string> refused;
  const Expected<void> result = read_suite(suite.string(), [&](const SuiteCase& line) {
    ++lines;
    const Expected<Case> first = parse(line.text, {"all.txt", line.line});
    if (!first) {
      refused.push_back(first.error().message.substr(0, first.error().message.find('\n')));
      return true;
    }
    const std::string text = print(*first);
    unchanged += text == line.text;
    const Expected<Case> second = parse(text);
    REQUIRE_MESSAGE(second.has_value(), text);
    REQUIRE_MESSAGE(*second == *first, text);
    REQUIRE(print(*second) == text);
    return true;
  });
  CHECK(result.has_value());
  CHECK(lines == 155679);
  CHECK(unchanged == 155658);
  // A number that its recorder lost, and two cases on one line.
  CHECK(refused ==
        std::vector<std::string>{"all.txt:37854:15: expected a number, got '.'",
                                 "all.txt:139158:27221: expected ';' or the end of the line, got "
                                 "'paddle.Tensor.__getitem__'"});
}
