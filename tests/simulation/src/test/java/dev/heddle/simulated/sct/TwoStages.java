// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// Two values that belong together, each under its own lock. A reader may come between the writes.
final class TwoStages {
  private final ReentrantLock firstLock = new ReentrantLock();
  private final ReentrantLock secondLock = new ReentrantLock();
  private int first;
  private int second;

  void run(Threads threads, int writers) {
    threads.start(writers, this::write);
    threads.start(this::read);
  }

  private void write() {
    firstLock.lock();
    first = 1;
    firstLock.unlock();
    secondLock.lock();
    second = first + 1;
    secondLock.unlock();
  }

  private void read() {
    firstLock.lock();
    int seen = first;
    firstLock.unlock();
    if (seen == 0) {
      return;
    }
    secondLock.lock();
    int next = second;
    secondLock.unlock();
    check(next == seen + 1, "read " + seen + " and " + next);
  }
}
