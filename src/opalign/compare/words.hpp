// SPDX-License-Identifier: Apache-2.0
// Texts of frameworks and results as parts of a one-line message.
#pragma once

#include <string>
#include <string_view>

#include <opalign/base/outcome.hpp>

namespace opalign::compare {

/// White space and control characters become single spaces; cut after `limit` bytes.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t limit = 300);

/// A result in a word or two: "None", "int 3", "tensor float32 [2, 3]", "sequence of 2".
[[nodiscard]] std::string describe(const Result& result);

/// The framework's own words: "ValueError: …".
[[nodiscard]] std::string words_of(const RunnerError& error);

/// "output[1]" and {2, 3}: "output[1][2, 3]"; of a 0-D tensor the path alone.
[[nodiscard]] std::string element_path(std::string_view path,
                                       const std::vector<std::int64_t>& index);

}  // namespace opalign::compare
