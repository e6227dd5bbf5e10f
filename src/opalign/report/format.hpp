// SPDX-License-Identifier: Apache-2.0
// The formats that a run can be exported in: one list, one function each.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include <opalign/base/expected.hpp>
#include <opalign/store/store.hpp>

namespace opalign::report {

struct Format {
  std::string_view name;
  std::string_view meaning;
  /// Writes the records that `filter` chooses.
  Expected<void> (*write)(const store::Reader& reader, const store::Filter& filter,
                          std::ostream& out);
};

[[nodiscard]] std::span<const Format> formats();
/// An error with the known ones where there is none of that name.
Expected<const Format*> find_format(std::string_view name);

}  // namespace opalign::report
