// SPDX-License-Identifier: Apache-2.0
// Draft: a case between its text and its programs: its statements, each call with its catalog
// entry, its bound arguments and the numbers of its inputs. It is no part of a Unit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/case/case.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::plan {

/// A statement that assigns or calls. It points into the case and the catalog.
struct Step {
  std::string target;                   ///< variable that takes the result
  const cases::Value* value = nullptr;  ///< what is assigned; null where that is a call
  const cases::Call* call = nullptr;    ///< null where `value` is not
  /// `b.cast_(…)` with `b` as its first argument: what `call` points to for a method of a variable.
  std::unique_ptr<cases::Call> method;
  std::string api;                        ///< "paddle.Tensor.cast_" for `b.cast_(…)`
  const catalog::Entry* entry = nullptr;  ///< null where the catalog has none
  catalog::Bound bound;
  std::size_t first_tensor = 0;                 ///< number of the first input in it
  std::vector<std::size_t> tensor_of_argument;  ///< number of the first input of each argument

  /// The number of the input that a parameter is bound to, if it is an input itself.
  [[nodiscard]] std::optional<std::size_t> input_of(std::string_view parameter) const;
};

struct Draft {
  std::vector<Step> steps;         ///< in the order of the text
  std::vector<std::string> fetch;  ///< variables that are compared
  bool single = false;             ///< one call and nothing else

  /// The one call of a case that has nothing else, or null.
  [[nodiscard]] const Step* only() const { return single ? &steps.front() : nullptr; }
  /// The first call, or null.
  [[nodiscard]] const Step* first_call() const;
};

/// The statements of a case; nothing is bound yet. The case and the catalog must outlive it.
[[nodiscard]] Draft draft_of(const cases::Case& parsed, const catalog::Catalog& catalog);

/// Binds a step's call and makes its inputs, the first of which has the number `first_tensor`.
Expected<std::vector<Input>> bind(Step& step, std::size_t first_tensor);

/// Whether any number in a step is nan or infinite.
[[nodiscard]] bool has_nonfinite(const Step& step);

/// "paddle" of "paddle.Tensor.add".
[[nodiscard]] std::string_view framework_of(std::string_view api);

}  // namespace opalign::plan
