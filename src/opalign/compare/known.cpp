// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/known.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace opalign::compare {
namespace {

bool fits(const KnownDifference& known, Verdict verdict, Stage stage, Reason reason) {
  return known.verdict == verdict && (known.stage == Stage::none || known.stage == stage) &&
         (known.kinds.empty() || std::ranges::find(known.kinds, reason) != known.kinds.end());
}

/// "output" is above "output[1]", "grad(xs)" above "grad(xs[1])".
bool is_above(std::string_view place, std::string_view path) {
  if (place.ends_with(')'))
    place.remove_suffix(1);
  return path.starts_with(place) &&
         (path.size() == place.size() || path[place.size()] == '[' || path[place.size()] == ')');
}

}  // namespace

const KnownDifference* find_known(std::span<const KnownDifference> known,
                                  const LeafComparison& leaf, const Within& within) {
  const auto found = std::ranges::find_if(known, [&](const KnownDifference& entry) {
    return fits(entry, Verdict::differs, leaf.stage, leaf.reason) &&
           (entry.where.empty() || std::ranges::any_of(entry.where,
                                                       [&](const std::string& place) {
                                                         return is_above(place, leaf.path);
                                                       })) &&
           (!entry.is_tolerance() || (within && within({entry.atol, entry.rtol})));
  });
  return found == known.end() ? nullptr : &*found;
}

Judgement excuse(std::span<const KnownDifference> known, Judgement judgement) {
  for (const KnownDifference& entry : known)
    if (fits(entry, judgement.verdict, judgement.stage, judgement.reason))
      return excuse_by(std::array{&entry}, std::move(judgement));
  return judgement;
}

Judgement excuse_by(std::span<const KnownDifference* const> by, Judgement judgement) {
  const bool tolerated = std::ranges::all_of(by, &KnownDifference::is_tolerance);
  judgement.verdict = tolerated ? Verdict::known_tolerance : Verdict::known;
  std::string why;
  for (const KnownDifference* entry : by) {
    judgement.known.push_back(entry->name);
    why += fmt::format("{}: {}; ", entry->name, entry->reason);
  }
  judgement.message = why + judgement.message;
  return judgement;
}

}  // namespace opalign::compare
