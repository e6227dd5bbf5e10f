// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/compare.hpp>

#include <cfloat>
#include <cmath>

#include <opalign/base/clones.hpp>
#include <opalign/compare/lanes.hpp>
#include <opalign/compare/measure.hpp>
#include <opalign/compare/tensor.hpp>

namespace opalign::compare {
namespace {

/// Statistics are stored and printed: they are finite, saturating at the largest double.
double saturate(double value) {
  return std::isnan(value) ? 0 : std::clamp(value, -DBL_MAX, DBL_MAX);
}

/// Squares of doubles may overflow or vanish where the doubles do not; those of the others cannot.
bool lost_range(const Sums& sums, double max_abs) {
  const auto lost = [](double sum) { return !std::isfinite(sum) || sum < 1e-280; };
  return lost(sums.aa) || lost(sums.bb) || (max_abs > 0 && lost(sums.squares));
}

/// Bytes of an element of either tensor, together.
template <class E>
constexpr std::size_t k_both = 2 * sizeof(typename E::Bits);

/// x * 2^-exponent of `max`, so that the largest comes to [1, 2). Not as a factor: that of a
/// subnormal `max` is no double.
double down(double x, double max) { return max > 0 ? std::ldexp(x, -std::ilogb(max)) : 0; }

/// Cosine and rms again, over parts that are scaled before they are squared.
template <class E>
void rescale(const TensorView& a, const TensorView& b, std::int64_t count, const Touched& touched,
             TensorStats& stats) {
  constexpr std::int64_t k_parts = sizeof(typename E::Bits) / sizeof(Float64::Bits);
  const auto each = [&](auto use) {
    each_window(stats.numel, k_both<E>, touched, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (measure<E>(load<E>(a.data, i), load<E>(b.data, i), {}).other_class)
          continue;
        for (std::int64_t part = i * k_parts; part < (i + 1) * k_parts; ++part) {
          const Float64::Bits x = load<Float64>(a.data, part), y = load<Float64>(b.data, part);
          if (Float64::is_finite(x) && Float64::is_finite(y))
            use(Float64::value(x), Float64::value(y));
        }
      }
      return true;
    });
  };
  double max_a = 0, max_b = 0;
  each([&](double x, double y) {
    max_a = std::max(max_a, std::fabs(x));
    max_b = std::max(max_b, std::fabs(y));
  });
  const bool overflows = !std::isfinite(stats.max_abs);
  const double widest = overflows ? std::max(max_a, max_b) : stats.max_abs;
  Sums sums;
  each([&](double x, double y) {
    const double p = down(x, max_a), q = down(y, max_b);
    const double d = overflows ? down(x, widest) - down(y, widest) : down(x - y, widest);
    sums.ab += p * q;
    sums.aa += p * p;
    sums.bb += q * q;
    sums.squares += d * d;
  });
  if (max_a > 0 && max_b > 0)
    stats.cosine = std::clamp(sums.ab / std::sqrt(sums.aa * sums.bb), -1.0, 1.0);
  else
    stats.cosine = max_a == max_b ? 1 : 0;
  if (widest > 0)
    stats.rms_abs = saturate(
        std::ldexp(std::sqrt(sums.squares / static_cast<double>(count)), std::ilogb(widest)));
}

