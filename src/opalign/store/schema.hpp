// SPDX-License-Identifier: Apache-2.0
// The schema of run.db, version 1; nothing but the store may read it.
//
// Version rule: user_version is k_schema_version. A program refuses a newer number; a change that
// an older program would misread raises it, and then the older number must still be read.
//
// name    texts that repeat (APIs, files, runners, statuses), kept once
// fact    facts of the run as a whole
// record  one finished case a row, in the order of finishing
// detail  what a record that is not a pass has to say, JSON (store/detail.hpp)
#pragma once

namespace opalign::store {

inline constexpr int k_schema_version = 1;
/// "opal": tells a run.db from any other SQLite file.
inline constexpr int k_application_id = 0x6f70616c;

inline constexpr const char* k_schema = R"sql(
CREATE TABLE name (
  id    INTEGER PRIMARY KEY,
  text  TEXT NOT NULL UNIQUE
);

CREATE TABLE fact (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE record (
  number  INTEGER PRIMARY KEY,
  seq     INTEGER NOT NULL,  -- position in the suites of the run, from 0
  verdict INTEGER NOT NULL,  -- base/verdict.hpp
  stage   INTEGER NOT NULL,
  reason  INTEGER NOT NULL,
  api     INTEGER NOT NULL REFERENCES name,
  file    INTEGER NOT NULL REFERENCES name,
  line    INTEGER NOT NULL,
  wall    INTEGER NOT NULL,  -- ns from dispatch to verdict
  times   TEXT NOT NULL,     -- "runner status forward backward;…": two names, two times in ns
  id      TEXT NOT NULL,     -- 16 hex digits
  text    TEXT NOT NULL      -- the case
);
CREATE INDEX record_by_seq ON record (seq);

CREATE TABLE detail (
  number  INTEGER PRIMARY KEY REFERENCES record,
  json    TEXT NOT NULL
);
)sql";

}  // namespace opalign::store
