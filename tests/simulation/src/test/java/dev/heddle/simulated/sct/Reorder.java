// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;

/// Setters write two fields, one after the other. A checker wants to see both writes or none.
final class Reorder {
  private volatile int first;
  private volatile int second;

  void run(Threads threads, int setters, int checkers) {
    threads.start(
        setters,
        () -> {
          first = 1;
          second = -1;
        });
    threads.start(
        checkers,
        () ->
            check(
                (first == 0 && second == 0) || (first == 1 && second == -1),
                "one of two writes is seen"));
  }
}
