// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <opalign/base/files.hpp>
#include <opalign/store/database.hpp>
#include <opalign/store/detail.hpp>
#include <opalign/store/lock.hpp>
#include <opalign/store/names.hpp>
#include <opalign/store/open.hpp>
#include <opalign/store/row.hpp>
#include <opalign/store/schema.hpp>
#include <opalign/store/store.hpp>

namespace opalign::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_batch = 64;
/// Records of slow cases go out after this long, so that a reader sees them.
constexpr std::chrono::seconds k_oldest{1};

/// Times and statuses say all there is to say of a record that passes.
bool has_detail(const Record& record) { return record.judgement.verdict != Verdict::pass; }

}  // namespace

struct Writer::State {
  Fd lock;
  Database database;
  Statement begin, commit, rollback, insert_record, insert_detail, insert_fact, delete_record,
      delete_detail;
  Names names;
  std::vector<Record> queue;
  Clock::time_point flushed = Clock::now();
  bool replaces = false;  ///< a record takes the place of an earlier one of its case

  Expected<void> prepare() {
    TRY_ASSIGN(begin, database.prepare("BEGIN IMMEDIATE"));
    TRY_ASSIGN(commit, database.prepare("COMMIT"));
    TRY_ASSIGN(rollback, database.prepare("ROLLBACK"));
    TRY_ASSIGN(insert_record,
               database.prepare("INSERT INTO record (seq, verdict, stage, reason, api, file, line, "
                                "wall, times, id, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    TRY_ASSIGN(insert_detail, database.prepare("INSERT INTO detail (number, json) VALUES (?, ?)"));
    TRY_ASSIGN(insert_fact,
               database.prepare("INSERT OR REPLACE INTO fact (key, value) VALUES (?, ?)"));
    TRY_ASSIGN(delete_record, database.prepare("DELETE FROM record WHERE seq = ?"));
    TRY_ASSIGN(delete_detail, database.prepare("DELETE FROM detail WHERE number IN (SELECT number "
                                               "FROM record WHERE seq = ?)"));
    TRY_ASSIGN(names, Names::open(database));
    return {};
  }

  Expected<void> set_fact(const std::string& key, const std::string& value) {
    insert_fact.bind(1, key);
    insert_fact.bind(2, value);
    return insert_fact.run();
  }

  Expected<void> write(const Record& record) {
    TRY_ASSIGN(const std::int64_t api, names.number(record.api));
    TRY_ASSIGN(const std::int64_t file, names.number(record.file));
    TRY_ASSIGN(const std::string times,
               encode_times(record.runners,
                            [this](const std::string& name) { return names.number(name); }));
    if (replaces) {
      delete_detail.bind(1, record.seq);
      TRY(delete_detail.run());
      delete_record.bind(1, record.seq);
      TRY(delete_record.run());
    }
    int parameter = 0;
    insert_record.bind(++parameter, record.seq);
    insert_record.bind(++parameter, static_cast<std::int64_t>(record.judgement.verdict));
    insert_record.bind(++parameter, static_cast<std::int64_t>(record.judgement.stage));
    insert_record.bind(++parameter, static_cast<std::int64_t>(record.judgement.reason));
    insert_record.bind(++parameter, api);
    insert_record.bind(++parameter, file);
    insert_record.bind(++parameter, record.line);
    insert_record.bind(++parameter, to_nanoseconds(record.wall_s));
    insert_record.bind(++parameter, times);
    insert_record.bind(++parameter, record.id);
    insert_record.bind(++parameter, record.text);
    TRY(insert_record.run());
    if (!has_detail(record))
      return {};
    const std::string detail = encode_detail(record);
    insert_detail.bind(1, database.last_row());
    insert_detail.bind(2, detail);
    return insert_detail.run();
  }

  Expected<void> write_queue() {
    TRY(begin.run());
    for (const Record& record : queue)
      TRY(write(record));
    return commit.run();
  }

  Expected<void> flush() {
    if (queue.empty())
      return {};
    flushed = Clock::now();
    Expected<void> written = write_queue();
    if (!written) {
      // Fails where SQLite has rolled back by itself, which is as good.
      static_cast<void>(rollback.run());
      names.forget();
      return written;
    }
    names.keep();
    queue.clear();
    return {};
  }
};

Writer::Writer(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Writer::~Writer() {
  if (!m_state)
    return;
  // A caller who must know calls flush.
  static_cast<void>(m_state->flush());
  // Leaves one file, which can be read from a read-only place; not while a reader is at it.
  static_cast<void>(
      m_state->database.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE"));
}

Expected<Writer> Writer::create(const std::string& directory, const Facts& facts) {
  TRY(make_directories(directory));
  auto state = std::make_unique<State>();
  TRY_ASSIGN(state->lock, lock_directory(directory));
  TRY_ASSIGN(state->database, create_database(directory + "/run.db"));
  TRY(state->prepare());
  TRY(state->begin.run());
  for (const auto& [key, value] : facts)
    TRY(state->set_fact(key, value));
  TRY(state->commit.run());
  return Writer(std::move(state));
}

Expected<Writer> Writer::resume(const std::string& directory) {
  const std::string path = directory + "/run.db";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return fail(fmt::format("{}: there is no run to resume", directory),
                "check the folder, or begin a new run");
  auto state = std::make_unique<State>();
  TRY_ASSIGN(state->lock, lock_directory(directory));
  TRY_ASSIGN(state->database, open_database(path, Database::Mode::read_write));
  TRY(state->prepare());
  state->replaces = true;
  return Writer(std::move(state));
}

Expected<void> Writer::append(Record record) {
  State& state = *m_state;
  state.queue.push_back(std::move(record));
  if (state.queue.size() % k_batch == 0 || Clock::now() - state.flushed > k_oldest)
    return state.flush();
  return {};
}

Expected<void> Writer::flush() { return m_state->flush(); }

Expected<void> Writer::tick() {
  if (!m_state->queue.empty() && Clock::now() - m_state->flushed > k_oldest)
    return m_state->flush();
  return {};
}

std::size_t Writer::queued() const { return m_state->queue.size(); }

Expected<void> Writer::set_fact(const std::string& key, const std::string& value) {
  return m_state->set_fact(key, value);
}

}  // namespace opalign::store
