// SPDX-License-Identifier: Apache-2.0
// Values out of a TOML node, with the place in the error. Only the catalog's loader includes this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include <opalign/base/expected.hpp>
#include <opalign/catalog/domain.hpp>

namespace opalign::catalog {

Expected<std::string> string_of(const toml::node& node, std::string_view place);
Expected<std::vector<std::string>> strings_of(const toml::node& node, std::string_view place);
Expected<Domain> domain_of(const toml::node& node, std::string_view place);

}  // namespace opalign::catalog
