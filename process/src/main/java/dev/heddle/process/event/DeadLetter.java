// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A message that no process will handle, as an event of the [EventStream]: for logs and tests.
///
/// Published only while a process subscribes to it. A dead letter that cannot be delivered to a
/// subscriber is dropped and counted; there are no dead letters of events.
///
/// @param message that was sent; of an `ask` the [dev.heddle.process.Request]
/// @param to whom it was sent; null for a name that no process has
/// @param name to which it was sent, when that was no PID
/// @param from the process whose step has sent it, where the runtime knows it
/// @param why it is dead
/// @since 0.1
public record DeadLetter(
    @Nullable Object message,
    @Nullable Pid to,
    @Nullable String name,
    @Nullable Pid from,
    Why why) {
  /// Why a message is dead.
  public enum Why {
    /// Nobody has the address or the name, or the runtime has shut down.
    NOT_FOUND,
    /// No way leads to its node or host.
    UNREACHABLE,
    /// The mailbox was full, and refused or dropped it.
    FULL,
    /// The mailbox was full, and it was the oldest one there: it gave way to a later message.
    DISPLACED,
    /// It was accepted, and its process ended before it looked at it.
    LEFT,
    /// Its process does not know what to do with it.
    UNHANDLED;

    /// Why a message is dead of which a send has said `result`.
    ///
    /// @throws IllegalArgumentException when it was accepted
    public static Why of(SendResult result) {
      return switch (result) {
        case FULL, DROPPED -> FULL;
        case NOT_FOUND, CLOSED -> NOT_FOUND;
        case UNREACHABLE -> UNREACHABLE;
        case ACCEPTED ->
            throw new IllegalArgumentException("a message that was accepted is not dead");
      };
    }
  }

  /// Checks the values.
  public DeadLetter {
    Objects.requireNonNull(why, "why");
  }
}
