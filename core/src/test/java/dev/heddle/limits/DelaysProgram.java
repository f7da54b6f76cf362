// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.Heddle;
import dev.heddle.event.source.EventSource;
import dev.heddle.observe.LoopCounters;
import java.time.Duration;

/// Spawns `-Dcoroutines` coroutines that are delayed for a millisecond each, beside a daemon timer
/// of a day.
final class DelaysProgram {
  private static final Duration DELAY = Duration.ofMillis(1);

  private DelaysProgram() {}

  public static void main(String[] args) {
    int coroutines = Integer.getInteger("coroutines");
    long began = System.nanoTime();
    String report =
        Heddle.run(() -> {
          EventSource.of(Heddle.daemonTimer(Duration.ofHours(24))).start();
          int[] finished = new int[1];
          Heddle.scope(s -> {
            for (int i = 0; i < coroutines; i++) {
              s.spawn(() -> delayOnce(finished));
            }
            return null;
          });
          LoopCounters counted = Heddle.counters();
          return "%d finished, %d timer left, %d looks, %d sleeps, %d contexts"
              .formatted(
                  finished[0],
                  counted.timers(),
                  counted.polls(),
                  counted.sleeps(),
                  counted.contexts());
        });
    System.out.println(report + ", " + (System.nanoTime() - began) / 1_000_000 + " ms");
  }

  private static boolean delayOnce(int[] finished) {
    Heddle.delay(DELAY);
    finished[0]++;
    return true;
  }
}
