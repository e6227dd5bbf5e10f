// SPDX-License-Identifier: Apache-2.0
// What `opalign repro` knows of a record before it writes: the case planned again, its runners as
// far as they are installed, and what their outputs look like. It writes no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <opalign/base/environment.hpp>
#include <opalign/base/expected.hpp>
#include <opalign/catalog/catalog.hpp>
#include <opalign/plan/unit.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {

/// A runner of the run, as far as it can still be had.
struct ReproRunner {
  std::string spec;
  std::string framework;
  std::optional<ResolvedRunner> here;  ///< nothing where its environment is not installed
  plan::Program program;
  std::vector<std::string> preludes;
  /// Outputs that a gradient may flow into, in order, each with where the results have it.
  struct Leaf {
    std::string path;
    DType dtype;
    Shape shape;
  };
  std::vector<Leaf> leaves;
  std::string kind;            ///< of the whole result: "tensor", "nested"; empty where unknown
  bool differentiates = true;  ///< false where it is known to give no gradient at all
};

/// What the scripts are made of.
struct ReproCase {
  store::Record record;
  store::Facts facts;
  std::uint64_t seed = 0;
  plan::Unit unit;
  std::vector<ReproRunner> runners;
  std::string again;  ///< the verdict of just now, empty where not all runners are here
};

/// The runners of a run, target first. One whose environment is not installed is told of on
/// standard error and kept.
Expected<std::vector<ReproRunner>> find_runners(const store::Facts& facts,
                                                const catalog::Catalog& catalog);

/// Plans the record for all runners; where that gives nothing to run, for each by itself.
Expected<void> plan_case(const catalog::Catalog& catalog, ReproCase& repro);

/// Runs the case twice on the runners that are here: without its backward stage, so that outputs
/// are known even if that one dies, and as it is.
Expected<void> run_again(ReproCase& repro);

}  // namespace opalign::cli
