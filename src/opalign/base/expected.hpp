// SPDX-License-Identifier: Apache-2.0
// Expected<T>: how every fallible function of the core returns; not for bugs of our own (assert).
// Errors carry what a user needs: place and expectation in `message`, a way out in `hint`.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace opalign {

struct Error {
  std::string message;  ///< "place: expected X, got Y", no trailing newline
  std::string hint;     ///< one sentence, may be empty

  [[nodiscard]] std::string text() const {
    return hint.empty() ? message : message + "\n  hint: " + hint;
  }
  bool operator==(const Error&) const = default;
};

template <class T>
class [[nodiscard]] Expected : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

#define OPALIGN_CONCAT_(a, b) a##b
#define OPALIGN_CONCAT(a, b) OPALIGN_CONCAT_(a, b)

/// TRY(expression): return its error from the calling function, or go on.
#define TRY(...)                                            \
  do {                                                      \
    if (auto try_result = (__VA_ARGS__); !try_result)       \
      return tl::unexpected(std::move(try_result.error())); \
  } while (false)

/// TRY_ASSIGN(declaration, expression): bind its value, or return its error.
#define TRY_ASSIGN(declaration, ...)                                                \
  auto OPALIGN_CONCAT(try_value_, __LINE__) = (__VA_ARGS__);                        \
  if (!OPALIGN_CONCAT(try_value_, __LINE__))                                        \
    return tl::unexpected(std::move(OPALIGN_CONCAT(try_value_, __LINE__).error())); \
  declaration = std::move(*OPALIGN_CONCAT(try_value_, __LINE__))

}  // namespace opalign
