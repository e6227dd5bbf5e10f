// SPDX-License-Identifier: Apache-2.0
#include <opalign/catalog/domain.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <opalign/catalog/domain_node.hpp>

namespace opalign::catalog {

Domain::Domain(std::string text, std::vector<Node> nodes)
    : m_text(std::move(text)),
      m_nodes(std::make_shared<const std::vector<Node>>(std::move(nodes))) {}

std::vector<std::string> Domain::names() const {
  std::vector<std::string> result;
  for (const Node& node : nodes())
    if (node.kind == Node::Kind::name && node.function == nullptr && node.name != "self" &&
        std::ranges::find(result, node.name) == result.end())
      result.push_back(node.name);
  return result;
}

Error at_column(std::string_view text, std::size_t column, Error error) {
  error.message = fmt::format("domain \"{}\": col {}: {}", text, column, error.message);
  return error;
}

}  // namespace opalign::catalog
