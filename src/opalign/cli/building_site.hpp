// SPDX-License-Identifier: Apache-2.0
// BuildingSite: the folder of an environment while it is being made. Unless `finish` is called it
// is removed with the object.
#pragma once

#include <optional>
#include <string>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>

namespace opalign::cli {

class BuildingSite {
 public:
  /// Nothing if a whole environment is there. Clears what an installation that was killed left; an
  /// error if one is at work in it.
  static Expected<std::optional<BuildingSite>> open(const std::string& name);
  BuildingSite(BuildingSite&&) noexcept = default;
  BuildingSite& operator=(BuildingSite&&) = delete;
  ~BuildingSite();

  [[nodiscard]] const std::string& directory() const { return m_directory; }
  /// Writes env.json and declares the environment whole.
  Expected<void> finish(const std::string& description);

 private:
  BuildingSite(std::string directory, Fd lock);
  std::string m_directory;
  Fd m_lock;  ///< on the file that marks the environment as incomplete
};

}  // namespace opalign::cli
