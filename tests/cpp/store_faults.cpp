// SPDX-License-Identifier: Apache-2.0
// A run.db under a full disk, a killed writer, two writers, a newer schema, a folder without
// access.
#include <csignal>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <opalign/base/files.hpp>
#include <opalign/store/store.hpp>

#include "sample_records.hpp"
#include "temporary_directory.hpp"

using namespace opalign;
using namespace opalign::store;
using opalign::testing::failed_record;
using opalign::testing::passed_record;
using opalign::testing::TemporaryDirectory;

namespace {

/// Makes files as small as on a full disk, until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    m_handler = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &m_before);
    rlimit limit = m_before;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_handler);
  }

 private:
  rlimit m_before{};
  void (*m_handler)(int) = nullptr;
};

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("store: a full disk is an error with a hint and loses no record") {
  TemporaryDirectory folder;
  constexpr int k_records = 2000;
  // Each with a name of its own, so that failed transactions have added names.
  const auto make = [](int seq) {
    Record record = seq % 2 == 0 ? passed_record(seq) : failed_record(seq);
    record.api = fmt::format("paddle.f{}", seq);
    return record;
  };
  Expected<Writer> writer = Writer::create(folder.path(), {});
  REQUIRE(writer);
  int errors = 0;
  {
    FileSizeLimit limit(100'000);
    for (int seq = 0; seq < k_records; ++seq) {
      Expected<void> appended = writer->append(make(seq));
      if (!appended && errors++ == 0) {
        CHECK(appended.error().message.find("run.db") != std::string::npos);
        CHECK(appended.error().hint ==
              "free some space on that disk; what is not written yet is kept and tried again");
      }
    }
    CHECK_FALSE(writer->flush());
    CHECK(writer->queued() > 64);
  }
  CHECK(errors > 0);
  REQUIRE(writer->flush());
  CHECK(writer->queued() == 0);
  int seq = 0;
  REQUIRE(Reader::open(folder.path())->each({}, [&](const Record& record) {
    CHECK(record.seq == seq);
    CHECK(record.api == make(seq).api);
    ++seq;
    return true;
  }));
  CHECK(seq == k_records);
}

TEST_CASE("store: SIGKILL loses at most the batch that is not full") {
  TemporaryDirectory folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Expected<Writer> writer = Writer::create(folder.path(), {});
    for (int seq = 0; writer && seq < 1000; ++seq)
      if (!writer->append(seq % 10 == 0 ? failed_record(seq) : passed_record(seq)))
        ::_exit(1);
    [[maybe_unused]] ssize_t n = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  ::close(ready[1]);
  char byte = 0;
  CHECK(::read(ready[0], &byte, 1) == 1);
  ::close(ready[0]);
  {
    Expected<Writer> second = Writer::resume(folder.path());
    REQUIRE_FALSE(second);
    CHECK(second.error().message ==
          fmt::format("{}: another opalign (process {}) is writing to this run", folder.path(),
                      child));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);

  CHECK(Reader::open(folder.path())->finished()->size() >= 960);
  Expected<Writer> writer = Writer::resume(folder.path());
  REQUIRE(writer);
  REQUIRE(writer->append(passed_record(2000)));
  REQUIRE(writer->flush());
  CHECK(Reader::open(folder.path())->finished()->contains(passed_record(2000).seq));
}

TEST_CASE("store: one run a folder, one writer a run") {
  TemporaryDirectory folder;
  {
    Expected<Writer> writer = Writer::create(folder.path(), {});
    REQUIRE(writer);
    CHECK_FALSE(Writer::create(folder.path(), {}));
    CHECK_FALSE(Writer::resume(folder.path()));
  }
  Expected<Writer> again = Writer::create(folder.path(), {});
  REQUIRE_FALSE(again);
  CHECK(again.error().text() == folder.path() +
                                    "/run.db: there is a run already\n"
                                    "  hint: go on with it by --resume, or choose another folder");
  Expected<Writer> missing = Writer::resume(folder / "none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == (folder / "none") + ": there is no run to resume");
}

TEST_CASE("store: a folder that cannot be made is an error with a hint") {
  TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "file", ""));
  CHECK_FALSE(Writer::create(folder / "file/run", {}));
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may write everywhere");
    return;
  }
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Expected<Writer> writer = Writer::create(folder / "run", {});
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  REQUIRE_FALSE(writer);
  CHECK(writer.error().hint == "choose a place that you may use");
}

TEST_CASE("store: a newer schema, another file and no file are refused") {
  TemporaryDirectory folder;
  REQUIRE(Writer::create(folder.path(), {}));
  execute(folder / "run.db", "PRAGMA user_version = 99");
  const std::string expected = (folder / "run.db") +
                               ": expected schema version 1 or older, got 99\n"
                               "  hint: a newer opalign wrote this run: read it with that one";
  Expected<Reader> reader = Reader::open(folder.path());
  REQUIRE_FALSE(reader);
  CHECK(reader.error().text() == expected);
  Expected<Writer> writer = Writer::resume(folder.path());
  REQUIRE_FALSE(writer);
  CHECK(writer.error().text() == expected);

  execute(folder / "other.db", "CREATE TABLE t (x)");
  CHECK(Reader::open(folder / "other.db").error().message ==
        (folder / "other.db") + ": not a run.db");
  REQUIRE(write_file_atomically(folder / "text", std::string(5000, 'x')));
  CHECK_FALSE(Reader::open(folder / "text"));
  CHECK(Reader::open(folder / "none").error().message == (folder / "none") + ": not found");
}

TEST_CASE("store: numbers that no verdict or reason has are an error") {
  TemporaryDirectory folder;
  {
    Expected<Writer> writer = Writer::create(folder.path(), {});
    REQUIRE(writer);
    REQUIRE(writer->append(failed_record(0)));
  }
  execute(folder / "run.db", "UPDATE record SET verdict = 200");
  Expected<Reader> reader = Reader::open(folder.path());
  REQUIRE(reader);
  CHECK_FALSE(reader->count_by_api());
  CHECK_FALSE(reader->find(""));
  execute(folder / "run.db", fmt::format("UPDATE record SET verdict = 5, reason = {}",
                                         static_cast<int>(Reason::no_such_dtype) + 1));
  CHECK_FALSE(reader->find(""));
  execute(folder / "run.db", "UPDATE record SET reason = 5; UPDATE detail SET json = '{'");
  CHECK_FALSE(reader->find(""));
}

TEST_CASE("store: a run whose creation was cut short can be created again") {
  TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "run.db", ""));
  CHECK(Writer::create(folder.path(), {}));
}
