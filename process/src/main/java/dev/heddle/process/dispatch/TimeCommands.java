// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Commands about time: each that waits is a timer.
final class TimeCommands {
  record Sleep(Duration time) implements Command<@Nullable Void> {}

  record StopTimer(long tag) implements Command<Boolean> {}

  record ResetTimer(long tag, Duration time) implements Command<Boolean> {}

  record Tick(Duration period) implements Command<Long> {}

  private final Timers timers;

  TimeCommands(Timers timers) {
    this.timers = timers;
  }

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  void register(CommandRegistry registry) {
    registry.register(
        Sleep.class, CommandHandler.inline((c, i) -> complete(timers, i, c.time(), null)));
    registry.register(
        Tick.class,
        CommandHandler.inline((c, i) -> {
          long period = c.period().toNanos();
          long next = timers.now() / period + 1;
          new CommandTimer<>(timers, i, next).arm(next * period);
        }));
    registry.register(
        StopTimer.class,
        CommandHandler.inline((c, i) -> {
          Invocation<?> timer = timer(i, c.tag());
          i.complete(timer != null && timer.cancel("the timer was stopped"));
        }));
    registry.register(
        ResetTimer.class,
        CommandHandler.inline((c, i) -> {
          Invocation<?> timer = timer(i, c.tag());
          i.complete(
              timer != null && timer.action() instanceof CommandTimer<?> t && t.rearm(c.time()));
        }));
  }

  /// Completes a command when a time has passed, unless it is cancelled before.
  static <R extends @Nullable Object> void complete(
      Timers timers, Invocation<R> invocation, Duration after, R result) {
    if (after.isPositive()) {
      new CommandTimer<>(timers, invocation, result).arm(timers.deadline(after));
    } else {
      invocation.complete(result);
    }
  }

  /// The timer of a tag, or null when it has fired, or never was.
  ///
  /// @throws IllegalArgumentException when the tag belongs to something else
  private static @Nullable Invocation<?> timer(Invocation<?> by, long tag) {
    Invocation<?> found = by.other(tag);
    if (found == null || !found.isOpen()) {
      return null;
    }
    if (found != by && (found.action() instanceof CommandTimer<?> || !found.isOpen())) {
      return found;
    }
    throw new IllegalArgumentException(
        "the command with the tag " + tag + " is no timer; yield sleep() with it first");
  }

  /// A command that waits for nothing but a time. Its process arms it, moves it, and disarms it,
  /// within its steps; as what runs when the command is cancelled it is known by its command.
  private static final class CommandTimer<R extends @Nullable Object> extends Timer
      implements Runnable {
    private final Timers timers;
    private final Invocation<R> invocation;
    private final R result;

    CommandTimer(Timers timers, Invocation<R> invocation, R result) {
      this.timers = timers;
      this.invocation = invocation;
      this.result = result;
    }

    void arm(long deadline) {
      timers.arm(this, deadline);
      invocation.onCancel(this);
    }

    boolean rearm(Duration time) {
      return timers.rearm(this, timers.deadline(time));
    }

    @Override
    protected void fire() {
      invocation.complete(result);
    }

    /// Nobody waits for it any more.
    @Override
    public void run() {
      timers.disarm(this);
    }
  }
}
