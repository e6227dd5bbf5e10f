// SPDX-License-Identifier: Apache-2.0
// KnownDifference: one way in which an API's framework differs from others by design. It is what
// the comparison needs of a catalog entry whose conditions hold for a call; it knows neither.
#pragma once

#include <string>
#include <vector>

#include <opalign/base/verdict.hpp>

namespace opalign {

struct KnownDifference {
  std::string name;                    ///< "paddle.max/tie_gradients"
  std::string reason;                  ///< the design behind it, one line
  Verdict verdict = Verdict::differs;  ///< the verdict without it
  Stage stage = Stage::none;           ///< none: any
  std::vector<Reason> kinds;           ///< empty: any
  /// Paths of leaves, "output[1]", "grad(x)"; what is below them is meant too. Empty: all.
  std::vector<std::string> where;
  // If either is above 0 the difference is known only within atol + rtol * |reference|.
  double atol = 0, rtol = 0;

  [[nodiscard]] bool is_tolerance() const { return atol > 0 || rtol > 0; }
  bool operator==(const KnownDifference&) const = default;
};

}  // namespace opalign
