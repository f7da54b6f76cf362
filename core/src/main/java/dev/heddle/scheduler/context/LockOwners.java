// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import org.jspecify.annotations.Nullable;

/// Who holds a lock of `java.util.concurrent`. The JDK tells it to subclasses of the lock only, so
/// this needs a door of its own: `--add-opens java.base/java.util.concurrent.locks=...` with
/// `dev.heddle`, or `ALL-UNNAMED` on the class path; without it nobody is named.
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

  /// What that flag ends with in this program.
  public static String opensTo() {
    Module self = LockOwners.class.getModule();
    return self.isNamed() ? self.getName() : "ALL-UNNAMED";
  }

  /// Whether owners can be told.
  public static boolean known() {
    return OWNER != null;
  }

  /// The thread that holds what another is parked for; null when it is held by nobody, not a lock,
  /// or cannot be told.
  public static @Nullable Thread ownerOf(Object blocker) {
    return OWNER != null && blocker instanceof AbstractOwnableSynchronizer lock
        ? (Thread) OWNER.get(lock)
        : null;
  }
}
