// SPDX-License-Identifier: Apache-2.0
#include <opalign/compare/walk.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <opalign/compare/measure.hpp>
#include <opalign/compare/words.hpp>

namespace opalign::compare {
namespace {

constexpr std::size_t k_elements_shown = 8;

/// The worst elements outside the limit, worst first; the earlier first among equals.
std::vector<std::int64_t> worst_elements(const TensorView& a, const TensorView& b,
                                         const Tolerance& tolerance, const Touched& touched) {
  struct Entry {
    Badness badness;
    std::int64_t index;
  };
  const auto before = [](const Entry& x, const Entry& y) {
    if (x.badness.worse_than(y.badness) || y.badness.worse_than(x.badness))
      return x.badness.worse_than(y.badness);
    return x.index < y.index;
  };
  std::vector<Entry> worst;  // sorted by `before`
  visit_element(a.dtype, [&](auto element) {
    using E = decltype(element);
    const auto add = [&](std::int64_t i) {
      const Measure m = measure<E>(load<E>(a.data, i), load<E>(b.data, i), tolerance);
      if (m.within && !m.other_class)
        return;
      const Entry entry{Badness(m), i};
      if (worst.size() == k_elements_shown) {
        if (!before(entry, worst.back()))
          return;
        worst.pop_back();
      }
      worst.insert(std::upper_bound(worst.begin(), worst.end(), entry, before), entry);
    };
    each_window(*numel(a.shape), 2 * size_of(a.dtype), touched,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i)
                    add(i);
                  return true;
                });
  });
  std::vector<std::int64_t> indices;
  for (const Entry& entry : worst)
    indices.push_back(entry.index);
  return indices;
}

std::string limit_text(const Tolerance& tolerance) {
  if (tolerance.atol == 0 && tolerance.rtol == 0)
    return "limit 0";
  return fmt::format("limit atol {} rtol {}", tolerance.atol, tolerance.rtol);
}

/// What is wrong with a pair of one shape and dtype, from its statistics.
void explain(LeafComparison& leaf, const TensorView& a, const TensorView& b,
             const Tolerance& tolerance, const Touched& touched) {
  const TensorStats& stats = leaf.stats;
  for (const std::int64_t flat : worst_elements(a, b, tolerance, touched))
    leaf.elements.push_back({unravel(flat, a.shape), element_text(a, flat), element_text(b, flat)});
  if (leaf.elements.empty()) {  // whoever owns the memory wrote to it meanwhile
    leaf.reason = Reason::value;
    leaf.message = fmt::format("{}: changed while it was compared", leaf.path);
    return;
  }
  const LeafComparison::Element& worst = leaf.elements.front();
  const std::string place = fmt::format("{}: {} != {}", element_path(leaf.path, worst.index),
                                        worst.target, worst.reference);
  if (stats.class_mismatched > 0) {
    leaf.reason = Reason::nonfinite;
    leaf.message =
        fmt::format("{} ({} of {} elements differ in nan or inf, {} in value)", place,
                    stats.class_mismatched, stats.numel, stats.mismatched - stats.class_mismatched);
    return;
  }
  leaf.reason = Reason::value;
  leaf.message = fmt::format("{} ({} of {} elements, max abs {:.3g}, max rel {:.3g}, {})", place,
                             stats.mismatched, stats.numel, stats.max_abs, stats.max_rel,
                             limit_text(tolerance));
}

}  // namespace

void compare_leaf(const Policy& policy, const Context& context, Stage stage,
                  const std::string& path, const TensorView& a, const TensorView& b, Tally& tally) {
  LeafComparison leaf;
  leaf.stage = stage;
  leaf.path = path;
  const auto differs = [&](Reason reason, std::string message) {
    leaf.reason = reason;
    leaf.message = fmt::format("{}: {}", path, message);
    tally.add(std::move(leaf), Content::something);
  };
  if (!readable(a) || !readable(b))
    return differs(Reason::structure, fmt::format("malformed tensor from the {}",
                                                  readable(a) ? "reference" : "target"));
  leaf.dtype = name(a.dtype);
  leaf.shape = a.shape;
  if (a.shape != b.shape)
    return differs(Reason::shape,
                   fmt::format("shape {} != {}", to_string(a.shape), to_string(b.shape)));
  if (a.dtype != b.dtype)
    return differs(Reason::dtype, fmt::format("dtype {} != {}", name(a.dtype), name(b.dtype)));
  if (!context.values)
    return tally.add(std::move(leaf), Content::something);

  const Tolerance& tolerance = policy.tolerance[static_cast<std::size_t>(a.dtype)];
  leaf.stats = compare_tensors(a, b, tolerance, context.touched);
  if (leaf.stats.mismatched > 0)
    explain(leaf, a, b, tolerance, context.touched);
  tally.add(std::move(leaf), content_of(a, context.touched), [&](const Tolerance& wider) {
    return compare_tensors(a, b, wider, context.touched).mismatched == 0;
  });
}

}  // namespace opalign::compare
