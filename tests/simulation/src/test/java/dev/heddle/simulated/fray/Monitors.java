// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;

/// Programs that take two monitors, each thread in its own order.
final class Monitors {
  private Monitors() {}

  static void crossed(Threads threads) {
    Object one = new Object();
    Object two = new Object();
    threads.start(() -> waitUnderBoth(one, two));
    threads.start(() -> waitUnderBoth(two, one));
  }

  private static void waitUnderBoth(Object outer, Object inner) throws InterruptedException {
    synchronized (outer) {
      synchronized (inner) {
        outer.wait();
      }
    }
  }

  /// Greets another of its kind, with its own monitor.
  private static final class Polite {
    synchronized void greet(Polite other) throws InterruptedException {
      Thread.sleep(100);
      other.answer();
    }

    synchronized void answer() {}
  }

  static void crossedMethods(Threads threads) {
    Polite one = new Polite();
    Polite two = new Polite();
    threads.start(() -> one.greet(two));
    threads.start(() -> two.greet(one));
  }
}
