// SPDX-License-Identifier: Apache-2.0
// LineReader: the lines of a file, a compressed file or a pipe, as far as they have come. It does
// not know what a case is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <opalign/base/expected.hpp>
#include <opalign/base/fd.hpp>
#include <opalign/base/offer.hpp>

struct gzFile_s;  // zlib's

namespace opalign::cases {

class LineReader {
 public:
  LineReader() = default;  ///< has no line
  /// "-" is standard input. Messages name the file `shown`.
  static Expected<LineReader> open(const std::string& file, std::string shown);

  /// The next line without its end. Of a line that no case can have only so much is kept that
  /// parsing refuses it: a small file may inflate to any size.
  Expected<Offer<std::string>> next();
  /// Blocks until there is more to read.
  void wait() const;

 private:
  enum class Filled { some, nothing_yet, end };
  Expected<Filled> fill();
  Expected<Filled> fill_from_pipe();
  Expected<Filled> fill_from_file();

  struct Close {
    void operator()(gzFile_s* file) const;
  };
  std::string m_shown;
  std::unique_ptr<gzFile_s, Close> m_file;  ///< a regular file; zlib hands plain ones through
  Fd m_pipe;                                ///< anything else
  std::vector<char> m_buffer;
  std::size_t m_at = 0;
  std::size_t m_end = 0;
  std::string m_line;
  std::uint64_t m_line_bytes = 0;  ///< of the line being read, those that were not kept too
  std::uint64_t m_lines = 0;
  bool m_first = true;  ///< nothing has been read yet
};

}  // namespace opalign::cases
