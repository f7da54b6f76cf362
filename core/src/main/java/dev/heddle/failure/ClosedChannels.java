// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import org.jspecify.annotations.Nullable;

/// What the operations of a closed channel throw.
public final class ClosedChannels {
  private ClosedChannels() {}

  /// The exception of an operation.
  ///
  /// @param channel its kind, name and capacity
  /// @param by the coroutine or thread that has closed it; null: not known
  /// @param rest what follows from that, and what the caller is to do, with the punctuation before
  public static ChannelClosedException exception(
      String channel, Reason reason, @Nullable String by, @Nullable Throwable cause, String rest) {
    String closer = by == null ? "" : " by " + by;
    String how =
        switch (reason) {
          case CLOSED -> "closed" + closer;
          case CANCELLED -> "cancelled" + closer;
          case SCOPE_ENDED -> "closed at the end of its scope";
          case LOOP_ENDED -> "closed at the end of its loop";
          case DEADLOCK -> "closed, because coroutines waited for it in vain";
        };
    return new ChannelClosedException(channel + " was " + how + rest, reason, cause);
  }
}
