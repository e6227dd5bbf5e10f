// SPDX-License-Identifier: Apache-2.0
// Reads the `known` list of an entry. Only the catalog's loader includes this.
#pragma once

#include <string>
#include <vector>

#include <toml++/toml.h>

#include <opalign/catalog/known.hpp>
#include <opalign/catalog/signature.hpp>

namespace opalign::catalog {

/// `api`: the entry that the list is written in, which names it and which its examples call;
/// `signature`: of the entry that has it, perhaps by `same_as`.
Expected<std::vector<Known>> read_known(const toml::node& node, const std::string& place,
                                        const std::string& api, const Signature& signature);

}  // namespace opalign::catalog
