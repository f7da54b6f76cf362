// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;

/// Two threads count to one each, with a lock.
final class LockedCounter {
  private int counter;

  void run(Threads threads) throws InterruptedException {
    Thread one = threads.start(this::count);
    Thread two = threads.start(this::count);
    one.join();
    two.join();
    check(counter == 2, "counted to " + counter);
  }

  private synchronized void count() {
    counter++;
  }
}
