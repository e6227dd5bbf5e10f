// SPDX-License-Identifier: Apache-2.0
// Fate: what became of one runner where it was not a clean finish, and what that means for the
// verdict. Results are not looked at here.
#pragma once

#include <optional>
#include <string>

#include <opalign/base/judgement.hpp>
#include <opalign/base/outcome.hpp>

namespace opalign::compare {

struct Fate {
  Verdict as_target;     ///< where only the target, or the target first, met it
  Verdict as_reference;  ///< where only the reference did
  Reason reason;
  bool refusal;  ///< raised an error of its own: judged by whether the other runner did too
  Stage stage;
  bool has_results;  ///< the forward stage had finished; its results can be compared
};

/// Nothing if the runner finished all its stages.
[[nodiscard]] std::optional<Fate> fate_of(const Outcome& outcome);

/// One line: "torch:cpu died by signal 11 (SIGSEGV) in forward", "paddle:cpu: ValueError: …".
[[nodiscard]] std::string account(const Outcome& outcome);

/// The verdict that two fates make: the target's first, a refusal against the other's; nothing if
/// there are none.
[[nodiscard]] std::optional<Judgement> decide(const Outcome& target,
                                              const std::optional<Fate>& target_fate,
                                              const Outcome& reference,
                                              const std::optional<Fate>& reference_fate);

}  // namespace opalign::compare
