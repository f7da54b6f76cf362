// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

/// Virtual threads that wait for each other.
final class Actors {
  private Actors() {}

  /// What an actor does.
  interface Body {
    void run() throws InterruptedException;
  }

  /// Starts one.
  static Thread start(Body body) {
    return Thread.startVirtualThread(() -> {
      try {
        body.run();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt(); // safe: nobody interrupts them
      }
    });
  }
}
