// SPDX-License-Identifier: Apache-2.0
#include <opalign/store/lock.hpp>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace opalign::store {
namespace {

/// Who wrote its number into the lock file; empty if nobody did.
std::string holder_of(int fd) {
  char buffer[32];
  ssize_t n = ::pread(fd, buffer, sizeof buffer, 0);
  return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : std::string();
}

}  // namespace

Expected<Fd> lock_directory(const std::string& directory) {
  std::string path = directory + "/run.lock";
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file)
    return fail(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)),
                "choose a folder that you may write to");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return fail(fmt::format("{}: cannot be locked: {}", path, std::strerror(errno)));
    return fail(fmt::format("{}: another opalign (process {}) is writing to this run", directory,
                            holder_of(file.get())),
                "wait for it to end, or choose another folder");
  }
  // The number only serves the message above: a full disk may leave it out.
  std::string number = std::to_string(::getpid());
  if (::ftruncate(file.get(), 0) == 0) [[maybe_unused]]
    ssize_t n = ::pwrite(file.get(), number.data(), number.size(), 0);
  return file;
}

}  // namespace opalign::store
