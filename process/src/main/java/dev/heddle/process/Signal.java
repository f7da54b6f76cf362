// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Instant;

/// What the runtime itself sends to a process, as the data of a message event. Signals come before
/// all messages and have no bound.
///
/// @since 0.1
public sealed interface Signal {
  /// Somebody asks the process to end in an orderly way; only for processes that trap exits, the
  /// others are ended.
  ///
  /// @param reason in words
  /// @param deadline after which it is ended without being asked
  record Cancel(String reason, Instant deadline) implements Signal {}

  /// A process that this one monitors has ended.
  ///
  /// @param monitor what `monitor` has returned
  /// @param exit how it ended
  record Down(long monitor, Exit exit) implements Signal {}

  /// A process to which this one is linked has ended; only for processes that trap exits, the
  /// others end with it.
  ///
  /// @param exit how it ended
  record LinkDown(Exit exit) implements Signal {}
}
