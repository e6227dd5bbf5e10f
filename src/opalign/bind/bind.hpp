// SPDX-License-Identifier: Apache-2.0
// What the parts of the module opalign._core share: each file binds one stage's functions. They
// convert arguments and results; what they mean is the stages' business.
#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include <opalign/base/expected.hpp>

namespace opalign::bind {

/// Becomes the Python exception opalign.Error.
struct Failure : std::runtime_error {
  explicit Failure(const Error& error) : std::runtime_error(error.text()) {}
};

template <class T>
T value_or_throw(Expected<T> expected) {
  if (!expected)
    throw Failure(expected.error());
  if constexpr (!std::is_void_v<T>)
    return std::move(*expected);
}

void bind_case(nanobind::module_& module);
void bind_fill(nanobind::module_& module);
void bind_compare(nanobind::module_& module);

}  // namespace opalign::bind
