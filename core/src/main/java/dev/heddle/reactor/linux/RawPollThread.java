// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import dev.heddle.reactor.driver.ReadinessCounts;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A thread that polls the epoll set for a driver that cannot watch the set's file descriptor.
///
/// The thread queues each event and wakes the driver. The event has disarmed its entry in the set,
/// so none is reported twice. **Thread** the loop's; the thread itself only polls.
public final class RawPollThread {
  private record Found(long id, int mask) {}

  private final EpollSet descriptors;
  private final Runnable wakeup;
  private final int signal;
  private final Thread thread;
  private final Queue<Found> found = new ConcurrentLinkedQueue<>();

  /// Starts the thread.
  public RawPollThread(ReadinessCounts counts, Runnable wakeup) throws IOException {
    this.wakeup = wakeup;
    this.signal = Epoll.openSignal();
    try {
      this.descriptors = new EpollSet(counts, () -> {});
    } catch (IOException e) {
      Epoll.close(signal);
      throw e;
    }
    descriptors.set().add(signal, Epoll.IN, EpollSet.SIGNAL);
    this.thread = Thread.ofPlatform().daemon().name("heddle-descriptors").start(this::run);
  }

  public EpollSet descriptors() {
    return descriptors;
  }

  private void run() {
    Epoll set = descriptors.set();
    while (true) {
      int count = set.poll(true);
      for (int i = 0; i < count; i++) {
        if (set.id(i) == EpollSet.SIGNAL) {
          return;
        }
        found.add(new Found(set.id(i), set.mask(i)));
      }
      if (count > 0) {
        wakeup.run();
      }
    }
  }

  /// Notifies the listeners of the queued events, in a poll.
  public void deliver() {
    for (Found f = found.poll(); f != null; f = found.poll()) {
      descriptors.onReady(f.id(), f.mask());
    }
  }

  /// Ends the thread, then closes the set.
  public void close() {
    Epoll.signal(signal);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true; // safe: the thread ends by itself, and needs the set until then
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    descriptors.close();
    Epoll.close(signal);
  }
}
