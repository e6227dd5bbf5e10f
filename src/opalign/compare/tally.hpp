// SPDX-License-Identifier: Apache-2.0
// Tally: the leaves that were compared, how many disagree, whether their agreement proves anything.
// It holds a few of them whatever a worker sends; the counts are exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opalign/base/judgement.hpp>
#include <opalign/compare/tensor.hpp>

namespace opalign::compare {

inline constexpr std::size_t k_differing_leaves_kept = 32;
inline constexpr std::size_t k_agreeing_leaves_kept = 4;

class Tally {
 public:
  /// `content` is what the leaf holds on the target's side; it counts where the leaf agrees.
  void add(LeafComparison leaf, Content content);
  /// Agreement on things that carry no information: None, a type name.
  void add_nothing() { m_nothing = true; }

  [[nodiscard]] bool agrees() const { return m_differing_count == 0; }
  [[nodiscard]] bool proves_something() const { return m_something; }
  /// Of an agreement that proves nothing: "all empty", "all zero or nan".
  [[nodiscard]] std::string emptiness() const;

  /// The first leaf that disagrees; agrees() is false.
  [[nodiscard]] const LeafComparison& first() const { return m_differing.front(); }
  [[nodiscard]] std::int64_t differing_count() const { return m_differing_count; }
  /// Those that disagree, then those that agree.
  [[nodiscard]] std::vector<LeafComparison> leaves() const;

 private:
  std::vector<LeafComparison> m_differing, m_agreeing;
  std::int64_t m_differing_count = 0;
  bool m_something = false, m_empty = false, m_zero = false, m_nan = false, m_nothing = false;
};

}  // namespace opalign::compare
