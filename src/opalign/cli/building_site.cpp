// SPDX-License-Identifier: Apache-2.0
#include <opalign/cli/building_site.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <opalign/base/environment.hpp>
#include <opalign/base/files.hpp>

namespace opalign::cli {
namespace {

namespace fs = std::filesystem;

std::string marker_of(const std::string& directory) {
  return directory + "/" + std::string(k_incomplete_marker);
}

/// All but the marker, which is locked.
void clear(const std::string& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().filename() != k_incomplete_marker)
      fs::remove_all(entry.path(), ignored);
}

}  // namespace

BuildingSite::BuildingSite(std::string directory, Fd lock)
    : m_directory(std::move(directory)), m_lock(std::move(lock)) {}

Expected<std::optional<BuildingSite>> BuildingSite::open(const std::string& name) {
  const std::string directory = environments_directory() + "/" + name;
  if (read_environment(directory))
    return std::optional<BuildingSite>();
  TRY(make_directories(directory));
  // Inherited by pip and what it starts: if opalign is killed they hold the lock until they end.
  Fd lock(::open(marker_of(directory).c_str(), O_RDWR | O_CREAT, 0666));
  if (!lock)
    return fail(fmt::format("{}: cannot be written: {}", directory, std::strerror(errno)),
                "set OPALIGN_HOME to a folder that you may write to");
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(fmt::format("{}: another opalign is making this environment", name),
                "wait for it to end");
  clear(directory);
  return std::optional<BuildingSite>(BuildingSite(directory, std::move(lock)));
}

BuildingSite::~BuildingSite() {
  if (!m_lock)
    return;
  clear(m_directory);
  std::error_code ignored;
  fs::remove_all(m_directory, ignored);
}

Expected<void> BuildingSite::finish(const std::string& description) {
  TRY(write_file_atomically(m_directory + "/" + std::string(k_environment_file), description));
  std::error_code code;
  fs::remove(marker_of(m_directory), code);
  if (code)
    return fail(fmt::format("{}: cannot be removed: {}", marker_of(m_directory), code.message()));
  m_lock.reset();
  return {};
}

}  // namespace opalign::cli
