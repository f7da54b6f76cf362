// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.event.Promise;

/// Spawns `-Dcoroutines` coroutines that all wait for a promise that nobody keeps, and counts the
/// `finally` blocks that run.
final class DeadlockedProgram {
  private DeadlockedProgram() {}

  public static void main(String[] args) {
    int coroutines = Integer.getInteger("coroutines");
    int[] cleanedUp = new int[1];
    try {
      Heddle.run(() -> {
        Promise<String> never = Heddle.promise("never");
        for (int i = 0; i < coroutines; i++) {
          Heddle.launch("waits", () -> awaitAndCleanUp(never, cleanedUp));
        }
      });
    } catch (DeadlockError e) {
      System.out.println(
          "%d cleaned up; %s"
              .formatted(cleanedUp[0], e.getMessage().lines().findFirst().orElseThrow()));
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
