// SPDX-License-Identifier: Apache-2.0
// Reading: lines and blocks out of a plain or compressed file.
#include <opalign/case/suite.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <opalign/case/characters.hpp>
#include <opalign/case/parser.hpp>

namespace opalign::cases {
namespace {

constexpr unsigned k_buffer = 1 << 17;

std::string_view trim(std::string_view line) {
  while (!line.empty() && is_blank(line.front()))
    line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back()))
    line.remove_suffix(1);
  return line;
}

/// `name = …`: the first line of a statement case.
bool starts_block(std::string_view line) {
  std::size_t at = 0;
  if (line.empty() || !is_word_start(line.front()))
    return false;
  while (at < line.size() && is_word(line[at]))
    ++at;
  while (at < line.size() && is_blank(line[at]))
    ++at;
  return at < line.size() && line[at] == '=';
}

/// Lines of a file that may be compressed; zlib hands plain files through.
class LineReader {
 public:
  explicit LineReader(gzFile file) : m_file(file) { gzbuffer(m_file, k_buffer); }
  ~LineReader() { gzclose(m_file); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end, or false at the end of the file or after an error. Of a line
  /// that no case can have only so much is kept that parsing refuses it: a small file may inflate
  /// to any size.
  bool next(std::string& line) {
    line.clear();
    for (bool any = false;; any = true) {
      if (m_at == m_end && !fill())
        return any;
      const char* start = m_buffer.data() + m_at;
      const void* newline = std::memchr(start, '\n', m_end - m_at);
      const std::size_t size =
          newline == nullptr ? m_end - m_at
                             : static_cast<std::size_t>(static_cast<const char*>(newline) - start);
      line.append(start, std::min(size, k_max_text + 1 - std::min(line.size(), k_max_text + 1)));
      m_at += size + (newline == nullptr ? 0 : 1);
      if (newline != nullptr)
        return true;
    }
  }

  /// What went wrong, in zlib's or the system's words; nothing if all was read.
  [[nodiscard]] std::optional<std::string> error() const {
    int code = Z_OK;
    const std::string_view message = gzerror(m_file, &code);
    if (code == Z_ERRNO)
      return std::strerror(errno);
    if (code == Z_OK || code == Z_STREAM_END)
      return std::nullopt;
    // zlib puts the file's name before it; a file that stops short ends like a whole one, but for
    // this.
    const std::size_t name_end = message.rfind(": ");
    return std::string(name_end == std::string_view::npos ? message : message.substr(name_end + 2));
  }

 private:
  bool fill() {
    const int read = gzread(m_file, m_buffer.data(), static_cast<unsigned>(m_buffer.size()));
    m_at = 0;
    m_end = read > 0 ? static_cast<std::size_t>(read) : 0;
    return read > 0;
  }

  gzFile m_file;
  std::vector<char> m_buffer = std::vector<char>(k_buffer);
  std::size_t m_at = 0;
  std::size_t m_end = 0;
};

}  // namespace

Expected<void> read_suite(const std::string& file, const std::function<bool(SuiteCase)>& take) {
  const bool is_stdin = file == "-";
  const std::string shown = is_stdin ? "<stdin>" : file;
  const gzFile opened = is_stdin ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(file.c_str(), "rb");
  if (opened == nullptr)
    return fail(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  LineReader reader(opened);
  std::string block;  // the statement case being read, empty outside of one
  int block_line = 0;
  std::string line;
  for (int number = 1; reader.next(line); ++number) {
    std::string_view text = line;
    if (number == 1 && text.starts_with("\xEF\xBB\xBF"))
      text.remove_prefix(3);
    if (text.ends_with('\r'))
      text.remove_suffix(1);
    const std::string_view trimmed = trim(text);
    if (!block.empty() && !trimmed.empty()) {
      if (block.size() <= k_max_text)
        block.append("\n").append(text);
      continue;
    }
    if (!block.empty() && !take({std::exchange(block, {}), shown, block_line}))
      return {};
    if (trimmed.empty() || trimmed.front() == '#')
      continue;
    if (starts_block(trimmed)) {
      block = text;
      block_line = number;
    } else if (!take({std::string(text), shown, number})) {
      return {};
    }
  }
  if (!block.empty() && !take({std::move(block), shown, block_line}))
    return {};
  if (const std::optional<std::string> error = reader.error())
    return fail(fmt::format("{}: cannot be read further: {}", shown, *error));
  return {};
}

}  // namespace opalign::cases
