// SPDX-License-Identifier: Apache-2.0
// Fills whose values are given and not drawn; complex elements have imaginary part 0 unless said.
#include <fmt/format.h>

#include <opalign/value/draw.hpp>

namespace opalign::value {
namespace {

/// Element i is at(i) of one list, cycled.
template <class Number>
void repeat(const std::vector<Number>& values, const Target& target) {
  each_chunk<Number>(target, Parts::real_only, [&](std::uint64_t first, std::span<Number> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = values[(first + i) % values.size()];
  });
}

void repeat_complex(const Explicit& how, const Target& target) {
  each_chunk<double>(target, Parts::independent, [&](std::uint64_t first, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t number = first + i;
      const std::vector<double>& part = number % 2 == 0 ? how.real : how.imag;
      out[i] = part[number / 2 % part.size()];
    }
  });
}

}  // namespace

Expected<void> draw(const Constant& how, const Target& target) {
  each_chunk<double>(target, Parts::real_only, [&](std::uint64_t, std::span<double> out) {
    std::ranges::fill(out, how.value);
  });
  return {};
}

Expected<void> draw(const Arange& how, const Target& target) {
  each_chunk<double>(target, Parts::real_only, [&](std::uint64_t first, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = how.start + how.step * static_cast<double>(first + i);
  });
  return {};
}

Expected<void> draw(const OneOf& how, const Target& target) {
  if (how.values.empty())
    return fail("one_of: expected at least one value, got none");
  each_chunk<double>(target, Parts::real_only, [&](std::uint64_t first, std::span<double> out) {
    std::array<std::int64_t, k_chunk> choices;
    draw_integers(target, 0, static_cast<std::int64_t>(how.values.size()), first,
                  {choices.data(), out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = how.values[static_cast<std::size_t>(choices[i])];
  });
  return {};
}

Expected<void> draw(const Explicit& how, const Target& target) {
  const bool exact = !how.integer.empty() && (how.real.empty() || !is_differentiable(target.dtype));
  const std::size_t given = exact ? how.integer.size() : how.real.size();
  if (given > static_cast<std::size_t>(target.numel))
    return fail(fmt::format("values: expected at most {} for the shape {}, got {}", target.numel,
                            to_string(target.shape), given));
  if (given == 0 && target.numel > 0)
    return fail(
        fmt::format("values: expected some for the shape {}, got none", to_string(target.shape)));
  if (exact)
    repeat(how.integer, target);
  else if (target.is_complex() && !how.imag.empty())
    repeat_complex(how, target);
  else
    repeat(how.real, target);
  return {};
}

}  // namespace opalign::value
