// SPDX-License-Identifier: Apache-2.0
// Known: an item of an entry's `known` list: a difference by design, and for which calls
// (docs/catalog.md, "Known differences"). Applying it is the comparison's affair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <opalign/base/dtype.hpp>
#include <opalign/base/expected.hpp>
#include <opalign/base/known.hpp>
#include <opalign/catalog/domain.hpp>

namespace opalign::catalog {

struct Known {
  KnownDifference difference;
  std::optional<Domain> when;  ///< a condition over the bound arguments; holds always if absent
  std::vector<DType> dtypes;   ///< one of the call's tensors has one of these; empty: any
  std::string reference;       ///< the framework that it differs from; empty: any other
  std::string example;         ///< a case that differs so
  std::string report;          ///< where it was reported or documented; may be empty
};

}  // namespace opalign::catalog
