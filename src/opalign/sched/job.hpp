// SPDX-License-Identifier: Apache-2.0
// What goes between the scheduler and the fleets: jobs, and what becomes of them. Plain values;
// units and workers are not known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <opalign/base/outcome.hpp>
#include <opalign/worker/mapping.hpp>

namespace opalign::sched {

/// A slot of a worker's output file: where the answer to one job lies, in its own part of the file
/// and in the heap.
struct OutputSlot {
  std::size_t number = 0;
  bool busy = false;                      ///< an answer in it has not been judged yet
  std::shared_ptr<worker::Mapping> head;  ///< the file's first page, writable
  /// The file as it was when the answer came. Outcomes point into it, so it outlives the worker.
  std::shared_ptr<worker::Mapping> map;
  std::size_t used = 0;  ///< bytes of the file that the answer reaches to
};

struct Job {
  std::uint64_t id = 0;  ///< unique in the run, not 0
  bool resolve = false;  ///< only resolve a name
  std::string body;  ///< members of the run frame after "slot", or of the resolve frame after "id"
  std::vector<std::string> input_names;
  /// Keeps the inputs in the arena as long as a worker may read them.
  std::shared_ptr<const std::size_t> region;
  std::string kind;    ///< the API: deaths of one kind have one cause
  bool alone = false;  ///< needs a fresh worker
  int attempts = 0;    ///< workers that died with it unmarked
};

/// What became of a job. `output` keeps alive what the outcome's tensors point into.
struct Delivery {
  std::uint64_t job = 0;
  Outcome outcome;
  std::shared_ptr<OutputSlot> output;
};

}  // namespace opalign::sched
