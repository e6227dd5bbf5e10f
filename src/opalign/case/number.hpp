// SPDX-License-Identifier: Apache-2.0
// How floats are written: Python's spelling, read and printed without locales.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opalign::cases {

/// nan, inf, math.nan, numpy.inf, …, without a sign.
[[nodiscard]] std::optional<double> nonfinite(std::string_view word);
/// The nearest double to [-]5, 5., .5, 1e-05; beyond its range inf or 0, as Python has it.
[[nodiscard]] double read_double(std::string_view digits);
/// The shortest digits that read back equal, in repr()'s form (1.0, 1e-05, 1e+16), or nan,
/// math.inf, -math.inf.
void append_double(std::string& out, double number);

}  // namespace opalign::cases
