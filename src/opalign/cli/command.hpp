// SPDX-License-Identifier: Apache-2.0
// The shape of a subcommand: a function add_<name> in its own file, which declares the options and
// sets the action; main.cpp has the list. No stage includes this.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include <opalign/base/expected.hpp>

namespace opalign::cli {

inline constexpr int k_exit_ok = 0;             ///< nothing failed
inline constexpr int k_exit_differences = 1;    ///< some case has a verdict that is a failure
inline constexpr int k_exit_usage = 2;          ///< usage or configuration
inline constexpr int k_exit_internal = 3;       ///< a bug of opalign
inline constexpr int k_exit_interrupted = 130;  ///< ended by SIGINT or SIGTERM

/// What a subcommand does once its options are known; returns its exit code.
using Action = std::function<Expected<int>()>;

/// Runs `action` when `command` is chosen. Its Error is printed on standard error with its hint and
/// becomes k_exit_usage.
void set_action(CLI::App& command, int& exit_code, Action action);

/// Prints "opalign: error: …" with the hint on standard error.
void print_error(const Error& error);

void add_run(CLI::App& app, int& exit_code);
void add_cases(CLI::App& app, int& exit_code);
void add_catalog(CLI::App& app, int& exit_code);
void add_env(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_repro(CLI::App& app, int& exit_code);
void add_merge(CLI::App& app, int& exit_code);
void add_verdicts(CLI::App& app, int& exit_code);

}  // namespace opalign::cli
