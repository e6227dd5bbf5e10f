// SPDX-License-Identifier: Apache-2.0
// Fills made by sorting all their draws: ascending integers, and the parts of a whole.
#include <fmt/format.h>

#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

std::vector<std::int64_t> sorted_draws(const Target& target, const Integers& range,
                                       std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t first = 0; first < values.size(); first += k_chunk)
    draw_integers(target, range.low, range.high, first,
                  {values.data() + first, std::min(k_chunk, values.size() - first)});
  std::ranges::sort(values);
  return values;
}

void store_all(const Target& target, const std::vector<std::int64_t>& values) {
  each_chunk<std::int64_t>(
      target, Parts::real_only, [&](std::uint64_t first, std::span<std::int64_t> out) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
      });
}

}  // namespace

Expected<void> draw(const SortedIntegers& how, const Target& target) {
  store_all(target, sorted_draws(target, within(target.dtype, {how.low, how.high}), target.numel));
  return {};
}

Expected<void> draw(const Split& how, const Target& target) {
  const std::int64_t most = exact_integers(target.dtype).highest;
  if (how.n < 0 || how.n > most || how.n == std::numeric_limits<std::int64_t>::max())
    return fail(fmt::format("split: expected 0 <= n <= {} for {}, got {}", most, name(target.dtype),
                            how.n));
  if (target.numel == 0)
    return how.n == 0 ? Expected<void>{}
                      : fail(fmt::format("split: expected an element to hold {}, got the shape {}",
                                         how.n, to_string(target.shape)));
  // The cuts between the parts, and the end; what lies between two of them is a part.
  std::vector<std::int64_t> values = sorted_draws(target, {0, how.n + 1}, target.numel - 1);
  values.push_back(how.n);
  for (std::size_t i = values.size() - 1; i > 0; --i)
    values[i] -= values[i - 1];
  store_all(target, values);
  return {};
}

}  // namespace opalign::value
