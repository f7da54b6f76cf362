// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Waits for space in a mailbox on behalf of another node.
///
/// It checks the mailbox by a timer: after a millisecond, then after twice the time before, at most
/// 64 ms. So a mailbox that nobody waits for pays nothing, and one that is full for hours costs 16
/// checks a second. The alternative, a receiver that reports each space it makes, costs each take
/// of each process a fence and a read.
public final class RoomWait extends Timer {
  private static final long FIRST_MILLIS = 1;
  private static final long LONGEST_MILLIS = 64;

  private final Timers timers;
  private final BooleanSupplier isOver;
  private final CompletableFuture<@Nullable Void> room = new CompletableFuture<>();

  // the timer thread
  private long millis = FIRST_MILLIS;

  /// @param isOver whether there is space, or will never be
  public RoomWait(Timers timers, BooleanSupplier isOver) {
    this.timers = timers;
    this.isOver = isOver;
  }

  /// Begins the wait.
  ///
  /// @return completes when the wait is over, or the runtime has shut down; to cancel it gives up
  public CompletableFuture<@Nullable Void> begin() {
    fire();
    return room;
  }

  @Override
  protected void fire() {
    if (room.isDone()) {
      return;
    }
    if (isOver.getAsBoolean()) {
      room.complete(null);
      return;
    }
    try {
      timers.arm(this, timers.deadline(Duration.ofMillis(millis)));
    } catch (IllegalStateException _) { // safe: the runtime has shut down, there will be no space
      room.complete(null);
      return;
    }
    millis = Math.min(2 * millis, LONGEST_MILLIS);
  }
}
