// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Body;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One run of a program in a world that a seed decides: virtual time, and any of the ready
/// coroutines next.
///
/// The clock stands still while somebody can run, and moves to the next timer when nobody can. A
/// program that asks nothing of other threads, of chance, or of the real clock does the same each
/// time it runs with the same seed.
public final class Simulation {
  private final VirtualClock clock = new VirtualClock();
  private final VirtualDriver driver = new VirtualDriver(clock, () -> loop().dump().toString());
  private final SeededPicker picker;
  private long ticks;
  private @Nullable LoopRuntime loop;

  /// A world that has not begun; its carrier is the current thread.
  public Simulation(long seed) {
    this.picker = new SeededPicker(seed);
  }

  /// Runs `main` as [dev.heddle.Heddle#run] does; once.
  public <T extends @Nullable Object> T run(Body<T> main) {
    // a loop that only waits for other threads has stalled, and virtual time would run to that
    // report
    return run(HeddleOptions.defaults().withName("simulation").withStallLimit(Duration.ZERO), main);
  }

  /// Runs `main` with options. Else as [#run(Body)].
  public <T extends @Nullable Object> T run(HeddleOptions options, Body<T> main) {
    if (loop != null) {
      throw new IllegalStateException("a simulation runs once");
    }
    SchedulerParts parts =
        new SchedulerParts(driver, clock, picker, () -> ticks++, Births.ON_JDK, false);
    return LoopRuntime.run(options, parts, main, started -> loop = started);
  }

  /// The time that has passed in it.
  public Duration elapsed() {
    return Duration.ofNanos(clock.nanoTime());
  }

  /// A number that two runs share when they took the same course.
  public long fingerprint() {
    return (picker.fingerprint() * 31 + clock.nanoTime()) * 31 + ticks;
  }

  /// How often the loop slept with nothing armed that moves by itself.
  public long endlessSleeps() {
    return driver.endlessSleeps();
  }

  /// What the loop waited for when it first slept so.
  public String firstEndlessSleep() {
    return driver.firstEndlessSleep();
  }

  /// The loop, once it runs, and after its end.
  public LoopRuntime loop() {
    LoopRuntime running = loop;
    if (running == null) {
      throw new IllegalStateException("the simulation has not begun");
    }
    return running;
  }
}
