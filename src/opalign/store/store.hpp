// SPDX-License-Identifier: Apache-2.0
// run.db: what a run found, in SQLite. This folder is the only place that knows SQL.
// Schema and its version rule: store/schema.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/judgement.hpp>

namespace opalign::store {

/// What a runner did, as kept: no tensors.
struct RunnerRecord {
  std::string runner;
  std::string status;       ///< "finished", "failed", "died", …
  std::string error_class;  ///< empty where there was no error
  std::string error_type;
  std::string error_stage;
  std::string message;
  std::string trace;
  int signal = 0;
  int exit_code = 0;
  double forward_s = 0, backward_s = 0;
};

/// One finished case.
struct Record {
  std::int64_t seq = 0;  ///< position in the run's suites, from 0
  std::string id;        ///< case id; for a line that does not parse, of its raw text
  std::string text;      ///< canonical text; the raw line where it does not parse
  std::string api;       ///< callee of the (first) call; may be empty
  std::string file;
  int line = 0;
  Judgement judgement;
  std::vector<RunnerRecord> runners;
  double wall_s = 0;  ///< from dispatch to verdict
};

/// Facts of the run as a whole: runners, versions, seed, policy, suites, start time. Free keys,
/// but "target" and "references" (runner specs, separated by spaces), "no-known" (there or not) and
/// k_rerun_facts are what a report prints to rerun a case.
using Facts = std::map<std::string, std::string>;
/// Empty where the run has no such fact.
[[nodiscard]] std::string fact(const Facts& facts, const std::string& key);
/// Each is the option of `opalign run` with that name, where the run has it.
inline constexpr std::array<const char*, 4> k_rerun_facts{"policy", "atol", "rtol", "seed"};

/// Which records are wanted; an empty member does not choose.
struct Filter {
  std::vector<Verdict> verdicts = {};
  std::string id_prefix = {};
  std::int64_t limit = 0;  ///< at most this many, 0: all
};

/// How many records of an API have a verdict.
struct ApiCount {
  std::string api;
  Verdict verdict = Verdict::skipped;
  std::int64_t count = 0;
};

class Writer {
 public:
  /// Creates `directory` (with parents) and run.db in it; fails if a run.db is there already.
  static Expected<Writer> create(const std::string& directory, const Facts& facts);
  /// Opens the run.db in `directory` to append. A record takes the place of an earlier one with its
  /// seq. Both ways there is one writer a directory: a second one is an error.
  static Expected<Writer> resume(const std::string& directory);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// Queues a record. Each 64 of them, and whatever is there after a second, go out in one
  /// transaction. A failure (full disk) keeps the queue, so that a later call can still write it.
  Expected<void> append(Record record);
  Expected<void> flush();
  /// Flushes what has waited for more than a second: for loops in which nothing may end for long.
  Expected<void> tick();
  [[nodiscard]] std::size_t queued() const;
  Expected<void> set_fact(const std::string& key, const std::string& value);

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

class Reader {
 public:
  /// Opens RUN, a directory with run.db or the file itself; works while a writer is at it.
  static Expected<Reader> open(const std::string& path);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  Expected<Facts> facts() const;
  /// Records in order of seq; stops when `take` returns false. Those that pass have no leaves and
  /// no texts of their runners.
  Expected<void> each(const Filter& filter, const std::function<bool(const Record&)>& take) const;
  /// Records whose id starts with `id_prefix`.
  Expected<std::vector<Record>> find(const std::string& id_prefix) const;
  Expected<std::vector<ApiCount>> count_by_api() const;
  /// By name of a known difference.
  Expected<std::map<std::string, std::int64_t>> count_by_known() const;
  /// seq → case id of what has a record: what --resume need not run again.
  Expected<std::map<std::int64_t, std::string>> finished() const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace opalign::store
