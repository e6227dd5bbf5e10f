// SPDX-License-Identifier: Apache-2.0
// Memory shared with workers: memfds and their maps. No allocation policy, see arena.hpp.
#pragma once

#include <cstddef>
#include <span>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>

namespace opalign::worker {

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
  /// Takes the pages of [begin, end) out of this process; they stay in the memfd and come back when
  /// they are used. `begin` is a multiple of the page size.
  void set_aside(std::size_t begin, std::size_t end);

 private:
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

/// A new memfd of `bytes` bytes (sparse until touched) that can no longer shrink or grow.
Expected<Fd> make_memfd(const char* name, std::size_t bytes);
/// A second descriptor of the same memory that cannot be written or mapped writable and shared.
Expected<Fd> reopen_read_only(const Fd& fd);

}  // namespace opalign::worker
