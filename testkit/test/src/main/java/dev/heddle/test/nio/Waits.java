// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The threads and selectors that wait for one descriptor.
final class Waits {
  /*
   * A descriptor has one listener for each direction, and any number of selectors and threads may
   * wait for it. So the listener is a list of watchers. It is armed while the list is not empty. A
   * notification runs each watcher once and empties the list; a watcher that still waits adds itself
   * again.
   *
   * A thread waits by LockSupport.park, as the JDK's own sockets do. For the loop this is a wait in
   * the JDK; the driver's poll ends it on the trampoline.
   *
   * Threads. Those of one run, of which one runs at a time and is preempted only where it waits. No
   * lock is needed: between a look at the descriptor and the park nothing else happens.
   */
  private final HostNetwork network;
  private final Descriptor descriptor;
  private final Side reading = new Side(Direction.READ);
  private final Side writing = new Side(Direction.WRITE);
  private final List<Runnable> ofState = new ArrayList<>(); // watchers of the channel's state
  private boolean closed;

  Waits(HostNetwork network, Descriptor descriptor) {
    this.network = network;
    this.descriptor = descriptor;
  }

  private final class Side implements ReadinessListener {
    private final Direction direction;
    private List<Runnable> watchers = new ArrayList<>();

    Side(Direction direction) {
      this.direction = direction;
    }

    void add(Runnable watcher) {
      if (watchers.isEmpty()) {
        descriptor.arm(direction, this);
      }
      watchers.add(watcher);
    }

    void remove(Runnable watcher) {
      if (watchers.remove(watcher) && watchers.isEmpty()) {
        descriptor.disarm(direction, this);
      }
    }

    @Override
    public void onReady(@Nullable Throwable error) {
      List<Runnable> due = watchers;
      watchers = new ArrayList<>();
      due.forEach(Runnable::run);
    }
  }

  private Side side(Direction direction) {
    return direction == Direction.READ ? reading : writing;
  }

  /// Whether a call in a direction would not block.
  boolean isReady(Direction direction) {
    return !closed && network.driver().isReady(descriptor, direction);
  }

  /// Runs `watcher` once, in a poll in which a direction is ready.
  void watch(Direction direction, Runnable watcher) {
    if (!closed) {
      side(direction).add(watcher);
    }
  }

  /// Takes back a [#watch]. No effect after the watcher was run.
  void unwatch(Direction direction, Runnable watcher) {
    if (!closed) {
      side(direction).remove(watcher);
    }
  }

  /// Runs `watcher` whenever another operation has become possible, until [#unwatchState].
  void watchState(Runnable watcher) {
    ofState.add(watcher);
  }

  void unwatchState(Runnable watcher) {
    ofState.remove(watcher);
  }

  /// Other operations are possible now.
  void stateChanged() {
    List.copyOf(ofState).forEach(Runnable::run);
  }

  /// Blocks the current thread until a direction is ready, the descriptor was closed, the deadline
  /// has come or the thread is interrupted; the caller finds out which.
  void await(Direction direction, long deadlineNanos) {
    Thread self = Thread.currentThread();
    Runnable wake = () -> LockSupport.unpark(self);
    while (!closed && !isReady(direction) && !self.isInterrupted()) {
      long left = deadlineNanos - network.clock().nanoTime();
      if (left <= 0) {
        return;
      }
      watch(direction, wake);
      if (deadlineNanos == HostNetwork.FOREVER) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, left);
      }
      unwatch(direction, wake);
    }
  }

  /// Ends all waits of threads; a selector goes on with its other keys. To be called before the
  /// descriptor is closed.
  void close() {
    if (!closed) {
      List<Runnable> due = new ArrayList<>(reading.watchers);
      due.addAll(writing.watchers);
      descriptor.disarm(Direction.READ, reading);
      descriptor.disarm(Direction.WRITE, writing);
      closed = true;
      due.forEach(Runnable::run);
    }
  }

  boolean isClosed() {
    return closed;
  }
}
