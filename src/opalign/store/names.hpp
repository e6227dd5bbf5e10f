// SPDX-License-Identifier: Apache-2.0
// Names: the name table as a map in memory. What a transaction added and did not keep is
// forgotten again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/store/database.hpp>

namespace opalign::store {

class Names {
 public:
  /// With the names that the file has already.
  static Expected<Names> open(const Database& database);

  /// The number of `text`, which is added within the transaction at hand if it is new.
  Expected<std::int64_t> number(const std::string& text);
  void keep() { m_added.clear(); }  ///< the transaction is committed
  void forget();                    ///< the transaction is rolled back

 private:
  Statement m_insert;
  std::unordered_map<std::string, std::int64_t> m_numbers;
  std::int64_t m_last = 0;
  std::vector<std::string> m_added;
};

}  // namespace opalign::store
