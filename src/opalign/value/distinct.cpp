// SPDX-License-Identifier: Apache-2.0
// Integers without repetition along a line: a shuffle where the range is about as long as the line,
// drawing again what was drawn before where it is much longer.
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include <opalign/value/lines.hpp>
#include <opalign/value/philox.hpp>

namespace opalign::value {
namespace {

/// The first values.size() of a shuffle of [0, n); shuffled on and on if there are more than n.
void shuffle_into(std::span<std::int64_t> values, std::uint64_t n, std::vector<std::int64_t>& order,
                  Stream& stream) {
  order.resize(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t at = i % n;
    std::swap(order[at], order[at + stream.below(n - at)]);
    values[i] = order[at];
  }
}

/// values.size() distinct numbers of [0, n), n at least four times as many.
void reject_into(std::span<std::int64_t> values, std::uint64_t n, std::vector<std::int64_t>& seen,
                 Stream& stream) {
  constexpr std::int64_t k_free = -1;
  const std::size_t mask = std::bit_ceil(2 * values.size()) - 1;
  seen.assign(mask + 1, k_free);
  for (std::size_t i = 0; i < values.size();) {
    const std::int64_t value = static_cast<std::int64_t>(stream.below(n));
    std::size_t slot = (static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (seen[slot] != k_free && seen[slot] != value)
      slot = (slot + 1) & mask;
    if (seen[slot] == value)
      continue;
    seen[slot] = value;
    values[i++] = value;
  }
}

}  // namespace

Expected<void> draw(const Distinct& how, const Target& target) {
  TRY_ASSIGN(const Lines lines, lines_along("distinct", how.axis, target));
  if (lines.count == 0)
    return {};
  if (how.n < 1)
    return fail(fmt::format("distinct: expected n >= 1 for the shape {}, got {}",
                            to_string(target.shape), how.n));
  const std::int64_t most = within(target.dtype, {0, how.n}).high;
  const std::uint64_t n = static_cast<std::uint64_t>(most);
  std::vector<std::int64_t> values(static_cast<std::size_t>(lines.length));
  std::vector<std::int64_t> scratch;
  for (std::int64_t line = 0; line < lines.count; ++line) {
    Stream stream(target.key, 1 + static_cast<std::uint64_t>(line));
    if (n / 4 <= values.size())
      shuffle_into(values, n, scratch, stream);
    else
      reject_into(values, n, scratch, stream);
    store_line<std::int64_t>(target, lines, line, values);
  }
  return {};
}

}  // namespace opalign::value
