// SPDX-License-Identifier: Apache-2.0
// Catalog: all that is known of each API, loaded from TOML (docs/catalog.md). It answers questions
// about entries; it does not know the frameworks themselves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/catalog/domain.hpp>
#include <opalign/catalog/known.hpp>
#include <opalign/catalog/signature.hpp>

namespace opalign::catalog {

/// What is compared in place of the raw outputs, where those are not unique.
struct Invariant {
  std::optional<Domain> when;  ///< a condition over the bound arguments; holds always if absent
  bool meta = false;           ///< structure, shape and dtype only
  /// Framework name, or "" for all, to an expression over `result` and the bound names.
  std::map<std::string, std::string, std::less<>> texts;
};

struct Entry {
  std::string api;
  std::string file;
  Signature signature;
  std::string call;                                              ///< the signature as written
  std::map<std::string, std::string, std::less<>> translations;  ///< framework name to its text
  std::map<std::string, Domain, std::less<>> values;             ///< parameter to domain
  std::vector<std::string> no_grad;
  bool backward = true;
  std::string inplace;              ///< the parameter that the call writes and returns, or empty
  std::vector<std::string> writes;  ///< parameters that the call writes besides returning a result
  std::optional<Invariant> compare;
  std::vector<Known> known;
  std::string note;
};

class Catalog {
 public:
  /// Loads all of `directory`/<framework>/*.toml. One bad entry fails the whole: catalogs are ours.
  static Expected<Catalog> load(const std::string& directory);

  [[nodiscard]] const Entry* find(std::string_view api) const;
  /// All entries, by name.
  [[nodiscard]] const std::map<std::string, Entry, std::less<>>& entries() const {
    return m_entries;
  }
  /// Prelude files for texts that run in `framework`: catalog/*/prelude_<framework>*.py, sorted.
  [[nodiscard]] std::vector<std::string> preludes(std::string_view framework) const;

 private:
  std::map<std::string, Entry, std::less<>> m_entries;
  std::vector<std::string> m_prelude_files;
};

}  // namespace opalign::catalog
