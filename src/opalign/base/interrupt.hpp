// SPDX-License-Identifier: Apache-2.0
// Interrupt: SIGINT and SIGTERM as a question ("please end in order") that poll loops and long
// steps can see. It ends nothing itself. The one piece of process-wide state, as signals are.
#pragma once

namespace opalign {

/// From now on the first SIGINT or SIGTERM is only noted; the second one kills as usual.
void catch_interrupts();

/// The signal that was noted, or 0.
[[nodiscard]] int interrupt_signal();

/// Readable once a signal was noted, for poll(2): never read from it. -1 before catch_interrupts.
[[nodiscard]] int interrupt_fd();

}  // namespace opalign
