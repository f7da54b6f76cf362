// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.loop.feed.LoopFeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// Looks at a loop as `heddle top` does, on a thread of its own: ten probes a second, and a look
/// after each so many of them.
final class LoopObserver {
  private static final long PROBE_NANOS = 100_000_000;

  private final CoroutineTree tree;
  private final int probes; // for each look
  private final Thread thread = new Thread(this::observe, "observer");
  private volatile boolean over;
  private final CountDownLatch firstLook = new CountDownLatch(1);

  private LoopObserver(CoroutineTree tree, int probes) {
    this.tree = tree;
    this.probes = probes;
    thread.start();
  }

  /// An observer of the current loop. Called in a coroutine.
  static LoopObserver ofCurrentLoop(int probes) {
    return new LoopObserver(CoroutineNode.current().tree(), probes);
  }

  /// The thread that the loop runs on.
  Thread carrier() {
    return tree.scheduler().carrier();
  }

  /// Waits until it has looked once.
  void awaitFirstLook() throws InterruptedException {
    firstLook.await();
  }

  private void observe() {
    try (LoopFeed feed = new LoopFeed(tree, HashMap::new)) {
      while (!over && !tree.scheduler().hasEnded()) {
        List<Map<String, String>> _ = feed.look();
        firstLook.countDown();
        for (int i = 0; i < probes && !over; i++) {
          LockSupport.parkNanos(PROBE_NANOS);
          feed.probe();
        }
      }
    } catch (IllegalStateException e) {
      if (!tree.scheduler().hasEnded()) {
        throw e;
      }
    }
  }

  /// Ends it, and waits for that.
  void close() throws InterruptedException {
    over = true;
    LockSupport.unpark(thread);
    thread.join();
  }
}
