// SPDX-License-Identifier: Apache-2.0
// Offer: what a source gives that may have to wait for more, as one does that reads a pipe.
#pragma once

#include <optional>

namespace opalign {

/// An item; or none yet; or none any more.
template <class T>
struct Offer {
  std::optional<T> item;
  bool ended = false;
};

}  // namespace opalign
