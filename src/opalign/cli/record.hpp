// SPDX-License-Identifier: Apache-2.0
// What the scheduler finished, as a record of run.db.
#pragma once

#include <opalign/sched/scheduler.hpp>
#include <opalign/store/store.hpp>

namespace opalign::cli {

[[nodiscard]] store::Record make_record(const sched::Finished& finished);

}  // namespace opalign::cli
