// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/tally.hpp>

#include <utility>

#include <fmt/ranges.h>

namespace opalign::compare {

void Tally::add(LeafComparison leaf, Content content) {
  if (leaf.reason != Reason::none) {
    ++m_differing_count;
    if (m_differing.size() < k_differing_leaves_kept)
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
