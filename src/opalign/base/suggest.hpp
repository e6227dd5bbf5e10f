// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the name nearest to a misspelled one. It knows no names of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>

namespace opalign {

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b, a letter in the
/// wrong case counting as one; limit + 1 if there are more than `limit`. Bytes, not characters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// How many edits still count as a misspelling of `word`: a third of its length, at most 4,
/// none for a single letter.
[[nodiscard]] std::size_t misspelling_limit(std::string_view word);

/// The candidate nearest to `word` (the first of several), or nothing ("") if none is near.
/// `candidates` is any range of things that convert to std::string_view.
template <std::ranges::input_range Range>
  requires std::convertible_to<std::ranges::range_reference_t<Range>, std::string_view>
[[nodiscard]] std::string suggest(std::string_view word, Range&& candidates) {
  std::string best;
  std::size_t limit = misspelling_limit(word);
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate, limit);
    if (distance > limit)
      continue;
    best = candidate;
    if (distance == 0)
      break;
    limit = distance - 1;
  }
  return best;
}

/// The hint for an Error: `did you mean "float32"?`, or nothing.
template <std::ranges::input_range Range>
[[nodiscard]] std::string did_you_mean(std::string_view word, Range&& candidates) {
  const std::string best = suggest(word, candidates);
  return best.empty() ? best : "did you mean \"" + best + "\"?";
}

}  // namespace opalign
