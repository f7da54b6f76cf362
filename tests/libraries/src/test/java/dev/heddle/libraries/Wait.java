// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// Waits that only an interrupt or a cancellation ends: of the JDK's, and of Heddle's.
enum Wait {
  SLEEP(() -> Thread.sleep(aDay())),
  LATCH(() -> new CountDownLatch(1).await()),
  DELAY(() -> Heddle.delay(aDay())),
  AWAIT(() -> Heddle.scope(scope -> scope.spawn(() -> Heddle.delay(aDay())).await())),
  JOIN(() -> Heddle.scope(() -> Heddle.launch("member", () -> Heddle.delay(aDay())))),
  MUTEX(Wait::lockTwice),
  OFFLOAD(() ->
      Heddle.offload(() -> {
        new CountDownLatch(1).await();
        return 1;
      }));

  @SuppressWarnings("ImmutableEnumChecker") // keeps nothing
  private final Action wait;

  Wait(Action wait) {
    this.wait = wait;
  }

  /// Waits.
  void run() throws Exception {
    wait.run();
  }

  /// Longer than any test.
  static Duration aDay() {
    return Duration.ofDays(1);
  }

  private static void lockTwice() throws Exception {
    Mutex mutex = new Mutex();
    Heddle.scope(scope -> {
      scope.background("holder", () -> mutex.withLock(() -> Heddle.delay(aDay())));
      Watched.until(mutex::isLocked);
      mutex.withLock(() -> {});
      return null;
    });
  }
}
