// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Instant;

/// What the runtime itself sends to a process, as the data of a message event. Signals do not count
/// to the bound of the mailbox, and none is dropped.
///
/// @since 0.1
public sealed interface Signal {
  /// Somebody asks the process to end in an orderly way; only for processes that trap exits, the
  /// others are ended. **Order** before all messages.
  ///
  /// @param reason in words
  /// @param deadline after which it is ended without being asked
  record Cancel(String reason, Instant deadline) implements Signal {}

  /// A process that this one monitors has ended. **Order** behind all messages and answers that it
  /// has sent to this one.
  ///
  /// @param monitor what `monitor` has returned
  /// @param exit how it ended
  record Down(long monitor, Exit exit) implements Signal {}

  /// A process to which this one is linked has ended; only for processes that trap exits, the
  /// others end with it. **Order** behind all messages and answers that it has sent to this one.
  ///
  /// @param exit how it ended
  record LinkDown(Exit exit) implements Signal {}
}
