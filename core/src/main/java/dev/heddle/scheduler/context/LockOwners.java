// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import org.jspecify.annotations.Nullable;

/// Finds the owner of a lock of `java.util.concurrent`. The JDK reports it to subclasses of the
/// lock only, so this needs `--add-opens java.base/java.util.concurrent.locks=...` with
/// `dev.heddle`, or `ALL-UNNAMED` on the class path; without it no owner is known.
public final class LockOwners {
  private static final @Nullable VarHandle OWNER = find();

  private LockOwners() {}

  private static @Nullable VarHandle find() {
    try {
      return MethodHandles.privateLookupIn(
              AbstractOwnableSynchronizer.class, MethodHandles.lookup())
          .findVarHandle(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread", Thread.class);
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  /// The module name with which that flag ends in this program.
  public static String opensTo() {
    Module self = LockOwners.class.getModule();
    return self.isNamed() ? self.getName() : "ALL-UNNAMED";
  }

  public static boolean isSupported() {
    return OWNER != null;
  }

  /// The thread that owns the lock for which another is parked; null when it has no owner, is no
  /// lock, or its owner cannot be read.
  public static @Nullable Thread ownerOf(Object blocker) {
    return OWNER != null && blocker instanceof AbstractOwnableSynchronizer lock
        ? (Thread) OWNER.get(lock)
        : null;
  }
}
