// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.event.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/// Spawns `-Dcoroutines` coroutines that all wait for a promise that nobody keeps, and counts the
/// `finally` blocks that run, and the loop's processor time for that: a machine under load gives it
/// that late.
final class DeadlockedProgram {
  private DeadlockedProgram() {}

  public static void main(String[] args) {
    int coroutines = Integer.getInteger("coroutines");
    int[] cleanedUp = new int[1];
    HeddleOptions patient = HeddleOptions.defaults().withShutdownDeadline(Duration.ofMinutes(5));
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime(); // of the thread that becomes the loop's
    try {
      Heddle.run(
          patient,
          () -> {
            Promise<String> never = Heddle.promise("never");
            for (int i = 0; i < coroutines; i++) {
              Heddle.launch("waits", () -> awaitAndCleanUp(never, cleanedUp));
            }
          });
    } catch (DeadlockError e) {
      Duration used = Duration.ofNanos(threads.getCurrentThreadCpuTime() - before);
      System.out.println(
          "%d cleaned up; %s"
              .formatted(cleanedUp[0], e.getMessage().lines().findFirst().orElseThrow()));
      Duration limit = HeddleOptions.defaults().shutdownDeadline();
      System.out.println(
          used.compareTo(limit) < 0 ? "within the default deadline" : "too late, after " + used);
    }
  }

  private static void awaitAndCleanUp(Promise<String> never, int[] cleanedUp) {
    try {
      never.future().await();
    } finally {
      cleanedUp[0]++;
    }
  }
}
