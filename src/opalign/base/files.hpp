// SPDX-License-Identifier: Apache-2.0
// Files as whole texts: read one, write one so that nobody ever sees half of it. Paths are text as
// the user gave it, so that messages repeat it; suites are read by case/suite.hpp.
#pragma once

#include <string>
#include <string_view>

#include <opalign/base/expected.hpp>

namespace opalign {

Expected<std::string> read_file(const std::string& path);

/// Where to write a whole new content of `path` and move it from: a link stays, and what it points
/// to is replaced. `temporary` is `final` where that is no regular file: a pipe, a terminal.
struct Replacement {
  std::string final;
  std::string temporary;
};
[[nodiscard]] Replacement replacement_for(const std::string& path);

/// Writes a temporary file beside `path`, syncs it and renames it over `path`: a reader sees the
/// old content or the new, even after a power loss. On failure the old file is untouched. What is
/// no regular file is written into.
Expected<void> write_file_atomically(const std::string& path, std::string_view content);

/// Creates a directory and its parents; one that is there already is fine.
Expected<void> make_directories(const std::string& path);

}  // namespace opalign
