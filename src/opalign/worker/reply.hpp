// SPDX-License-Identifier: Apache-2.0
// A worker's answer to a run frame, read with suspicion: JSON and an output file become an Answer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <opalign/base/expected.hpp>
#include <opalign/base/outcome.hpp>

namespace opalign::worker {

struct Answer {
  Outcome outcome;
  std::size_t end = 0;  ///< bytes of the output file that its tensors reach to
};

/// Reads `result`, `grads`, `modified`, `t` and `error` of an answer. Tensors become views into
/// `output`, bounds, alignment and sizes checked; `limit`: bytes that all of them together may
/// take. `input_names` name the inputs by index. Fails where the answer is not one of the protocol.
Expected<Answer> read_answer(const nlohmann::json& answer, std::span<const std::byte> output,
                             std::size_t limit, const std::vector<std::string>& input_names);

}  // namespace opalign::worker
