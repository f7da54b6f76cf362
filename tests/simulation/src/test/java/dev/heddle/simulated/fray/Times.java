// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Programs that read the clock.
final class Times {
  private Times() {}

  static void sleepLastsASecond() throws InterruptedException {
    long began = System.nanoTime();
    Thread.sleep(1_000);
    long slept = System.nanoTime() - began;
    check(slept >= 1_000_000_000, "slept " + slept + " ns");
  }

  static void awaitLastsASecond() throws InterruptedException {
    long began = System.currentTimeMillis();
    new CountDownLatch(1).await(1, TimeUnit.SECONDS);
    long waited = System.currentTimeMillis() - began;
    check(waited >= 1_000, "waited " + waited + " ms");
  }

  static void stepOfFraysClock() {
    long began = System.nanoTime();
    long step = System.nanoTime() - began;
    check(step == 100_000, "a step of " + step + " ns");
    long millis = System.currentTimeMillis();
    check(System.currentTimeMillis() == millis, "the clock of dates moved");
    Instant instant = Instant.now();
    check(Instant.now().toEpochMilli() == instant.toEpochMilli(), "the clock of instants moved");
  }
}
