// SPDX-License-Identifier: Apache-2.0
// Resources: where the files lie that opalign ships beside its executable (python/, catalog/,
// suites/), and its version. Environments are not resources: see environment.hpp.
#pragma once

#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>

namespace opalign {

/// "0.1.0"
[[nodiscard]] std::string_view version();

/// The folder that holds python/, catalog/ and suites/: $OPALIGN_RESOURCES if set, else
/// <folder of the executable>/../share/opalign, else the nearest folder above the executable that
/// holds them: the source tree that it was built in.
Expected<std::string> resource_root();

/// `<root>/<relative>`; an error where it does not exist.
Expected<std::string> resource(std::string_view relative);

}  // namespace opalign
