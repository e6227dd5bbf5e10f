// SPDX-License-Identifier: Apache-2.0
// Which differences of a pair are known, and the judgement that becomes of them. What is known is
// given; this only applies it.
#pragma once

#include <functional>
#include <span>

#include <opalign/base/judgement.hpp>
#include <opalign/base/known.hpp>
#include <opalign/compare/compare.hpp>

namespace opalign::compare {

/// Whether the tensors of a leaf agree within a tolerance; empty where the leaf has none.
using Within = std::function<bool(const Tolerance&)>;

/// The first that explains a leaf that differs, or null.
[[nodiscard]] const KnownDifference* find_known(std::span<const KnownDifference> known,
                                                const LeafComparison& leaf, const Within& within);

/// The judgement of an error or a refusal, known where an entry says so.
[[nodiscard]] Judgement excuse(std::span<const KnownDifference> known, Judgement judgement);

/// Makes `judgement`, which `by` explain wholly, a known one.
[[nodiscard]] Judgement excuse_by(std::span<const KnownDifference* const> by, Judgement judgement);

}  // namespace opalign::compare
