// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line that CLI11 refused, in words that help.
#pragma once

#include <span>

#include <CLI/CLI.hpp>

#include <opalign/base/expected.hpp>

namespace opalign::cli {

/// `arguments`: without the program's name.
[[nodiscard]] Error explain(CLI::App& app, const CLI::ParseError& error,
                            std::span<const char* const> arguments);

}  // namespace opalign::cli
