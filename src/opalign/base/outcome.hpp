// SPDX-License-Identifier: Apache-2.0
// Outcome: what one runner did with one unit, as a plain value. It does not say whether that is
// right.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <opalign/base/tensor_view.hpp>
#include <opalign/base/verdict.hpp>

namespace opalign {

/// A result tree. Lists, tuples, named tuples and shapes are all sequences: frameworks choose among
/// them by habit, so the kind carries no information.
struct Result;
struct ResultSequence {
  std::vector<Result> items;
};
struct ResultMapping {
  std::vector<std::pair<std::string, Result>> items;  ///< in the framework's order
};
struct ResultDType {
  std::string name;  ///< NumPy's spelling where it has one
};
struct ResultOther {
  std::string description;  ///< type name of a value that has no form here
};
struct Result {
  std::variant<std::monostate /* None */, bool, std::int64_t, double, std::complex<double>,
               std::string, ResultDType, ResultOther, TensorView, ResultSequence, ResultMapping>
      value;
};

/// What a framework's exception means; decided by its adapter.
enum class ErrorClass : std::uint8_t {
  not_registered,    ///< no kernel for this dtype or device
  invalid_argument,  ///< the framework refuses the arguments
  out_of_memory,
  translation,    ///< the catalog's text failed, not the framework
  no_such_name,   ///< the case names something that does not exist
  not_allowed,    ///< the case names something that a case may not call
  no_such_dtype,  ///< the framework lacks an input's dtype
  output_limit,
  other,
};

/// "not_registered"; the words of the protocol and of records.
[[nodiscard]] std::string_view label(ErrorClass kind);
[[nodiscard]] std::optional<ErrorClass> parse_error_class(std::string_view label);

struct RunnerError {
  ErrorClass kind = ErrorClass::other;
  Stage stage = Stage::forward;
  std::string type;     ///< the exception's class
  std::string message;  ///< the framework's own words, shortened by the worker
  std::string trace;    ///< innermost frames, may be empty
};

enum class OutcomeStatus : std::uint8_t {
  finished,        ///< results are there; `error` may still say that the backward stage failed
  failed,          ///< no results: `error` says why
  died,            ///< the process ended by `signal` or with `exit_code`
  broke_protocol,  ///< sent something that is not a frame of the protocol
  timed_out,
  not_run,  ///< this runner has no program for the unit
};

[[nodiscard]] std::string_view label(OutcomeStatus status);

struct Outcome {
  std::string runner;  ///< runner spec, "torch@2.13.0:cpu"
  OutcomeStatus status = OutcomeStatus::not_run;
  Stage stage = Stage::forward;  ///< the stage that ended last, or in which the process died
  Result outputs;
  /// One for each differentiable input, in input order; nothing where the framework returned none.
  std::vector<std::optional<TensorView>> gradients;
  bool has_gradients = false;         ///< the backward stage ran and finished
  std::vector<std::string> modified;  ///< paths of inputs whose bytes the call changed
  std::optional<RunnerError> error;
  int signal = 0;
  int exit_code = 0;
  double forward_s = 0;   ///< seconds inside the framework call
  double backward_s = 0;  ///< seconds inside the framework's differentiation
};

}  // namespace opalign
