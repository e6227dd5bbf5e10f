// SPDX-License-Identifier: Apache-2.0
// Touched: how loops over large tensors let whoever started them take memory away again behind
// them. What is taken away, and how, they do not know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace opalign {

/// Told how many bytes have just been read or written. May be empty.
using Touched = std::function<void(std::size_t bytes)>;

/// body(begin, end) for the elements from 0 to `count`, a few megabytes at a time, as long as it
/// returns true; `touched` is told after each. `width`: bytes that an element takes, of all tensors
/// together. Windows begin at multiples of 2^12.
template <class Body>
void each_window(std::int64_t count, std::size_t width, const Touched& touched, Body body) {
  constexpr std::size_t k_window_bytes = std::size_t{8} << 20;
  const auto step = static_cast<std::int64_t>(k_window_bytes / width >> 12 << 12);
  bool more = true;
  for (std::int64_t begin = 0; more && begin < count; begin += step) {
    const std::int64_t end = std::min(begin + step, count);
    more = body(begin, end);
    if (touched)
      touched(static_cast<std::size_t>(end - begin) * width);
  }
}

}  // namespace opalign
