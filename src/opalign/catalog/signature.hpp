// SPDX-License-Identifier: Apache-2.0
// Signature: the documented parameters of an API, and how a call's arguments bind to them by
// Python's rules. It knows names and defaults, not meanings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/case/case.hpp>

namespace opalign::catalog {

struct Parameter {
  std::string name;
  bool variadic = false;  ///< `*name`: takes the rest of the positional arguments, as a tuple
  std::optional<cases::Value> default_value;
};

struct Signature {
  std::vector<Parameter> parameters;

  [[nodiscard]] const Parameter* find(std::string_view name) const;
};

/// Parses "(x, axis=0, *rest, name=None)"; defaults are literals of the case language.
Expected<Signature> parse_signature(std::string_view text);

/// A parameter's value in one call. It points into the call, the signature or its Bound.
struct BoundParameter {
  std::string_view name;
  const cases::Value* value = nullptr;
  /// Where the call has it: index of the argument, or -1 for a default. A variadic parameter has
  /// the index of its first item.
  int argument = -1;
};

/// The parameters of a call in the order of the signature, defaults included.
struct Bound {
  std::vector<BoundParameter> parameters;
  std::unique_ptr<cases::Value> rest;  ///< what a variadic parameter took

  [[nodiscard]] const BoundParameter* find(std::string_view name) const;
};

/// Binds a call's arguments. The signature and the call must outlive the result.
/// Fails on an unknown, doubled or missing argument, with the names in the message.
Expected<Bound> bind(const Signature& signature, const cases::Call& call);

}  // namespace opalign::catalog
