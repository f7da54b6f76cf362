// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.ProcessCommand;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Commands about time: each of them that waits is a timer.
public final class TimeCommands {
  public record Sleep(Duration time) implements ProcessCommand<@Nullable Void> {}

  public record StopTimer(long tag) implements ProcessCommand<Boolean> {}

  public record ResetTimer(long tag, Duration time) implements ProcessCommand<Boolean> {}

  /// A [Sleep] of supervisors and pools: its own class, so that a test can register a handler for
  /// it that completes at once.
  public record Pause(Duration time) implements ProcessCommand<@Nullable Object> {}

  public record Tick(Duration period) implements ProcessCommand<Long> {}

  private final Timers timers;

  TimeCommands(Timers timers) {
    this.timers = timers;
  }

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  void register(CommandRegistry registry) {
    registry.inline(Sleep.class, (c, i) -> complete(timers, i, c.time(), null));
    if (!registry.has(Pause.class)) {
      registry.inline(Pause.class, (c, i) -> complete(timers, i, c.time(), null));
    }
    registry.inline(
        Tick.class,
        (c, i) -> {
          long period = c.period().toNanos();
          long next = timers.now() / period + 1;
          new CommandTimer<>(timers, i, next).arm(next * period);
        });
    registry.inline(
        StopTimer.class,
        (c, i) -> {
          PendingCommand<?> timer = timer(i, c.tag());
          i.complete(timer != null && timer.cancel("the timer was stopped"));
        });
    registry.inline(
        ResetTimer.class,
        (c, i) -> {
          PendingCommand<?> timer = timer(i, c.tag());
          i.complete(
              timer != null && timer.action() instanceof CommandTimer<?> t && t.rearm(c.time()));
        });
  }

  /// Completes a command when a time has passed, unless it is cancelled before.
  static <R extends @Nullable Object> void complete(
      Timers timers, PendingCommand<R> pending, Duration after, R result) {
    if (after.isPositive()) {
      new CommandTimer<>(timers, pending, result).arm(timers.deadline(after));
    } else {
      pending.complete(result);
    }
  }

  /// The timer of a tag, or null when it has fired or never existed.
  ///
  /// @throws IllegalArgumentException when the tag belongs to something else
  private static @Nullable PendingCommand<?> timer(PendingCommand<?> by, long tag) {
    PendingCommand<?> found = by.issuer().invocation(tag);
    if (found == null || !found.isOpen()) {
      return null;
    }
    if (found != by && (found.action() instanceof CommandTimer<?> || !found.isOpen())) {
      return found;
    }
    throw new IllegalArgumentException(
        "the command with the tag " + tag + " is not a timer; yield sleep() with it first");
  }

  /// A command that waits for a time only. Its process arms it, moves it and disarms it within its
  /// steps; it is found through its command, as the action of the cancellation.
  private static final class CommandTimer<R extends @Nullable Object> extends Timer
      implements Runnable {
    private final Timers timers;
    private final PendingCommand<R> pending;
    private final R result;

    CommandTimer(Timers timers, PendingCommand<R> pending, R result) {
      this.timers = timers;
      this.pending = pending;
      this.result = result;
    }

    void arm(long deadline) {
      timers.arm(this, deadline);
      pending.onCancel(this);
    }

    boolean rearm(Duration time) {
      return timers.rearm(this, timers.deadline(time));
    }

    @Override
    protected void fire() {
      pending.complete(result);
    }

    /// The command no longer waits for it.
    @Override
    public void run() {
      timers.disarm(this);
    }
  }
}
