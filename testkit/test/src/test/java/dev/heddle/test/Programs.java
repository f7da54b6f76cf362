// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/// Programs that tests simulate.
final class Programs {
  static volatile boolean stop;

  private Programs() {}

  /// The order in which four coroutines run that are ready at once.
  static List<Integer> order() {
    List<Integer> order = new ArrayList<>();
    Heddle.scope(() -> {
      for (int i = 0; i < 4; i++) {
        int me = i;
        Heddle.spawn(() -> order.add(me));
      }
    });
    return order;
  }

  /// Fifty coroutines that wait now and then.
  static List<Integer> shuffle() {
    List<Integer> order = new ArrayList<>();
    Heddle.scope(() -> {
      for (int i = 0; i < 50; i++) {
        int me = i;
        Heddle.spawn(() -> {
          for (int turn = 0; turn < 3; turn++) {
            Heddle.delay(Duration.ofMillis(1 + me % 7));
            order.add(me);
            Heddle.yieldNow();
          }
        });
      }
    });
    return order;
  }

  /// Loses an update when the second coroutine reads before the first one has written; the first in
  /// first out order does not.
  static void lostUpdate() {
    int[] counter = {0};
    Heddle.scope(() -> {
      Heddle.spawn(
          "first",
          () -> {
            int read = counter[0];
            Heddle.yieldNow();
            counter[0] = read + 1;
          });
      Heddle.spawn(
          "second",
          () -> {
            Heddle.yieldNow();
            Heddle.yieldNow();
            Heddle.yieldNow();
            int read = counter[0];
            Heddle.yieldNow();
            counter[0] = read + 1;
          });
    });
    if (counter[0] != 2) {
      throw new AssertionError("an update was lost: " + counter[0]);
    }
  }

  static void yieldForever() {
    while (true) {
      try {
        Heddle.yieldNow();
      } catch (Cancellation _) {
        // safe: a program that ignores its cancellation
      }
    }
  }

  static void loopForever() {
    while (!stop) {
      Thread.onSpinWait();
    }
  }

  /// Two coroutines that wait for each other's lock for ever.
  static void waitUninterruptibly() {
    ReentrantLock one = new ReentrantLock();
    ReentrantLock other = new ReentrantLock();
    Heddle.spawn("ab", () -> lockBoth(one, other));
    Heddle.spawn("ba", () -> lockBoth(other, one));
  }

  private static void lockBoth(ReentrantLock first, ReentrantLock second) {
    first.lock();
    Heddle.delay(Duration.ofSeconds(1));
    second.lock();
  }

  /// The platform thread under the current virtual one.
  static Thread carrier() {
    try {
      Field carrier = Class.forName("java.lang.VirtualThread").getDeclaredField("carrierThread");
      carrier.setAccessible(true);
      return (Thread) carrier.get(Thread.currentThread());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the JDK has no such field", e);
    }
  }
}
