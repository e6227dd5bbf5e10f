// SPDX-License-Identifier: Apache-2.0
// A worker's answer to a run frame, read with suspicion: JSON and an output file become an Outcome.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <opalign/base/expected.hpp>
#include <opalign/base/outcome.hpp>

namespace opalign::worker {

/// Reads `result`, `grads`, `modified`, `t` and `error` of an answer. Tensors become views into
/// `output`, bounds, alignment and sizes checked. `input_names` name the inputs by index.
/// Fails where the answer is not one of the protocol.
Expected<Outcome> read_outcome(const nlohmann::json& answer, std::span<const std::byte> output,
                               const std::vector<std::string>& input_names);

/// What an answer's tensors take of the output file.
struct Extent {
  std::size_t end = 0;    ///< bytes of the file that they reach to
  std::size_t bytes = 0;  ///< of all of them together, saturating
};
/// Lets the caller map a file that has grown before read_outcome looks at it.
[[nodiscard]] Extent output_extent(const nlohmann::json& answer);

}  // namespace opalign::worker
