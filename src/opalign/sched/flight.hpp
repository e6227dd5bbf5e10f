// SPDX-License-Identifier: Apache-2.0
// Flight: a unit between its dispatch and its judgement: where its tensors lie and what has come of
// it so far. It frees nothing and talks to nobody: the scheduler does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <opalign/base/outcome.hpp>
#include <opalign/compare/compare.hpp>
#include <opalign/plan/unit.hpp>
#include <opalign/sched/fleet.hpp>

namespace opalign::sched {

struct Flight {
  plan::Unit unit;
  std::shared_ptr<const std::size_t> region;         ///< of the arena, with its inputs
  std::size_t input_bytes = 0;                       ///< of that region
  std::vector<std::optional<Outcome>> outcomes;      ///< by runner
  std::vector<std::shared_ptr<OutputSlot>> outputs;  ///< by runner
  Clock::time_point begun;

  /// It will not run: `message` says why.
  void refuse(Verdict verdict, Reason reason, std::string message);
  [[nodiscard]] bool is_complete() const;
  /// The target has no kernel for the call: whatever the references do, it is unsupported.
  [[nodiscard]] bool is_unsupported() const;
  /// Seconds that a runner may take, of which `least` are its in any case.
  [[nodiscard]] double time_limit_s(std::size_t runner, double least) const;
  /// What a runner has to do; `tensors` is the list of the `run` frame.
  [[nodiscard]] Job job(std::uint64_t number, std::size_t runner, const std::string& tensors,
                        std::uint64_t seed) const;
  /// What the comparison needs to know of the unit.
  [[nodiscard]] compare::Context context(Touched touched) const;
};

/// Job ids: the flight's number times 256 plus the runner, so that both are in the id. Never 0, as
/// flights are numbered from 1.
[[nodiscard]] constexpr std::uint64_t job_id(std::uint64_t flight, std::size_t runner) {
  return flight << 8 | runner;
}
[[nodiscard]] constexpr std::uint64_t flight_of(std::uint64_t job) { return job >> 8; }

}  // namespace opalign::sched
