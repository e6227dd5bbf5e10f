// SPDX-License-Identifier: Apache-2.0
// Arena: the memory in which inputs travel, shared by all workers of a run. It hands out regions;
// it does not know what is in them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include <opalign/worker/mapping.hpp>

namespace opalign::worker {

class Arena {
 public:
  static constexpr std::size_t k_header = 4096;  ///< bytes that no region covers
  /// Memory below this offset is kept when its region is freed, all above goes back to the system.
  /// First fit takes the low offsets first, so that most cases find pages which are there and
  /// mapped everywhere: the faults of fresh ones were a third of the CPU time of large cases.
  static constexpr std::size_t k_keep = std::size_t{128} << 20;

  /// `capacity` bytes of address space; memory is taken as regions are written.
  static Expected<Arena> create(std::size_t capacity);

  /// Offset of a free region of at least `bytes`, a multiple of the page size; nothing if there is
  /// no room now. First fit.
  [[nodiscard]] std::optional<std::size_t> allocate(std::size_t bytes);
  void free(std::size_t offset);

  [[nodiscard]] std::span<std::byte> region(std::size_t offset) const;
  /// The part of a region that is not kept, which may be empty.
  [[nodiscard]] std::span<std::byte> not_kept(std::size_t offset) const;
  [[nodiscard]] int worker_fd() const { return m_read_only.get(); }

 private:
  Fd m_fd;
  Fd m_read_only;
  Mapping m_map;
  std::map<std::size_t, std::size_t> m_used;  ///< offset to size
};

}  // namespace opalign::worker
