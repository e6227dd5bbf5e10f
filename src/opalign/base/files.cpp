// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/files.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace opalign {
namespace {

tl::unexpected<Error> file_error(std::string_view what, const std::string& path, int code) {
  std::string hint;
  if (code == ENOENT)
    hint = "check the spelling of the path";
  else if (code == EACCES || code == EROFS)
    hint = "choose a place that you may use";
  else if (code == ENOSPC || code == EDQUOT)
    hint = "free some space on that disk, or choose another one";
  return fail(fmt::format("{}: {}: {}", path, what, std::strerror(code)), hint);
}

int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

void sync_directory_of(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  int fd = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Expected<std::string> read_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return file_error("cannot be opened", path, errno);
  std::string content;
  char buffer[65536];
  while (true) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      int code = errno;
      ::close(fd);
      return file_error("cannot be read", path, code);
    }
    if (n == 0)
      break;
    content.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return content;
}

Replacement replacement_for(const std::string& path) {
  static std::atomic<int> number = 0;
  std::error_code none;
  std::string final = std::filesystem::is_symlink(path, none)
                          ? std::filesystem::weakly_canonical(path, none).string()
                          : path;
  if (none)
    final = path;
  const bool special =
      std::filesystem::exists(final, none) && !std::filesystem::is_regular_file(final, none);
  std::string temporary =
      special ? final : fmt::format("{}.{}.{}.tmp", final, ::getpid(), number++);
  return {std::move(final), std::move(temporary)};
}

Expected<void> write_file_atomically(const std::string& path, std::string_view content) {
  const auto [final, temporary] = replacement_for(path);
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return file_error("cannot be written", path, errno);
  int code = write_all(fd, content);
  if (temporary == final) {
    ::close(fd);
    return code == 0 ? Expected<void>() : file_error("cannot be written", path, code);
  }
  if (code == 0 && ::fsync(fd) != 0)
    code = errno;
  if (::close(fd) != 0 && code == 0)
    code = errno;
  if (code == 0 && ::rename(temporary.c_str(), final.c_str()) != 0)
    code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return file_error("cannot be written", path, code);
  }
  sync_directory_of(final);
  return {};
}

Expected<void> make_directories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code)
    return file_error("the folder cannot be created", path, code.value());
  if (!std::filesystem::is_directory(path, code))
    return file_error("the folder cannot be created", path, ENOTDIR);
  return {};
}

}  // namespace opalign
