// SPDX-License-Identifier: Apache-2.0
// Unit: a planned case, ready to run: what its inputs are and what each runner executes. It holds
// no tensor and no process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <opalign/base/dtype.hpp>
#include <opalign/base/judgement.hpp>
#include <opalign/base/known.hpp>
#include <opalign/base/shape.hpp>
#include <opalign/value/fill.hpp>

namespace opalign::plan {

/// One input tensor. All runners read the same bytes.
struct Input {
  /// Where the case has it: "0", "1[2]", "axis"; "3:0" in a call that comes after three tensors.
  /// Part of the key of its values.
  std::string path;
  std::string name;  ///< what people call it: the parameter, "x" or "xs[1]"
  DType dtype = DType::float32;
  Shape shape;
  /// Elements between neighbours, if not dense and row-major.
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;        ///< elements before the first one in its buffer
  std::int64_t buffer_numel = 0;  ///< elements of the buffer behind it
  value::Fill fill;
  /// The fill is the case's own. Else it is the catalog's, and `plain` stands in for it where it
  /// makes no sense for the shape: such a case tests how the call is refused.
  bool own_fill = false;
  bool differentiable = false;
};

/// What one runner does: the `program` object of docs/protocol.md, or a name to resolve.
struct Program {
  enum class Kind : std::uint8_t { none, run, resolve };
  Kind kind = Kind::none;
  std::string body;  ///< JSON of the program; for `resolve` the bare name
};

struct Unit {
  std::int64_t seq = 0;
  std::string id, text, api, file;
  int line = 0;
  std::vector<Input> inputs;
  std::vector<Program> programs;  ///< target first, then the references, as the run names them
  /// Decided without running: invalid, unsupported, skipped. Programs may still be there: then the
  /// judgement stands unless running says worse (a name that does not exist).
  std::optional<Judgement> judgement;
  bool backward = true;        ///< differentiate
  bool compare_values = true;  ///< false: structure, shape and dtype only
  bool has_invariant = false;  ///< the entry's `compare` holds for this call
  /// What is known to differ from each reference, by the catalog; none at all: no entries.
  std::vector<std::vector<KnownDifference>> known;
  bool inputs_finite = true;  ///< the case asks for no nan or inf
};

}  // namespace opalign::plan
