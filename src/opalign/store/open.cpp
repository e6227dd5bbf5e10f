// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/open.hpp>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <opalign/store/schema.hpp>

namespace opalign::store {
namespace {

namespace fs = std::filesystem;

Expected<void> check_version(const Database& database, const std::string& path) {
  TRY_ASSIGN(const std::int64_t application, database.integer("PRAGMA application_id"));
  TRY_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (application != k_application_id)
    return fail(fmt::format("{}: not a run.db", path), "name the folder that `opalign run` made");
  if (version > k_schema_version)
    return fail(fmt::format("{}: expected schema version {} or older, got {}", path,
                            k_schema_version, version),
                "a newer opalign wrote this run: read it with that one");
  return {};
}

/// What SQLite wants of a path inside a URI.
std::string uri_path(const std::string& path) {
  std::string escaped;
  for (char c : path) {
    if (c == '%' || c == '?' || c == '#')
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      escaped += c;
  }
  return escaped;
}

/// A WAL file that is not empty holds records that the main file lacks.
bool has_pending_wal(const std::string& path) {
  std::error_code code;
  std::uintmax_t size = fs::file_size(path + "-wal", code);
  return !code && size > 0;
}

/// SQLite makes files beside a WAL database even to read it. In a folder that is read-only nobody
/// can be writing either, so it may be read as a file that does not change.
Expected<Database> open_unchanging(const std::string& path) {
  return Database::open("file:" + uri_path(fs::absolute(path).string()) + "?immutable=1",
                        Database::Mode::read_only);
}

}  // namespace

Expected<Database> create_database(const std::string& path) {
  std::error_code ignored;
  const bool was_there = fs::exists(path, ignored);
  TRY_ASSIGN(Database database, Database::open(path, Database::Mode::create));
  TRY_ASSIGN(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_master"));
  if (was_there && tables > 0)
    return fail(fmt::format("{}: there is a run already", path),
                "go on with it by --resume, or choose another folder");
  TRY(database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", k_schema,
      k_application_id, k_schema_version);
  TRY(database.execute(sql.c_str()));
  return database;
}

Expected<Database> open_database(const std::string& path, Database::Mode mode) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return fail(fmt::format("{}: not found", path), "name the folder that `opalign run` made");
  TRY_ASSIGN(Database database, Database::open(path, mode));
  const bool readable = database.integer("PRAGMA user_version").has_value();
  if (!readable && mode == Database::Mode::read_only && !has_pending_wal(path)) {
    TRY_ASSIGN(database, open_unchanging(path));
  }
  TRY(check_version(database, path));
  if (mode == Database::Mode::read_write)
    TRY(database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  return database;
}

}  // namespace opalign::store
