// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <opalign/store/database.hpp>
#include <opalign/store/detail.hpp>
#include <opalign/store/open.hpp>
#include <opalign/store/row.hpp>
#include <opalign/store/store.hpp>

namespace opalign::store {
namespace {

/// Columns as Reader::State::record reads them; a record that passes has no detail.
constexpr std::string_view k_select =
    "SELECT seq, verdict, stage, reason, api, file, line, wall, times, id, text, json "
    "FROM record LEFT JOIN detail USING (number)";

std::string where(const Filter& filter) {
  std::string clause = " WHERE substr(id, 1, length(?1)) = ?1";
  if (filter.verdicts.empty())
    return clause;
  std::vector<int> numbers;
  for (Verdict verdict : filter.verdicts)
    numbers.push_back(static_cast<int>(verdict));
  return clause + fmt::format(" AND verdict IN ({})", fmt::join(numbers, ", "));
}

}  // namespace

std::string fact(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

struct Reader::State {
  Database database;
  /// Cache of the name table: names never change.
  std::unordered_map<std::int64_t, std::string> names;

  Expected<std::string> name(std::int64_t number) {
    if (auto found = names.find(number); found != names.end())
      return found->second;
    TRY_ASSIGN(Statement query, database.prepare("SELECT text FROM name WHERE id = ?"));
    query.bind(1, number);
    TRY_ASSIGN(const bool found, query.step());
    if (!found)
      return fail(fmt::format("run.db: name {} is missing", number), "the file is damaged");
    return names.emplace(number, query.text(0)).first->second;
  }

  Expected<Record> record(const Statement& row) {
    Record record;
    record.seq = row.integer(0);
    TRY_ASSIGN(record.judgement.verdict, to_verdict(row.integer(1)));
    TRY_ASSIGN(record.judgement.stage, to_stage(row.integer(2)));
    TRY_ASSIGN(record.judgement.reason, to_reason(row.integer(3)));
    TRY_ASSIGN(record.api, name(row.integer(4)));
    TRY_ASSIGN(record.file, name(row.integer(5)));
    record.line = static_cast<int>(row.integer(6));
    record.wall_s = to_seconds(row.integer(7));
    TRY_ASSIGN(record.runners,
               decode_times(row.text(8), [this](std::int64_t number) { return name(number); }));
    record.id = row.text(9);
    record.text = row.text(10);
    if (const std::string_view detail = row.text(11); !detail.empty())
      TRY(decode_detail(detail, record));
    return record;
  }
};

Reader::Reader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Expected<Reader> Reader::open(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  auto state = std::make_unique<State>();
  TRY_ASSIGN(state->database,
             open_database(is_folder ? path + "/run.db" : path, Database::Mode::read_only));
  return Reader(std::move(state));
}

Expected<Facts> Reader::facts() const {
  TRY_ASSIGN(Statement row, m_state->database.prepare("SELECT key, value FROM fact"));
  Facts facts;
  while (true) {
    TRY_ASSIGN(const bool more, row.step());
    if (!more)
      return facts;
    facts.emplace(row.text(0), row.text(1));
  }
}

Expected<void> Reader::each(const Filter& filter,
                            const std::function<bool(const Record&)>& take) const {
  TRY_ASSIGN(Statement row, m_state->database.prepare(fmt::format(
                                "{}{} ORDER BY seq, number LIMIT ?2", k_select, where(filter))));
  row.bind(1, filter.id_prefix);
  row.bind(2, filter.limit > 0 ? filter.limit : -1);
  while (true) {
    TRY_ASSIGN(const bool more, row.step());
    if (!more)
      return {};
    TRY_ASSIGN(const Record record, m_state->record(row));
    if (!take(record))
      return {};
  }
}

Expected<std::vector<Record>> Reader::find(const std::string& id_prefix) const {
  std::vector<Record> found;
  TRY(each(Filter{.id_prefix = id_prefix}, [&](const Record& record) {
    found.push_back(record);
    return true;
  }));
  return found;
}

Expected<std::vector<ApiCount>> Reader::count_by_api() const {
  TRY_ASSIGN(Statement row,
             m_state->database.prepare(
                 "SELECT name.text, verdict, n FROM (SELECT api, verdict, count(*) "
                 "AS n FROM record GROUP BY api, verdict) JOIN name ON name.id = api "
                 "ORDER BY name.text, verdict"));
  std::vector<ApiCount> counts;
  while (true) {
    TRY_ASSIGN(const bool more, row.step());
    if (!more)
      return counts;
    TRY_ASSIGN(const Verdict verdict, to_verdict(row.integer(1)));
    counts.push_back({std::string(row.text(0)), verdict, row.integer(2)});
  }
}

Expected<std::map<std::string, std::int64_t>> Reader::count_by_known() const {
  TRY_ASSIGN(Statement row,
             m_state->database.prepare(fmt::format(
                 "SELECT value, count(*) FROM record JOIN detail USING (number), "
                 "json_each(detail.json, '$.known') WHERE verdict IN ({}, {}) GROUP BY value",
                 static_cast<int>(Verdict::known), static_cast<int>(Verdict::known_tolerance))));
  std::map<std::string, std::int64_t> counts;
  while (true) {
    TRY_ASSIGN(const bool more, row.step());
    if (!more)
      return counts;
    counts.emplace(row.text(0), row.integer(1));
  }
}

Expected<std::map<std::int64_t, std::string>> Reader::finished() const {
  TRY_ASSIGN(Statement row, m_state->database.prepare("SELECT seq, id FROM record"));
  std::map<std::int64_t, std::string> ids;
  while (true) {
    TRY_ASSIGN(const bool more, row.step());
    if (!more)
      return ids;
    ids.emplace(row.integer(0), row.text(1));
  }
}

}  // namespace opalign::store
