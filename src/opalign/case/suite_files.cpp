// SPDX-License-Identifier: Apache-2.0
// Which files a user means: names, folders, globs.
#include <opalign/case/suite.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <glob.h>

#include <opalign/base/suggest.hpp>

namespace opalign::cases {
namespace {

namespace fs = std::filesystem;

bool is_suite(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".txt") || name.ends_with(".case") || name.ends_with(".txt.gz") ||
         name.ends_with(".case.gz");
}

/// The suites below a folder, sorted.
Expected<std::vector<std::string>> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator{}; entry.increment(error)) {
    std::error_code ignored;  // a link to nowhere is told of when it is opened
    if (is_suite(entry->path()) && !entry->is_directory(ignored))
      files.push_back(entry->path().string());
  }
  if (error)
    return fail(fmt::format("{}: cannot be listed: {}", folder, error.message()));
  if (files.empty())
    return fail(fmt::format("{}: no suites in this folder", folder),
                "a suite's name ends in .txt, .case, .txt.gz or .case.gz");
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return paths;
}

/// The name in the same folder that may have been meant.
std::string hint_for(const fs::path& missing) {
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator{};
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return did_you_mean(missing.filename().string(), names);
}

}  // namespace

Expected<std::vector<std::string>> expand_suites(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (argument == "-") {
      files.push_back(argument);
      continue;
    }
    std::error_code ignored;
    // A file whose name holds a glob's characters is that file.
    const bool exists = fs::exists(argument, ignored);
    const std::vector<std::string> paths = exists ? std::vector{argument} : matches(argument);
    if (paths.empty())
      return fail(fmt::format("{}: no such file or folder", argument), hint_for(argument));
    for (const std::string& path : paths) {
      if (!fs::is_directory(path, ignored)) {
        files.push_back(path);
        continue;
      }
      TRY_ASSIGN(const std::vector<std::string> below, files_below(path));
      files.insert(files.end(), below.begin(), below.end());
    }
  }
  return files;
}

}  // namespace opalign::cases
