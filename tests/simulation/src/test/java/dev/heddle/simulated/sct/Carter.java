// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// Two classes of visitors of one room: the first of a class takes the room's lock, the last
/// releases it. Both classes count under one lock, and wait for the room while they hold it.
final class Carter {
  private final ReentrantLock counts = new ReentrantLock();
  private final ReentrantLock room = new ReentrantLock();

  /// Visitors of one class.
  private final class Visitors {
    private int inside;

    void visit() {
      counts.lock();
      inside++;
      if (inside == 1) {
        room.lock();
      }
      counts.unlock();
      counts.lock();
      inside--;
      if (inside == 0) {
        room.unlock();
      }
      counts.unlock();
    }
  }

  void run(Threads threads) {
    threads.start(new Visitors()::visit);
    threads.start(new Visitors()::visit);
    threads.start(2, () -> {});
  }
}
