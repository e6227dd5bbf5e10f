// SPDX-License-Identifier: Apache-2.0
#include <opalign/case/line_reader.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <opalign/case/parser.hpp>

namespace opalign::cases {
namespace {

constexpr unsigned k_buffer = 1 << 17;
/// Whoever sends so much without a line end will not send one.
constexpr std::uint64_t k_hopeless_line = std::uint64_t{256} << 20;
constexpr std::string_view k_gzip_magic = "\x1f\x8b";

}  // namespace

void LineReader::Close::operator()(gzFile_s* file) const { gzclose(file); }

Expected<LineReader> LineReader::open(const std::string& file, std::string shown) {
  Fd fd(file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                    : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return fail(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  LineReader reader;
  reader.m_shown = std::move(shown);
  reader.m_buffer.resize(k_buffer);
  if (!S_ISREG(info.st_mode)) {
    reader.m_pipe = std::move(fd);
    return reader;
  }
  reader.m_file.reset(gzdopen(fd.get(), "rb"));
  if (!reader.m_file)
    return fail(fmt::format("{}: cannot be read: out of memory", reader.m_shown));
  fd.release();
  gzbuffer(reader.m_file.get(), k_buffer);
  return reader;
}

void LineReader::wait() const {
  pollfd entry{m_pipe.get(), POLLIN, 0};
  if (m_pipe)
    ::poll(&entry, 1, -1);
}

Expected<Offer<std::string>> LineReader::next() {
  while (true) {
    if (m_at == m_end) {
      TRY_ASSIGN(const Filled filled, fill());
      if (filled == Filled::nothing_yet)
        return Offer<std::string>{};
      if (filled == Filled::end && m_line_bytes == 0)
        return Offer<std::string>{std::nullopt, true};
      if (filled == Filled::end) {
        m_line_bytes = 0;
        return Offer<std::string>{std::exchange(m_line, {})};
      }
    }
    const char* start = m_buffer.data() + m_at;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', m_end - m_at));
    const std::size_t size = newline == nullptr ? m_end - m_at : std::size_t(newline - start);
    m_line.append(start, std::min(size, k_max_text + 1 - std::min(m_line.size(), k_max_text + 1)));
    m_at += size + (newline == nullptr ? 0 : 1);
    m_line_bytes += size;
    if (newline != nullptr) {
      ++m_lines;
      m_line_bytes = 0;
      return Offer<std::string>{std::exchange(m_line, {})};
    }
    if (m_line_bytes > k_hopeless_line)
      return fail(fmt::format("{}:{}: a line of more than {} MiB", m_shown, m_lines + 1,
                              k_hopeless_line >> 20),
                  "a suite is text, one case a line");
  }
}

Expected<LineReader::Filled> LineReader::fill() {
  m_at = m_end = 0;
  return m_file ? fill_from_file() : fill_from_pipe();
}

Expected<LineReader::Filled> LineReader::fill_from_pipe() {
  pollfd entry{m_pipe.get(), POLLIN, 0};
  if (::poll(&entry, 1, 0) <= 0)
    return Filled::nothing_yet;
  const ssize_t got = ::read(m_pipe.get(), m_buffer.data(), m_buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return Filled::nothing_yet;
  if (got < 0)
    return fail(fmt::format("{}: cannot be read further: {}", m_shown, std::strerror(errno)));
  m_end = static_cast<std::size_t>(got);
  if (std::exchange(m_first, false) &&
      std::string_view(m_buffer.data(), m_end).starts_with(k_gzip_magic))
    return fail(fmt::format("{}: compressed, and no file", m_shown),
                "zcat FILE | opalign … -, or name the file");
  return got == 0 ? Filled::end : Filled::some;
}

Expected<LineReader::Filled> LineReader::fill_from_file() {
  const int got = gzread(m_file.get(), m_buffer.data(), k_buffer);
  if (got > 0) {
    m_end = static_cast<std::size_t>(got);
    return Filled::some;
  }
  int code = Z_OK;
  const std::string_view message = gzerror(m_file.get(), &code);
  // A file that stops short ends like a whole one, but for this.
  if (code == Z_OK || code == Z_STREAM_END)
    return Filled::end;
  const std::size_t name_end = message.rfind(": ");  // zlib puts its name for the file first
  return fail(fmt::format("{}: cannot be read further: {}", m_shown,
                          code == Z_ERRNO                      ? std::strerror(errno)
                          : name_end == std::string_view::npos ? message
                                                               : message.substr(name_end + 2)));
}

}  // namespace opalign::cases
