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
  return fs::is_directory(root / "python" / "opalign", ignored) ||
         fs::is_directory(root / "catalog", ignored);
}

fs::path installed_root() {
  std::error_code code;
  fs::path executable = fs::read_symlink("/proc/self/exe", code);
  return code ? fs::path() : executable.parent_path().parent_path() / "share" / "opalign";
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
  for (const fs::path& root : {installed_root(), fs::path(OPALIGN_SOURCE_DIR)})
    if (holds_resources(root))
      return root.string();
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
