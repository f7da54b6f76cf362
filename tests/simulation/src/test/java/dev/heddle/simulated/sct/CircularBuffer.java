// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// A writer and a reader take turns by a flag, for seven rounds each. A round in which it is the
/// other's turn is lost, but the reader expects the number of the round.
final class CircularBuffer {
  private static final int ROUNDS = 7;

  private final ReentrantLock lock = new ReentrantLock();
  private final int[] slots = new int[10];
  private int written;
  private int read;
  private boolean full;

  void run(Threads threads) {
    threads.start(() -> rounds(this::write));
    threads.start(() -> rounds(this::read));
  }

  private void write(int round) {
    if (!full) {
      slots[written++ % slots.length] = round;
      full = true;
    }
  }

  private void read(int round) {
    if (full) {
      int value = slots[read++ % slots.length];
      full = false;
      check(value == round, "read " + value + " in round " + round);
    }
  }

  private void rounds(java.util.function.IntConsumer turn) {
    for (int i = 0; i < ROUNDS; i++) {
      lock.lock();
      try {
        turn.accept(i);
      } finally {
        lock.unlock();
      }
    }
  }
}
