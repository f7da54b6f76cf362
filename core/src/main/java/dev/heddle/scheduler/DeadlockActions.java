// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.LinkedHashSet;
import java.util.Set;

/// What a loop tries before it reports a deadlock.
///
/// **Thread** the loop's.
public final class DeadlockActions {
  private final Set<Runnable> deadlockActions = new LinkedHashSet<>(0);

  public void add(Runnable action) {
    deadlockActions.add(action);
  }

  public void remove(Runnable action) {
    deadlockActions.remove(action);
  }

  /// Whether something is ready afterwards.
  boolean run(ReadyQueue ready) {
    // one at a time: the coroutines that the first one wakes may help the others
    while (ready.isEmpty() && !deadlockActions.isEmpty()) {
      Runnable oldest = deadlockActions.iterator().next();
      deadlockActions.remove(oldest);
      oldest.run();
    }
    return !ready.isEmpty();
  }
}
