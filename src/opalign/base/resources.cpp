// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/resources.hpp>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace opalign {
namespace {

namespace fs = std::filesystem;

bool holds_resources(const fs::path& root) {
  std::error_code ignored;
  return fs::is_directory(root / "python" / "opalign", ignored) &&
         fs::is_directory(root / "catalog", ignored);
}

/// The folder of the executable; empty where /proc does not say.
fs::path executable_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::string_view version() { return OPALIGN_VERSION; }

Expected<std::string> resource_root() {
  if (const char* chosen = std::getenv("OPALIGN_RESOURCES"); chosen != nullptr && *chosen != '\0') {
    if (!holds_resources(chosen))
      return fail(
          fmt::format("OPALIGN_RESOURCES={}: expected a folder with python/ and catalog/", chosen),
          "unset OPALIGN_RESOURCES to use the files that came with opalign");
    return std::string(chosen);
  }
  const fs::path folder = executable_folder();
  if (fs::path installed = folder.parent_path() / "share" / "opalign"; holds_resources(installed))
    return installed.string();
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (holds_resources(above))
      return above.string();
  return fail("the files that belong to opalign (python/, catalog/) are not beside the executable",
              "set OPALIGN_RESOURCES to the folder that holds them");
}

Expected<std::string> resource(std::string_view relative) {
  TRY_ASSIGN(std::string root, resource_root());
  fs::path path = fs::path(root) / relative;
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return fail(fmt::format("{}: not found", path.string()),
                "the installation is incomplete: install opalign again");
  return path.string();
}

}  // namespace opalign
