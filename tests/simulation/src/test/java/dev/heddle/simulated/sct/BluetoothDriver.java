// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;

/// A driver counts the requests in progress, with one more for itself, and stops when the count is
/// zero. A request looks at the flag first and counts itself afterwards: between the two the driver
/// may stop.
final class BluetoothDriver {
  private final Object monitor = new Object();
  private int inProgress = 1;
  private boolean stopping;
  private boolean drained;
  private boolean stopped;

  void run(Threads threads) {
    threads.start(this::stop);
    request();
  }

  private void request() {
    if (!stopping) {
      synchronized (monitor) {
        inProgress++;
      }
      check(!stopped, "a request runs on a driver that has stopped");
    }
    leave();
  }

  private void stop() {
    stopping = true;
    leave();
    if (drained) {
      stopped = true;
    }
  }

  private void leave() {
    int left;
    synchronized (monitor) {
      left = --inProgress;
    }
    if (left == 0) {
      drained = true;
    }
  }
}
