// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/arena.hpp>

#include <algorithm>

#include <fcntl.h>

namespace opalign::worker {
namespace {

std::size_t round_up(std::size_t bytes) { return (bytes + k_page - 1) / k_page * k_page; }

}  // namespace

Expected<Arena> Arena::create(std::size_t capacity) {
  Arena arena;
  const std::size_t bytes = k_header + round_up(capacity);
  TRY_ASSIGN(arena.m_fd, make_memfd("opalign-arena", bytes));
  TRY_ASSIGN(arena.m_read_only, reopen_read_only(arena.m_fd));
  TRY_ASSIGN(arena.m_map, Mapping::map(arena.m_fd.get(), bytes, true));
  return arena;
}

std::optional<std::size_t> Arena::allocate(std::size_t bytes) {
  const std::size_t size = std::max(round_up(bytes), k_page);
  std::size_t begin = k_header;
  for (const auto& [offset, used] : m_used) {
    if (offset - begin >= size)
      break;
    begin = offset + used;
  }
  if (m_map.size() - begin < size)
    return std::nullopt;
  m_used.emplace(begin, size);
  return begin;
}

void Arena::free(std::size_t offset) {
  if (const std::span<std::byte> part = not_kept(offset); !part.empty())
    ::fallocate(m_fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                part.data() - m_map.bytes().data(), static_cast<off_t>(part.size()));
  m_used.erase(offset);
}

std::span<std::byte> Arena::region(std::size_t offset) const {
  return m_map.bytes().subspan(offset, m_used.at(offset));
}

std::span<std::byte> Arena::not_kept(std::size_t offset) const {
  const std::span<std::byte> all = region(offset);
  return all.subspan(offset < k_keep ? std::min(k_keep - offset, all.size()) : 0);
}

}  // namespace opalign::worker
