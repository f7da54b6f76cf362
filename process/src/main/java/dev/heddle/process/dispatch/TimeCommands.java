// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Commands about time: each that waits is a coroutine on the loop.
final class TimeCommands {
  record Sleep(Duration time) implements Command<@Nullable Void> {}

  record StopTimer(long tag) implements Command<Boolean> {}

  record ResetTimer(long tag, Duration time) implements Command<Boolean> {}

  record Tick(Duration period) implements Command<Long> {}

  private final LoopPort loops;
  private final long start = System.nanoTime();

  TimeCommands(LoopPort loops) {
    this.loops = loops;
  }

  @SuppressWarnings("NullAway") // inference forgets that a Void may be null
  void register(CommandRegistry registry) {
    registry.register(
        Sleep.class,
        CommandHandler.inline((c, i) -> new Timer<>(loops, i.name(c), i, null).arm(c.time())));
    registry.register(
        Tick.class,
        CommandHandler.inline((c, i) -> {
          long period = c.period().toNanos();
          long passed = System.nanoTime() - start;
          long next = passed / period + 1;
          new Timer<>(loops, i.name(c), i, next).arm(Duration.ofNanos(next * period - passed));
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
              timer != null && timer.action() instanceof Timer<?> t && t.startAnew(c.time()));
        }));
  }

  /// The timer of a tag, or null when it has fired, or never was.
  ///
  /// @throws IllegalArgumentException when the tag belongs to something else
  private static @Nullable Invocation<?> timer(Invocation<?> by, long tag) {
    Invocation<?> found = by.other(tag);
    if (found == null || !found.isOpen()) {
      return null;
    }
    if (found != by && (found.action() instanceof Timer<?> || !found.isOpen())) {
      return found;
    }
    throw new IllegalArgumentException(
        "the command with the tag " + tag + " is no timer; yield sleep() with it first");
  }

  /// A wait that may be started anew until it is over.
  private static final class Timer<R extends @Nullable Object> implements Runnable {
    private static final int OVER = -1;

    private final LoopPort loops;
    private final String name;
    private final Invocation<R> invocation;
    private final R result;

    // any thread, CAS: how often it was started anew, or OVER; who sets OVER decides how it ends
    private final AtomicInteger round = new AtomicInteger();

    // the process
    private Runnable disarm = () -> {};

    Timer(LoopPort loops, String name, Invocation<R> invocation, R result) {
      this.loops = loops;
      this.name = name;
      this.invocation = invocation;
      this.result = result;
    }

    void arm(Duration time) {
      int mine = round.get();
      disarm =
          loops.after(
              name,
              time,
              failure -> {
                if (!round.compareAndSet(mine, OVER)) {
                  return;
                }
                if (failure == null) {
                  invocation.complete(result);
                } else {
                  invocation.fail(failure);
                }
              });
      invocation.onCancel(this);
    }

    boolean startAnew(Duration time) {
      int seen = round.get();
      if (seen == OVER || !round.compareAndSet(seen, seen + 1)) {
        return false;
      }
      disarm.run();
      arm(time);
      return true;
    }

    /// Nobody waits for it any more.
    @Override
    public void run() {
      if (round.getAndSet(OVER) != OVER) {
        disarm.run();
      }
    }
  }
}
