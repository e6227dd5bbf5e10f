// SPDX-License-Identifier: Apache-2.0
// Lock: one writer a run. The kernel drops it when its holder dies, however that happens; the file
// that it stands on stays.
#pragma once

#include <string>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>

namespace opalign::store {

/// Takes the lock of `directory` for as long as the Fd lives; an error if another writer has it.
Expected<Fd> lock_directory(const std::string& directory);

}  // namespace opalign::store
