// SPDX-License-Identifier: Apache-2.0
#include <opalign/base/fd.hpp>

#include <unistd.h>

namespace opalign {

void Fd::reset(int fd) {
  if (m_fd >= 0)
    ::close(m_fd);
  m_fd = fd;
}

}  // namespace opalign
