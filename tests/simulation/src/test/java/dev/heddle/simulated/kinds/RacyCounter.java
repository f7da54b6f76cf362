// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;

/// Two threads count to two each, without a lock and without a wait.
final class RacyCounter {
  private int counter;

  void run(Threads threads) throws InterruptedException {
    Thread one = threads.start(this::countTwice);
    Thread two = threads.start(this::countTwice);
    one.join();
    two.join();
    check(counter == 4, "counted to " + counter);
  }

  private void countTwice() {
    counter++;
    counter++;
  }
}
