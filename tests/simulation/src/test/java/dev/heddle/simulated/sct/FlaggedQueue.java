// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// A writer puts one item at once and then one whenever a flag lets it; a reader takes one whenever
/// the other flag lets it. The reader compares what it takes with what was stored for the number of
/// its round, though it has lost rounds.
final class FlaggedQueue {
  private static final int SIZE = 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final int[] queue = new int[SIZE + 1];
  private final int[] stored = new int[SIZE];
  private int head;
  private int tail;
  private int value;
  private boolean mayPut = true;
  private boolean mayTake;

  void run(Threads threads) {
    threads.start(() -> {
      underLock(() -> put(0));
      for (int i = 1; i < SIZE; i++) {
        int round = i;
        underLock(() -> putIfAllowed(round));
      }
    });
    threads.start(() -> {
      for (int i = 0; i < SIZE; i++) {
        int round = i;
        underLock(() -> takeIfAllowed(round));
      }
    });
  }

  private void putIfAllowed(int round) {
    if (mayPut) {
      value++;
      put(round);
      mayPut = false;
      mayTake = true;
    }
  }

  private void put(int round) {
    queue[tail++] = value;
    stored[round] = value;
  }

  private void takeIfAllowed(int round) {
    if (mayTake) {
      int taken = queue[head++];
      mayTake = false;
      mayPut = true;
      check(taken == stored[round], "took " + taken + " for " + stored[round]);
    }
  }

  private void underLock(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }
}