template <class E>
TensorStats gather(const TensorView& a, const TensorView& b, std::int64_t count,
                   const Tolerance& tolerance, const Touched& touched) {
  // Copies that cannot alias `stats`, so that the loop keeps them in registers.
  const Tolerance limits = tolerance;
  const std::byte *const a_data = a.data, *const b_data = b.data;
  TensorStats stats;
  stats.numel = count;
  Sums sums;
  Badness worst;
  const auto add = [&](std::int64_t i) {
    const typename E::Bits a_bits = load<E>(a_data, i), b_bits = load<E>(b_data, i);
    stats.bit_equal += a_bits == b_bits;
    const Measure m = measure<E>(a_bits, b_bits, limits);
    const bool wrong = m.other_class || !m.within;
    // The product stands for a division; where it is not exact the division below decides.
    if (wrong || m.abs > worst.ratio * m.limit) [[unlikely]] {
      stats.class_mismatched += m.other_class;
      stats.mismatched += wrong;
      if (wrong && stats.first_mismatch < 0)
        stats.first_mismatch = i;
      if (const Badness badness(m); badness.worse_than(worst)) {
        worst = badness;
        stats.worst = i;
      }
    }
    if (m.other_class || !m.finite) [[unlikely]]
      return;
    ++sums.count;
    sums.abs += m.abs;
    sums.squares += m.abs * m.abs;
    sums.difference += m.difference;
    sums.ab += m.ab;
    sums.aa += m.aa;
    sums.bb += m.bb;
    stats.max_abs = std::max(stats.max_abs, m.abs);
    const double base = std::max(m.reference, E::k_floor);
    if (m.abs > stats.max_rel * base)
      stats.max_rel = m.abs / base;
    stats.max_ulp = std::max(stats.max_ulp, m.ulp);
  };
  each_window(count, k_both<E>, touched, [&](std::int64_t done, std::int64_t end) {
    if constexpr (k_is_float<E>) {
      constexpr std::int64_t k_block = Lanes<E>::k_block;
      constexpr auto k_width = static_cast<std::int64_t>(sizeof(typename E::Bits));
      Lanes<E> lanes;
      while (done + k_block <= end) {
        const double ratio = worst.other_class ? HUGE_VAL : worst.ratio;
        if (lanes.add(a_data + done * k_width, b_data + done * k_width, limits, ratio,
                      stats.max_rel)) {
          done += k_block;
          continue;
        }
        // What follows a remarkable block is often like it.
        for (const std::int64_t stop = std::min(done + 4 * k_block, end); done < stop; ++done)
          add(done);
      }
      lanes.add_to(sums, stats);
    }
    for (; done < end; ++done)
      add(done);
    return true;
  });
  if (sums.count == 0)
    return stats;

  const double n = static_cast<double>(sums.count);
  stats.mean_abs = saturate(sums.abs / n);
  stats.rms_abs = saturate(std::sqrt(sums.squares / n));
  stats.bias = saturate(sums.difference / n);
  if (sums.aa > 0 && sums.bb > 0)
    stats.cosine =
        std::clamp(saturate(sums.ab / std::sqrt(sums.aa) / std::sqrt(sums.bb)), -1.0, 1.0);
  else
    stats.cosine = sums.aa == sums.bb ? 1 : 0;
  if constexpr (std::is_same_v<E, Float64> || std::is_same_v<E, ComplexElement<Float64>>)
    if (lost_range(sums, stats.max_abs))
      rescale<E>(a, b, sums.count, touched, stats);
  stats.max_abs = saturate(stats.max_abs);
  stats.max_rel = saturate(stats.max_rel);
  return stats;
}

/// Far faster than what follows where it holds.
bool same_bytes(const TensorView& a, const TensorView& b, std::int64_t count,
                const Touched& touched) {
  const std::size_t width = size_of(a.dtype);
  bool same = true;
  each_window(count, 2 * width, touched, [&](std::int64_t begin, std::int64_t end) {
    const std::size_t offset = static_cast<std::size_t>(begin) * width;
    const std::size_t bytes = static_cast<std::size_t>(end - begin) * width;
    same = std::memcmp(a.data + offset, b.data + offset, bytes) == 0;
    return same;
  });
  return same;
}

}  // namespace

OPALIGN_CLONES [[gnu::flatten]] TensorStats compare_tensors(const TensorView& a,
                                                            const TensorView& b,
                                                            const Tolerance& tolerance,
                                                            const Touched& touched) {
  if (!readable(a) || !readable(b) || a.dtype != b.dtype || a.shape != b.shape)
    return {};
  const std::int64_t count = *numel(a.shape);
  if (a.data == b.data || same_bytes(a, b, count, touched)) {
    TensorStats stats;
    stats.numel = stats.bit_equal = count;
    return stats;
  }
  return visit_element(a.dtype, [&](auto element) {
    return gather<decltype(element)>(a, b, count, tolerance, touched);
  });
}

}  // namespace opalign::compare
