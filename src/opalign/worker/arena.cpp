// SPDX-License-Identifier: Apache-2.0
#include <opalign/worker/arena.hpp>

#include <algorithm>

#include <fcntl.h>

namespace opalign::worker {
namespace {

constexpr std::size_t k_page = 4096;

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

std::pair<std::size_t, std::size_t> Arena::not_kept(std::size_t offset) const {
  return {std::max(offset, k_keep), offset + m_used.at(offset)};
}

void Arena::free(std::size_t offset) {
  if (const auto [from, end] = not_kept(offset); from < end)
    ::fallocate(m_fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                static_cast<off_t>(end - from));
  m_used.erase(offset);
}

void Arena::set_aside(std::size_t offset) {
  if (const auto [from, end] = not_kept(offset); from < end)
    m_map.set_aside(from, end);
}

std::span<std::byte> Arena::region(std::size_t offset) const {
  return m_map.bytes().subspan(offset, m_used.find(offset)->second);
}

}  // namespace opalign::worker
