// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// A deposit, a withdrawal, and an audit of the balance that gets the sign of the deposit wrong.
/// The audit is without effect unless it comes last.
final class Account {
  private static final int START = 1;
  private static final int DEPOSIT = 2;
  private static final int WITHDRAWAL = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private int balance = START;
  private boolean deposited;
  private boolean withdrawn;

  void run(Threads threads) {
    threads.start(() -> underLock(this::audit));
    threads.start(() ->
        underLock(() -> {
          balance += DEPOSIT;
          deposited = true;
        }));
    threads.start(() ->
        underLock(() -> {
          balance -= WITHDRAWAL;
          withdrawn = true;
        }));
  }

  private void audit() {
    if (deposited && withdrawn) {
      check(balance == START - DEPOSIT - WITHDRAWAL, "balance " + balance);
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
