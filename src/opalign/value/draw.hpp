// SPDX-License-Identifier: Apache-2.0
// What the families of fills share: the tensor being filled, and how raw words become numbers.
// Elements are drawn in chunks of a fixed size, each from its own place in the stream: that is what
// makes an elementwise fill independent of how it is split.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <opalign/base/dtype.hpp>
#include <opalign/base/shape.hpp>
#include <opalign/value/fill.hpp>
#include <opalign/value/store.hpp>

namespace opalign::value {

struct Target {
  DType dtype;
  const Shape& shape;
  std::int64_t numel;
  std::uint64_t key;
  std::byte* out;
  const Touched& touched;

  [[nodiscard]] bool is_complex() const { return kind_of(dtype) == DTypeKind::complex; }
  [[nodiscard]] bool is_real() const { return kind_of(dtype) == DTypeKind::floating; }
  /// The dtype of one part of a complex element; otherwise the dtype itself.
  [[nodiscard]] DType part() const;
  [[nodiscard]] std::size_t parts() const { return is_complex() ? 2 : 1; }
};

/// Streams of one key: elementwise fills read stream 0, line n of a fill with lines reads 1 + n.
inline constexpr std::uint64_t k_element_stream = 0;

/// Numbers drawn at a time. All chunks start at a multiple of it.
inline constexpr std::size_t k_chunk = 256;

/// Numbers `first`, … (a multiple of 4) of the target's stream, uniform in [0, 1): multiples of
/// 2^-53 for float64 and complex128, of 2^-32 for all others.
void draw_units(const Target& target, std::uint64_t first, std::span<double> out);
/// Raw numbers: 64 random bits each (`first` a multiple of 2), or 32.
void draw_words(const Target& target, std::uint64_t first, std::span<std::uint64_t> out);
void draw_words(const Target& target, std::uint64_t first, std::span<std::uint32_t> out);
/// Integers in [low, high); `low` if that is empty. Off from uniform by less than 2^-16 relative.
void draw_integers(const Target& target, std::int64_t low, std::int64_t high, std::uint64_t first,
                   std::span<std::int64_t> out);

/// `range` narrowed to the integers that the dtype holds exactly; where nothing is left, [low, low]
/// with the nearest of them.
[[nodiscard]] Integers within(DType dtype, const Integers& range);

/// Uniform in (-1, 1): an odd multiple of 2^-53, of the first 53 bits of the word.
[[nodiscard]] inline double centred(std::uint64_t word) {
  const std::int64_t odd = static_cast<std::int64_t>(word >> 11) * 2 + 1 - (std::int64_t{1} << 53);
  return static_cast<double>(odd) * 0x1p-53;
}

/// Whether the parts of a complex element are drawn one by one, or the imaginary part is 0.
enum class Parts : std::uint8_t { independent, real_only };

/// use(first number, how many) for `total` numbers of `size` bytes each, a chunk at a time.
template <class Use>
void in_chunks(const Target& target, std::size_t total, std::size_t size, Use use) {
  each_window(static_cast<std::int64_t>(total), size, target.touched,
              [&](std::int64_t begin, std::int64_t end) {
                for (auto first = static_cast<std::size_t>(begin);
                     first < static_cast<std::size_t>(end); first += k_chunk)
                  use(first, std::min(k_chunk, static_cast<std::size_t>(end) - first));
                return true;
              });
}

/// Stores what produce(first number, span of Number) draws. With independent parts number 2i and
/// 2i + 1 are those of element i.
template <class Number, class Produce>
void each_chunk(const Target& target, Parts parts, Produce produce) {
  const bool widen = target.is_complex() && parts == Parts::real_only;
  const std::size_t total = static_cast<std::size_t>(target.numel) * (widen ? 1 : target.parts());
  const std::size_t size = size_of(target.part()) * (widen ? 2 : 1);
  std::array<Number, k_chunk> numbers;
  in_chunks(target, total, size, [&](std::size_t first, std::size_t n) {
    produce(std::uint64_t{first}, std::span<Number>(numbers.data(), n));
    std::byte* out = target.out + first * size;
    if (!widen) {
      store(target.part(), std::span<const Number>(numbers.data(), n), out);
      return;
    }
    std::array<Number, 2 * k_chunk> pairs{};
    for (std::size_t i = 0; i < n; ++i)
      pairs[2 * i] = numbers[i];
    store(target.part(), std::span<const Number>(pairs.data(), 2 * n), out);
  });
}

// One function a fill; the families are files. fill.cpp calls the one that fits.
Expected<void> draw(const Plain& how, const Target& target);
Expected<void> draw(const Uniform& how, const Target& target);
Expected<void> draw(const Normal& how, const Target& target);
Expected<void> draw(const Integers& how, const Target& target);
Expected<void> draw(const Nonzero& how, const Target& target);
Expected<void> draw(const Mask& how, const Target& target);
Expected<void> draw(const Constant& how, const Target& target);
Expected<void> draw(const Arange& how, const Target& target);
Expected<void> draw(const OneOf& how, const Target& target);
Expected<void> draw(const Distinct& how, const Target& target);
Expected<void> draw(const SortedIntegers& how, const Target& target);
Expected<void> draw(const Probability& how, const Target& target);
Expected<void> draw(const PositiveDefinite& how, const Target& target);
Expected<void> draw(const Symmetric& how, const Target& target);
Expected<void> draw(const Triangular& how, const Target& target);
Expected<void> draw(const WellConditioned& how, const Target& target);
Expected<void> draw(const Boxes& how, const Target& target);
Expected<void> draw(const Split& how, const Target& target);
Expected<void> draw(const Explicit& how, const Target& target);

}  // namespace opalign::value
