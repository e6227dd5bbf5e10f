// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/mapping.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace opalign::worker {
namespace {

tl::unexpected<Error> system_error(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(m_data, other.m_data);
  std::swap(m_size, other.m_size);
  return *this;
}

Mapping::~Mapping() {
  if (m_data != nullptr)
    ::munmap(m_data, m_size);
}

Expected<Mapping> Mapping::map(int fd, std::size_t bytes, bool writable) {
  Mapping mapping;
  if (bytes == 0)
    return mapping;
  void* data =
      ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED)
    return system_error("cannot map shared memory");
  mapping.m_data = static_cast<std::byte*>(data);
  mapping.m_size = bytes;
  return mapping;
}

void set_aside(std::span<std::byte> part) {
  if (!part.empty())
    ::madvise(part.data(), part.size(), MADV_DONTNEED);
}

Expected<Fd> make_memfd(const char* name, std::size_t bytes) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return system_error("cannot make shared memory");
  return fd;
}

Expected<Fd> reopen_read_only(const Fd& fd) {
  const std::string path = fmt::format("/proc/self/fd/{}", fd.get());
  Fd copy(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!copy)
    return system_error("cannot reopen shared memory");
  return copy;
}

}  // namespace opalign::worker
