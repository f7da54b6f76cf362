// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Pid;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A message that no process will handle, as an event of the [EventBus]: for logs and tests.
///
/// The runtime publishes it only while a process subscribes to it. A dead letter never causes
/// another one:
///
/// - There are no dead letters of dead letters. One that a subscriber refuses, drops, leaves unread
///   at its end or does not handle is not published again, even if it was sent on as a message or
///   by an `ask`. [EventBus#dropped] counts those that a mailbox has refused.
/// - A message that a mailbox drops to make room for a dead letter is no dead letter either:
///   otherwise the first dead letter would empty that mailbox. It counts as undelivered.
///
/// Any other event that a mailbox accepts and its process does not handle is a dead letter, as a
/// message would be.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=events}
///
/// @param message that was sent; of an `ask` the [Request]
/// @param to the receiver; null for a name that no process has
/// @param name to which it was sent, when the runtime found no process by it; else null
/// @param from the process that has sent it, if the send was refused in its step or body; else null
/// @param reason why it is dead
/// @since 0.1
public record DeadLetter(
    @Nullable Object message,
    @Nullable Pid to,
    @Nullable String name,
    @Nullable Pid from,
    Reason reason) {
  /// Why a message is dead.
  public enum Reason {
    /// No process has the address or the name, or the runtime has shut down.
    NOT_FOUND,
    /// The runtime has no route to its node or host.
    UNREACHABLE,
    /// The mailbox was full, and refused or dropped it.
    FULL,
    /// The mailbox was full and dropped it, as its oldest message, for a later one.
    DISPLACED,
    /// The mailbox accepted it, and the process ended before it had handled it.
    RECEIVER_ENDED,
    /// It was delivered to the process, which has no code for it.
    UNHANDLED;

    /// The reason for a message whose send has returned `result`.
    ///
    /// @throws IllegalArgumentException when it was accepted
    public static Reason of(SendResult result) {
      return switch (result) {
        case FULL, DROPPED -> FULL;
        case NOT_FOUND, CLOSED -> NOT_FOUND;
        case UNREACHABLE, NOT_SENDABLE -> UNREACHABLE;
        case ACCEPTED ->
            throw new IllegalArgumentException("a message that was accepted is not dead");
      };
    }
  }

  /// Checks the values.
  public DeadLetter {
    Objects.requireNonNull(reason, "why");
  }

  /// Whether a message is a dead letter, or a request whose message is one.
  public static boolean isCarriedBy(@Nullable Object message) {
    Object sent = message instanceof Request request ? request.message() : message;
    return sent instanceof DeadLetter;
  }
}
