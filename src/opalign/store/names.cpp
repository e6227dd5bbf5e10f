// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/names.hpp>

#include <algorithm>

namespace opalign::store {

Expected<Names> Names::open(const Database& database) {
  Names names;
  TRY_ASSIGN(names.m_insert, database.prepare("INSERT INTO name (id, text) VALUES (?1, ?2)"));
  TRY_ASSIGN(Statement all, database.prepare("SELECT id, text FROM name"));
  while (true) {
    TRY_ASSIGN(const bool more, all.step());
    if (!more)
      return names;
    names.m_numbers.emplace(all.text(1), all.integer(0));
    names.m_last = std::max(names.m_last, all.integer(0));
  }
}

Expected<std::int64_t> Names::number(const std::string& text) {
  if (auto found = m_numbers.find(text); found != m_numbers.end())
    return found->second;
  m_insert.bind(1, m_last + 1);
  m_insert.bind(2, text);
  TRY(m_insert.run());
  m_numbers.emplace(text, ++m_last);
  m_added.push_back(text);
  return m_last;
}

void Names::forget() {
  for (const std::string& text : m_added)
    m_numbers.erase(text);
  m_added.clear();
}

}  // namespace opalign::store
