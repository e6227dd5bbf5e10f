// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/database.hpp>

#include <fmt/format.h>
#include <sqlite3.h>

namespace opalign::store {
namespace {

/// How long a statement waits for another connection's lock.
constexpr int k_busy_ms = 10'000;

std::string hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "free some space on that disk; what is not written yet is kept and tried again";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "choose a folder that you may write to";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds the file; end it and try again";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "the file is damaged or not a run.db";
    default:
      return {};
  }
}

tl::unexpected<Error> database_error(sqlite3* database) {
  const char* file = sqlite3_db_filename(database, "main");
  return fail(fmt::format("{}: {}", file == nullptr || *file == '\0' ? "run.db" : file,
                          sqlite3_errmsg(database)),
              hint_for(sqlite3_extended_errcode(database)));
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement, sqlite3* database)
    : m_statement(statement), m_database(database) {}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(m_statement.get(), parameter, value);
}

void Statement::bind(int parameter, std::string_view text) {
  // A view without memory would bind NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(m_statement.get(), parameter, data, text.size(), nullptr, SQLITE_UTF8);
}

Expected<bool> Statement::step() {
  int code = sqlite3_step(m_statement.get());
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  tl::unexpected<Error> error = database_error(m_database);
  reset();
  return error;
}

Expected<void> Statement::run() {
  TRY(step());
  reset();
  return {};
}

void Statement::reset() { sqlite3_reset(m_statement.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(m_statement.get(), column);
}

std::string_view Statement::text(int column) const {
  const unsigned char* data = sqlite3_column_text(m_statement.get(), column);
  if (data == nullptr)
    return {};
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Expected<Database> Database::open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  flags |= mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  flags |= mode == Mode::create ? SQLITE_OPEN_CREATE : 0;
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database database;
  database.m_database.reset(raw);
  if (code != SQLITE_OK)
    return fail(fmt::format("{}: {}", path, sqlite3_errstr(code)), hint_for(code));
  sqlite3_busy_timeout(raw, k_busy_ms);
  return database;
}

Expected<void> Database::execute(const char* sql) {
  if (sqlite3_exec(m_database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_error(m_database.get());
  return {};
}

Expected<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(m_database.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
    return database_error(m_database.get());
  return Statement(statement, m_database.get());
}

Expected<std::int64_t> Database::integer(std::string_view sql) const {
  TRY_ASSIGN(Statement statement, prepare(sql));
  TRY(statement.step());
  return statement.integer(0);
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(m_database.get()); }

}  // namespace opalign::store
