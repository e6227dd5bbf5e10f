// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/node.hpp>

#include <utility>

#include <fmt/format.h>

namespace opalign::catalog {

Expected<std::string> string_of(const toml::node& node, std::string_view place) {
  if (const auto value = node.value<std::string>(); value && node.is_string())
    return *value;
  return fail(fmt::format("{}: expected a string", place));
}

Expected<std::vector<std::string>> strings_of(const toml::node& node, std::string_view place) {
  if (node.as_array() == nullptr)
    return fail(fmt::format("{}: expected a list of strings", place));
  std::vector<std::string> strings;
  for (const toml::node& item : *node.as_array()) {
    TRY_ASSIGN(std::string text, string_of(item, place));
    strings.push_back(std::move(text));
  }
  return strings;
}

Expected<Domain> domain_of(const toml::node& node, std::string_view place) {
  TRY_ASSIGN(std::string text, string_of(node, place));
  Expected<Domain> domain = parse_domain(text);
  if (!domain)
    return fail(fmt::format("{}: {}", place, domain.error().message), domain.error().hint);
  return domain;
}

}  // namespace opalign::catalog
