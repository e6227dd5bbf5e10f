// SPDX-License-Identifier: Apache-2.0
// SQLite as values: a connection and its prepared statements. It knows no table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace opalign::store {

class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* statement, sqlite3* database);

  // Parameters count from 1, in the order of the SQL. A bound text must live until the next reset.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, std::string_view text);
  /// True: a row is there; false: the statement is done.
  Expected<bool> step();
  /// Steps to the end and resets: for statements without rows.
  Expected<void> run();
  void reset();

  // Columns count from 0. The text lives until the next step.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
  sqlite3* m_database = nullptr;
};

class Database {
 public:
  enum class Mode { create, read_write, read_only };
  /// A path that cannot be opened is reported as such only by the first statement that reads it.
  static Expected<Database> open(const std::string& path, Mode mode);

  Expected<void> execute(const char* sql);
  Expected<Statement> prepare(std::string_view sql) const;
  /// The one integer that a query or pragma gives.
  Expected<std::int64_t> integer(std::string_view sql) const;
  [[nodiscard]] std::int64_t last_row() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> m_database;
};

}  // namespace opalign::store
