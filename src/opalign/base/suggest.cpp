// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/suggest.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace opalign {
namespace {

// Longer words are no names that a person mistyped; the rows below are as long.
constexpr std::size_t k_longest = 128;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

std::size_t misspelling_limit(std::string_view word) {
  return std::min<std::size_t>((word.size() + 1) / 3, 4);
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || a.size() > k_longest || b.size() > k_longest)
    return limit + 1;
  if (std::ranges::equal(a, b, same_letter))
    return a == b ? 0 : 1;
  using Row = std::array<std::size_t, k_longest + 1>;
  std::array<Row, 3> rows{};  // of a[..i-2], a[..i-1], a[..i]
  for (std::size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Row& row = rows[i % 3];
    const Row& above = rows[(i + 2) % 3];
    const Row& two_above = rows[(i + 1) % 3];
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped)
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit)
      return limit + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

}  // namespace opalign
