// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A channel was closed: nothing more can be sent, or nothing is left to receive. The cause is what
/// it was closed with, if anything.
///
/// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=closed}
///
/// @since 0.1
public final class ChannelClosedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Reason reason;

  /// Why a channel was closed. The first reason stays.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=closed}
  ///
  /// @since 0.1
  public enum Reason {
    /// By `close()`.
    CLOSED,
    /// By `cancel()`, which also removed what was left in it.
    CANCELLED,
    /// The scope that it was bound to has ended.
    SCOPE_ENDED,
    /// The loop that it belonged to has ended.
    LOOP_ENDED,
    /// Coroutines waited, and nothing was exchanged for as long as the channel was given, or no
    /// coroutine of the loop could run.
    DEADLOCK,
  }

  /// With what happened, and what led to it.
  ///
  /// @param cause what the channel was closed with, or null
  public ChannelClosedException(String message, Reason reason, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /// Why the channel was closed.
  public Reason reason() {
    return reason;
  }
}
