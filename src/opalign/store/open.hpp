// SPDX-License-Identifier: Apache-2.0
// Opening run.db: what it must be before anyone reads or appends. It reads no record.
#pragma once

#include <string>

#include <opalign/base/expected.hpp>
#include <opalign/store/database.hpp>

namespace opalign::store {

/// A new run.db with its tables; an error if there is one. One whose creation was cut short counts
/// as none.
Expected<Database> create_database(const std::string& path);

/// An existing one of a version that this program knows. A reader needs no write access to the
/// folder where nobody writes the run.
Expected<Database> open_database(const std::string& path, Database::Mode mode);

}  // namespace opalign::store
