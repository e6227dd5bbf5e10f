// SPDX-License-Identifier: Apache-2.0
// The input tensors of a unit: collected from a case in the order of its text, with their layouts
// and fills. It draws no element.
#pragma once

#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/case/case.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::plan {

/// A tensor in its case.
struct Occurrence {
  const cases::Tensor* tensor = nullptr;
  std::string path;  ///< "0", "axis[1]"
  int argument = 0;  ///< index of the argument that holds it
};

/// All tensors in `value`, in the order of the text; `path` names the value.
void collect_tensors(const cases::Value& value, const std::string& path, int argument,
                     std::vector<Occurrence>& found);

/// Whether any number in `value` is nan or infinite.
[[nodiscard]] bool has_nonfinite(const cases::Value& value);

/// The input of one tensor. `entry` may be null: then the fill is the tensor's own or plain.
/// `parameter`: the name it is bound to, or empty. Fails on strides and values that make no sense.
Expected<Input> make_input(const Occurrence& occurrence, const catalog::Entry* entry,
                           const catalog::Bound& bound, std::string_view parameter);

/// Whether a condition of an entry (`when`) holds for a call.
Expected<bool> holds_for(const catalog::Domain& condition, const catalog::Bound& bound);

/// Bytes of the buffer behind an input; the shape is known to be sound.
[[nodiscard]] std::size_t buffer_bytes(const Input& input);
/// In shared memory tensors start at multiples of 64.
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace opalign::plan
