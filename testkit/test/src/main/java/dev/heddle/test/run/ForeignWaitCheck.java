// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.Dump;
import dev.heddle.observe.ForeignWait;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Looks through a dump for waits in the JDK that a simulation without the agent cannot end.
final class ForeignWaitCheck {
  private ForeignWaitCheck() {}

  /// Whether a coroutine waits in the JDK for an amount of time. On the carrier, with no coroutine
  /// mounted. **Cost** reads the states of all coroutines, not their stacks.
  static boolean hasTimedWait(CoroutineTree tree) {
    for (CoroutineNode<?> coroutine : tree.coroutines()) {
      ExecutionContext context = coroutine.context();
      if (context != null
          && context.isActive()
          && context.thread().getState() == Thread.State.TIMED_WAITING) {
        return true;
      }
    }
    return false;
  }

  /// The numbers of the coroutines that wait in the JDK. On the carrier, with no coroutine mounted.
  static List<Long> openWaits(CoroutineTree tree) {
    List<Long> ids = new ArrayList<>();
    for (CoroutineNode<?> coroutine : tree.coroutines()) {
      ExecutionContext context = coroutine.context();
      if (context != null && context.isActive()) {
        ids.add(coroutine.id());
      }
    }
    return ids;
  }

  /// Why the run must not go on; null: it may.
  static @Nullable String refusal(Dump dump) {
    for (CoroutineSnapshot coroutine : dump.coroutines()) {
      ForeignWait wait = coroutine.foreign();
      if (wait != null && wait.state() == Thread.State.TIMED_WAITING) {
        return refusal(coroutine, wait);
      }
    }
    return null;
  }

  private static String refusal(CoroutineSnapshot coroutine, ForeignWait wait) {
    return coroutine.label()
        + " waits in the JDK for an amount of real time ("
        + wait.method()
        + "), which the simulation does not control; use Heddle.delay or a deadline of Heddle, or run"
        + " with the agent heddle-world:\n"
        + coroutine.stack().stream()
            .map(frame -> "  at " + frame)
            .collect(Collectors.joining("\n"));
  }

  /// Whether coroutines wait for each other's locks.
  static boolean hasCycle(Dump dump) {
    return !new DeadlockReport(dump).cycles().isEmpty();
  }
}
