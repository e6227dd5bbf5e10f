// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/tally.hpp>

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

namespace opalign::compare {

void Tally::add(LeafComparison leaf, Content content, const Within& within) {
  if (leaf.reason != Reason::none) {
    const KnownDifference* by = find_known(m_known, leaf, within);
    const bool decides = by == nullptr && m_differing_count == 0;
    if (decides)
      m_first = m_differing.size();
    if (by == nullptr)
      ++m_differing_count;
    else if (std::ranges::find(m_by, by) == m_by.end())
      m_by.push_back(by);
    leaf.known = by == nullptr ? "" : by->name;
    if (m_differing.size() < k_differing_leaves_kept || decides)
      m_differing.push_back(std::move(leaf));
    return;
  }
  m_something |= content == Content::something;
  m_empty |= content == Content::empty;
  m_zero |= content == Content::zero;
  m_nan |= content == Content::nan;
  if (m_agreeing.size() < k_agreeing_leaves_kept)
    m_agreeing.push_back(std::move(leaf));
}

std::string Tally::emptiness() const {
  std::vector<std::string_view> kinds;
  for (const auto& [seen, word] :
       {std::pair{m_empty, "empty"}, {m_zero, "zero"}, {m_nan, "nan"}, {m_nothing, "None"}})
    if (seen)
      kinds.emplace_back(word);
  return kinds.empty() ? "there is no output" : fmt::format("all is {}", fmt::join(kinds, " or "));
}

std::vector<LeafComparison> Tally::leaves() const {
  std::vector<LeafComparison> all = m_differing;
  all.insert(all.end(), m_agreeing.begin(), m_agreeing.end());
  return all;
}

}  // namespace opalign::compare
