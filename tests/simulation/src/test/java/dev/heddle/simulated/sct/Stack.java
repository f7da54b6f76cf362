// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// One thread pushes ten items, another pops up to ten once a flag is up. The flag goes up with the
/// first item and never down, so that a pop may find the stack empty.
final class Stack {
  private static final int SIZE = 10;

  private final ReentrantLock lock = new ReentrantLock();
  private final int[] items = new int[SIZE];
  private int top;
  private boolean used;

  void run(Threads threads) {
    threads.start(() -> repeat(this::push));
    threads.start(() -> repeat(this::pop));
  }

  private void push(int item) {
    check(top < SIZE, "the stack is full");
    items[top++] = item;
    used = true;
  }

  private void pop(int round) {
    if (used) {
      check(top > 0, "the stack is empty in round " + round);
      top--;
    }
  }

  private void repeat(java.util.function.IntConsumer step) {
    for (int i = 0; i < SIZE; i++) {
      lock.lock();
      try {
        step.accept(i);
      } finally {
        lock.unlock();
      }
    }
  }
}
