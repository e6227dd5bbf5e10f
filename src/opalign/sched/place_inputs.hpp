// SPDX-License-Identifier: Apache-2.0
// A unit's inputs, or upstream gradients, into a region of the arena, and the `tensors` list that
// tells workers where they lie. It draws values with value/ and chooses no address itself beyond
// packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/plan/unit.hpp>
#include <opalign/sched/job.hpp>

namespace opalign::sched {

/// Bytes a region needs for all inputs of the unit.
[[nodiscard]] std::size_t region_bytes(const plan::Unit& unit);

/// Fills `region`, which starts at `offset` of the arena, and returns the JSON list of tensors.
Expected<std::string> place_inputs(const plan::Unit& unit, std::uint64_t seed, std::size_t offset,
                                   std::span<std::byte> region);

/// Bytes a region needs for upstream gradients of these outputs, or nothing where they are more
/// than `most`.
[[nodiscard]] std::optional<std::size_t> gradient_bytes(const Gradients& gradients,
                                                        std::size_t most);

/// As place_inputs, for upstream gradients that the pool is too small for.
[[nodiscard]] std::string place_gradients(const Gradients& gradients, std::string_view case_id,
                                          std::uint64_t seed, std::size_t offset,
                                          std::span<std::byte> region);

}  // namespace opalign::sched
