// SPDX-License-Identifier: Apache-2.0
// From a case's text to a Unit: parse, bind, translate, choose values. It runs nothing; whatever is
// wrong with a case becomes the unit's judgement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <opalign/case/suite.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/unit.hpp>

namespace opalign::plan {

struct Draft;

struct Options {
  /// A unit with more bytes of inputs than this is skipped.
  std::size_t max_input_bytes = std::size_t{4} << 30;
  bool known = true;  ///< false: what the catalog calls known is a difference like any other
};

/// The id of the unit that a case becomes, at the price of parsing alone.
[[nodiscard]] std::string id_of(const cases::SuiteCase& source);

class Planner {
 public:
  /// `frameworks`: of the run's runners, target first. The catalog must outlive the planner.
  Planner(const catalog::Catalog& catalog, std::vector<std::string> frameworks, Options options);

  [[nodiscard]] Unit plan(std::int64_t seq, const cases::SuiteCase& source) const;

 private:
  /// Fills in all of the unit but its programs; a judgement where there can be none.
  std::optional<Judgement> prepare(Draft& draft, Unit& unit) const;
  void write_programs(const Draft& draft, Unit& unit) const;

  const catalog::Catalog& m_catalog;
  std::vector<std::string> m_frameworks;
  Options m_options;
};

}  // namespace opalign::plan
