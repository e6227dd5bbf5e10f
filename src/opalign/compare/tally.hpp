// SPDX-License-Identifier: Apache-2.0
// Tally: the leaves that were compared, how many disagree, which of those are known to, whether
// agreement proves anything.
// It holds a few of them whatever a worker sends; the counts are exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <opalign/base/judgement.hpp>
#include <opalign/compare/known.hpp>
#include <opalign/compare/tensor.hpp>

namespace opalign::compare {

inline constexpr std::size_t k_differing_leaves_kept = 32;
inline constexpr std::size_t k_agreeing_leaves_kept = 4;

class Tally {
 public:
  explicit Tally(std::span<const KnownDifference> known) : m_known(known) {}

  /// `content` is what the leaf holds on the target's side; it counts where the leaf agrees.
  void add(LeafComparison leaf, Content content, const Within& within = {});
  /// Agreement on things that carry no information: None, a type name.
  void add_nothing() { m_nothing = true; }

  /// Whether no leaf disagrees but those that are known to.
  [[nodiscard]] bool agrees() const { return m_differing_count == 0; }
  /// What explains those leaves.
  [[nodiscard]] std::span<const KnownDifference* const> known() const { return m_by; }
  [[nodiscard]] bool proves_something() const { return m_something; }
  /// Of an agreement that proves nothing: "all is empty", "all is zero or nan".
  [[nodiscard]] std::string emptiness() const;

  /// The first leaf that disagrees and is not known to; if all are known the first. There is one.
  [[nodiscard]] const LeafComparison& first() const { return m_differing[m_first]; }
  /// Of leaves that are not known to disagree.
  [[nodiscard]] std::int64_t differing_count() const { return m_differing_count; }
  /// Those that disagree, then those that agree.
  [[nodiscard]] std::vector<LeafComparison> leaves() const;

 private:
  std::span<const KnownDifference> m_known;
  std::vector<const KnownDifference*> m_by;
  std::vector<LeafComparison> m_differing, m_agreeing;
  std::size_t m_first = 0;
  std::int64_t m_differing_count = 0;
  bool m_something = false, m_empty = false, m_zero = false, m_nan = false, m_nothing = false;
};

}  // namespace opalign::compare
