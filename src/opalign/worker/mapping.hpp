// SPDX-License-Identifier: Apache-2.0
// Memory shared with workers: memfds and their maps. No allocation policy, see arena.hpp.
#pragma once

#include <cstddef>
#include <span>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>

namespace opalign::worker {

inline constexpr std::size_t k_page = 4096;  ///< bytes; maps begin at multiples of it

/// A shared map of a memfd, unmapped once.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Maps the first `bytes` of `fd`.
  static Expected<Mapping> map(int fd, std::size_t bytes, bool writable);

  [[nodiscard]] std::span<std::byte> bytes() const { return {m_data, m_size}; }
  [[nodiscard]] std::size_t size() const { return m_size; }

 private:
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

/// Takes the pages of `part`, which begins with one or is empty, out of this process; they stay in
/// the memfd and come back when they are used.
void set_aside(std::span<std::byte> part);

/// A new memfd of `bytes` bytes (sparse until touched) that can no longer shrink or grow.
Expected<Fd> make_memfd(const char* name, std::size_t bytes);
/// A second descriptor of the same memory that cannot be written or mapped writable and shared:
/// that keeps writes by mistake out, not whoever opens the memory anew through /proc.
Expected<Fd> reopen_read_only(const Fd& fd);

}  // namespace opalign::worker
