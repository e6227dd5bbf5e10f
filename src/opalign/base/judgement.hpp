// SPDX-License-Identifier: Apache-2.0
// Judgement: what compare/ concludes of a unit; what store/ keeps and report/ shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opalign/base/shape.hpp>
#include <opalign/base/verdict.hpp>

namespace opalign {

/// Error statistics of one tensor of the target (a) against one of the reference (b).
/// Errors are |a-b| over elements where both are finite; complex elements count by modulus.
struct TensorStats {
  std::int64_t numel = 0;
  std::int64_t bit_equal = 0;   ///< elements with the same bits
  std::int64_t mismatched = 0;  ///< elements outside the policy's limit, class mismatches included
  std::int64_t class_mismatched = 0;  ///< elements of another class: finite, +inf, -inf, nan
  double max_abs = 0;
  double mean_abs = 0;
  double rms_abs = 0;
  double max_rel = 0;         ///< |a-b| / max(|b|, floor), floor = the smallest normal of the dtype
  std::uint64_t max_ulp = 0;  ///< distance in units of the last place of the dtype; 0 for integers
  double bias = 0;            ///< mean of a-b, real part
  double cosine = 1;
  std::int64_t first_mismatch = -1;  ///< flat index, -1 if none
  std::int64_t worst = -1;           ///< flat index of the largest error over limit, -1 if none
};

/// One pair of leaves that was compared.
struct LeafComparison {
  Stage stage = Stage::forward;
  std::string path;              ///< "output[1]", "grad(x)"
  Reason reason = Reason::none;  ///< none where they agree
  std::string message;           ///< one line, empty where they agree
  std::string known;             ///< name of the KnownDifference that explains it, or empty
  std::string dtype;
  Shape shape;
  TensorStats stats;
  /// The elements worth showing, worst first, already printed with round-trip digits.
  struct Element {
    std::vector<std::int64_t> index;
    std::string target;
    std::string reference;
  };
  std::vector<Element> elements;
};

struct Judgement {
  Verdict verdict = Verdict::skipped;
  Stage stage = Stage::none;
  Reason reason = Reason::none;
  std::string runner;   ///< whom the message is about; empty when it is about the pair
  std::string message;  ///< one line
  std::vector<LeafComparison> leaves;  ///< those that disagree, then up to a few that agree
  /// Names of the KnownDifferences that explain it; of the verdicts known and known_tolerance
  /// alone.
  std::vector<std::string> known = {};
};

}  // namespace opalign
