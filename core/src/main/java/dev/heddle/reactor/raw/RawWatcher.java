// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import dev.heddle.reactor.driver.ReadinessCounts;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A thread that waits at the set, for a driver which cannot watch its number.
///
/// What it finds it passes on, and wakes the driver; the set has by then forgotten what it was
/// asked, so nothing is told twice. **Thread** the loop's; the thread itself only looks.
public final class RawWatcher {
  private record Found(long id, int mask) {}

  private final RawDescriptors descriptors;
  private final Runnable wakeup;
  private final int signal;
  private final Thread thread;
  private final Queue<Found> found = new ConcurrentLinkedQueue<>();

  /// Starts the thread.
  ///
  /// @param counts the driver's
  /// @param wakeup the driver's
  public RawWatcher(ReadinessCounts counts, Runnable wakeup) throws IOException {
    this.wakeup = wakeup;
    this.signal = Epoll.openSignal();
    try {
      this.descriptors = new RawDescriptors(counts, () -> {});
    } catch (IOException e) {
      Epoll.close(signal);
      throw e;
    }
    descriptors.set().add(signal, Epoll.IN, RawDescriptors.SIGNAL);
    this.thread = Thread.ofPlatform().daemon().name("heddle-descriptors").start(this::run);
  }

  /// What it waits for.
  public RawDescriptors descriptors() {
    return descriptors;
  }

  private void run() {
    Epoll set = descriptors.set();
    while (true) {
      int count = set.look(true);
      for (int i = 0; i < count; i++) {
        if (set.id(i) == RawDescriptors.SIGNAL) {
          return;
        }
        found.add(new Found(set.id(i), set.mask(i)));
      }
      if (count > 0) {
        wakeup.run();
      }
    }
  }

  /// Answers what has been found, in a tick.
  public void deliver() {
    for (Found f = found.poll(); f != null; f = found.poll()) {
      descriptors.told(f.id(), f.mask());
    }
  }

  /// Ends the thread, then gives the set back.
  public void close() {
    Epoll.signal(signal);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true; // safe: it ends by itself, and needs the set until then
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    descriptors.close();
    Epoll.close(signal);
  }
}
