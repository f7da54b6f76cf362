// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.internal.SpinLock;
import org.jspecify.annotations.Nullable;

/// A lock for some instructions, which workers, bodies of processes and other threads share. A
/// thread that holds it may take it again. No waiter is parked: see [SpinLock].
final class PeerLock {
  private final SpinLock lock = new SpinLock();

  // safe: a thread finds itself here only if it has written that
  private volatile @Nullable Thread holder;

  // the holder
  private int depth;

  void lock() {
    Thread me = Thread.currentThread();
    if (holder != me) {
      lock.lock();
      holder = me;
    }
    depth++;
  }

  void unlock() {
    if (--depth == 0) {
      holder = null;
      lock.unlock();
    }
  }
}
