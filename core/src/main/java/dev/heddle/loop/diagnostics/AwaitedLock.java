// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.LockOwners;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Describes the lock for which a thread waits, and its holder. Called by the watchdog, for a
/// thread that holds its loop.
final class AwaitedLock {
  private AwaitedLock() {}

  /// Null if the thread waits for no lock, or the JDK does not report it.
  static @Nullable String of(CoroutineTree tree, Thread waiting) {
    try {
      Object parkedFor = LockSupport.getBlocker(waiting);
      return parkedFor == null
          ? monitor(waiting)
          : named(parkedFor) + holder(tree, parkedFor, waiting);
    } catch (RuntimeException | LinkageError _) {
      return null; // safe: the report then omits it
    }
  }

  /// The object for which a thread is parked, by its class: toString() may be user code.
  static String named(Object blocker) {
    int hash = System.identityHashCode(blocker);
    return blocker.getClass().getName() + "@" + Integer.toHexString(hash);
  }

  private static String holder(CoroutineTree tree, Object parkedFor, Thread waiting) {
    Thread owner = LockOwners.ownerOf(parkedFor);
    if (owner != null) {
      return ", held by " + words(tree, owner);
    }
    Thread first =
        parkedFor instanceof AbstractQueuedSynchronizer queue ? queue.getFirstQueuedThread() : null;
    if (LockOwners.isSupported() && first != null && first != waiting) {
      return ", free: next is " + words(tree, first);
    }
    return LockOwners.isSupported() || !(parkedFor instanceof AbstractOwnableSynchronizer)
        ? ""
        : "; the JDK reports the holder only with --add-opens"
            + " java.base/java.util.concurrent.locks="
            + LockOwners.opensTo();
  }

  private static String words(CoroutineTree tree, Thread thread) {
    for (CoroutineNode<?> coroutine : tree.coroutines()) {
      ExecutionContext context = coroutine.context();
      if (context != null && context.thread() == thread) {
        return coroutine.label();
      }
    }
    return "thread '" + thread.getName() + "'";
  }

  private static @Nullable String monitor(Thread waiting) {
    ThreadInfo info =
        waiting.isVirtual()
            ? null
            : ManagementFactory.getThreadMXBean().getThreadInfo(waiting.threadId());
    if (info == null || info.getLockInfo() == null) {
      return null;
    }
    LockInfo lock = info.getLockInfo();
    String owner = info.getLockOwnerName();
    // only the carrier may read the stacks of coroutines (MonitorOwners)
    return "the monitor of %s, held by %s"
        .formatted(
            lock,
            owner == null ? "a coroutine or another virtual thread" : "thread '" + owner + "'");
  }
}
