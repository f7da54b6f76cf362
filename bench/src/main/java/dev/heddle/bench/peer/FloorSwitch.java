// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Bare virtual threads yielding in turn, resumed by a loop over an array.
public final class FloorSwitch implements Program {
  /// Laps before the meter starts, for every contender: a collection during the start moves stacks
  /// to the old generation, and the JDK copies each of those once more as it suspends next.
  public static final int WARM_LAPS = 3;

  private final int actors;

  /// A program of so many threads.
  public FloorSwitch(int actors) {
    this.actors = actors;
  }

  @Override
  public Sample round(long operations) {
    long laps = WARM_LAPS + Math.max(2, operations / actors);
    Runnable body =
        () -> {
          for (long i = 0; i < laps; i++) {
            Thread.yield();
          }
        };
    var threads = new Floor[actors];
    for (int i = 0; i < actors; i++) {
      threads[i] = new Floor(body).start();
    }
    for (int i = 0; i < WARM_LAPS; i++) {
      lap(threads);
    }
    var meter = new Meter();
    meter.start();
    for (long i = WARM_LAPS; i < laps; i++) {
      lap(threads);
    }
    Sample sample = meter.stop((laps - WARM_LAPS) * actors);
    lap(threads); // they end
    return sample;
  }

  private static void lap(Floor[] threads) {
    for (Floor thread : threads) {
      thread.resume();
    }
  }
}
