// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.SchedulerParts;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs programs as [dev.heddle.Heddle#run] does, in the usual order, but in virtual time: a timer
/// fires only when nobody can run, however slow the machine is.
///
/// For tests whose outcome depends on which of two timers comes first, or on how far others get
/// before one. Nothing in them may wait in the JDK, or for other threads.
public final class VirtualTime {
  private VirtualTime() {}

  /// Runs `main`, as [dev.heddle.Heddle#run(Body)] does.
  public static <T extends @Nullable Object> T run(Body<T> main) {
    VirtualClock clock = new VirtualClock();
    SchedulerParts parts =
        new SchedulerParts(new VirtualDriver(clock, () -> ""), clock, ReadyPicker.FIFO, null);
    return LoopRuntime.run(options(), parts, noted(main), _ -> {});
  }

  // without the watchdog: where the machine is slow it dumps stacks, and a dump that coincides with
  // a resume postpones that, which changes the order
  private static HeddleOptions options() {
    return HeddleOptions.defaults().withName("virtual").withHoldLimit(Duration.ZERO);
  }

  // a profiler or jcmd may still dump stacks; then the failure must not look like one of the
  // product
  private static <T extends @Nullable Object> Body<T> noted(Body<T> main) {
    return () -> {
      try {
        return main.run();
      } catch (Throwable e) {
        long postponed = Heddle.counters().retriedMounts();
        if (postponed > 0) {
          e.addSuppressed(
              new IllegalStateException(
                  "stack dumps by another thread have postponed "
                      + postponed
                      + " resumes, so the coroutines did not run in the usual order"));
        }
        throw e;
      }
    };
  }

  /// Runs `main`, and hands it what lets the machine stand still: then so much time has passed, and
  /// nobody has run.
  public static void runWithPauses(Consumer<Consumer<Duration>> main) {
    VirtualClock clock = new VirtualClock();
    SchedulerParts parts =
        new SchedulerParts(new VirtualDriver(clock, () -> ""), clock, ReadyPicker.FIFO, null);
    Body<Boolean> body =
        () -> {
          main.accept(pause -> clock.advanceTo(clock.nanoTime() + pause.toNanos()));
          return true;
        };
    LoopRuntime.<Boolean>run(options(), parts, noted(body), _ -> {});
  }

  /// Runs `main`, as [dev.heddle.Heddle#run(Action)] does.
  public static void run(Action main) {
    run(() -> {
      main.run();
      return true;
    });
  }
}
