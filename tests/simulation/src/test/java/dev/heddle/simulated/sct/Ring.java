// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;

/// Three stations hand a token on, each once, in whatever order they run; a fourth thread wants it
/// to have gone round.
final class Ring {
  private int one = 1;
  private int two = 2;
  private int three = 1;
  private int passed;

  void run(Threads threads) {
    threads.start(() -> pass(() -> one = (three + 1) % 4));
    threads.start(() -> pass(() -> two = one));
    threads.start(() -> pass(() -> three = two));
    threads.start(this::compare);
  }

  private synchronized void pass(Runnable step) {
    step.run();
    passed++;
  }

  private synchronized void compare() {
    if (passed == 3) {
      check(one == two && two == three, "tokens " + one + ", " + two + ", " + three);
    }
  }
}
