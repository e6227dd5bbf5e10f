// SPDX-License-Identifier: Apache-2.0
// A unit's inputs into a region of the arena, and the `tensors` list that tells workers where they
// lie. It draws values with value/ and chooses no address itself beyond packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <opalign/base/expected.hpp>
#include <opalign/base/touched.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::sched {

/// Bytes a region needs for all inputs of the unit.
[[nodiscard]] std::size_t region_bytes(const plan::Unit& unit);

/// Fills `region`, which starts at `offset` of the arena, and returns the JSON list of tensors.
/// `touched` is told of what has been written.
Expected<std::string> place_inputs(const plan::Unit& unit, std::uint64_t seed, std::size_t offset,
                                   std::span<std::byte> region, const Touched& touched = {});

}  // namespace opalign::sched
