// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/case_source.hpp>

#include <algorithm>

#include <opalign/base/hash.hpp>
#include <opalign/cli/arguments.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {

Expected<CaseSource> CaseSource::open(const RunOptions& options) {
  CaseSource source;
  source.m_shard = options.shard;
  source.m_retests = !options.retest.empty();
  if (source.m_retests) {
    store::Filter filter;
    TRY_ASSIGN(filter.verdicts, parse_verdicts(options.retest));
    TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.out));
    TRY(reader.each(filter, [&](const store::Record& record) {
      source.m_again.push_back({record.seq, {record.text, record.file, record.line}});
      return true;
    }));
    std::ranges::reverse(source.m_again);
    return source;
  }
  if (options.resume) {
    TRY_ASSIGN(const store::Reader reader, store::Reader::open(options.out));
    TRY_ASSIGN(source.m_finished, reader.finished());
  }
  TRY_ASSIGN(source.m_suites, SuiteReader::open(options.suites, options.cases));
  return source;
}

Offer<plan::Unit> CaseSource::next(const plan::Planner& planner) {
  if (m_retests) {
    if (m_again.empty())
      return {std::nullopt, true};
    const Retest again = std::move(m_again.back());
    m_again.pop_back();
    return {planner.plan(again.seq, again.source)};
  }
  while (true) {
    const Offer<cases::SuiteCase> source = m_suites.next();
    if (!source.item)
      return {std::nullopt, source.ended};
    const std::int64_t seq = m_next_seq++;
    if (m_shard.count > 1 || !m_finished.empty()) {
      const std::string id = plan::id_of(*source.item);
      const auto finished = m_finished.find(seq);
      if (hash64(id) % m_shard.count != m_shard.index - 1 ||
          (finished != m_finished.end() && finished->second == id))
        continue;
    }
    return {planner.plan(seq, *source.item)};
  }
}

}  // namespace opalign::cli
