// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// `GlobalQueue` with one thing left out.
final class WeakFifo {
  enum Fault {
    /// consumers do not exclude each other
    NO_LOCK,
    /// a consumer does not say that it turns round what has arrived
    NO_WORD_OF_THE_TURN
  }

  private static final class Link {
    final int number;
    @Nullable Link next;

    Link(int number) {
      this.number = number;
    }
  }

  private final Fault fault;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicReference<@Nullable Link> arrived = new AtomicReference<>();
  private volatile @Nullable Link waiting;
  private volatile boolean turning;

  WeakFifo(Fault fault) {
    this.fault = fault;
  }

  void push(int number) {
    Link link = new Link(number);
    do {
      link.next = arrived.get();
    } while (!arrived.compareAndSet(link.next, link));
  }

  @Nullable Integer poll() {
    if (fault == Fault.NO_LOCK) {
      return next();
    }
    lock.lock();
    try {
      return next();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Integer next() {
    Link head = waiting;
    if (head == null && (head = turn()) == null) {
      return null;
    }
    waiting = head.next;
    turning = false;
    return head.number;
  }

  private @Nullable Link turn() {
    turning = fault != Fault.NO_WORD_OF_THE_TURN;
    Link oldest = null;
    for (Link link = arrived.getAndSet(null); link != null; ) {
      Link newer = link;
      link = link.next;
      newer.next = oldest;
      oldest = newer;
    }
    return oldest;
  }

  boolean isEmpty() {
    return arrived.get() == null && !turning && waiting == null;
  }
}
