// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.AbstractQueuedSynchronizer.ConditionObject;
import org.jspecify.annotations.Nullable;

/// Tells whether a thread that is parked in a condition has been signalled, and only waits for its
/// turn to take the lock again.
///
/// The JDK says so to whoever holds the lock only. Its fields say it to others, where `--add-opens
/// java.base/java.util.concurrent.locks` is there, which `heddle run` sets.
final class ConditionWaiters {
  private static final int MOST = 64; // looked at; signals take waiters from the front

  private ConditionWaiters() {}

  /// Whether `parked` was signalled: an interrupt would not end its wait any more. False also where
  /// nobody can tell.
  static boolean hasSignalled(ConditionObject condition, Thread parked) {
    if (Fields.FIRST == null || Fields.NEXT == null || Fields.WAITER == null) {
      return false;
    }
    // safe: a list that others change meanwhile; each node read is or was one of it
    Object node = Fields.FIRST.getVolatile(condition);
    for (int seen = 0; seen < MOST; seen++) {
      if (node == null) {
        return true;
      }
      if (Fields.WAITER.getVolatile(node) == parked) {
        return false;
      }
      node = Fields.NEXT.getVolatile(node);
    }
    return false;
  }

  private static final class Fields {
    private static final String ROOM =
        "java.util.concurrent.locks.AbstractQueuedSynchronizer$Condition";
    static final @Nullable VarHandle FIRST = find("Object", "firstWaiter", "Node");
    static final @Nullable VarHandle NEXT = find("Node", "nextWaiter", "Node");
    static final @Nullable VarHandle WAITER = find("Node", "waiter", null);

    private static @Nullable VarHandle find(String of, String field, @Nullable String type) {
      try {
        Class<?> owner = Class.forName(ROOM + of);
        return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
            .findVarHandle(owner, field, type == null ? Thread.class : Class.forName(ROOM + type));
      } catch (ReflectiveOperationException _) {
        return null; // the module is not open, or the JDK is another
      }
    }
  }
}
