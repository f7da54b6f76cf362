// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.HomeLoop;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.IdentityHashMap;
import java.util.concurrent.CompletionStage;

/// The completion stages that the coroutines of one loop wait for.
///
/// **Thread** the loop's.
public final class CompletionStageWaits {
  /*
   * There is one registration for each stage and loop while at least one coroutine waits for the
   * stage. All of them wait for one remote event, which the stage completes. When the last wait
   * ends earlier than the stage, it removes the registration.
   *
   * Removal. The JDK has no call that removes a dependent from a stage. Waits that are cancelled
   * again and again on a long-lived future would leave one dependent each. But `anyOf` removes
   * itself from its other futures as soon as one of them completes. So a JDK future is awaited
   * together with a future that the last wait completes. A stage of another class keeps the
   * dependent.
   *
   * Registration runs the stage's code, which may be user code: it may throw, and it may wait. So a
   * registration enters the table only after it was made. If two coroutines register with the same
   * stage at once, each has its own registration, and the table keeps the first.
   *
   * I1. Without a wait of this loop, a JDK future has no dependent of this loop.
   *     [CompletionStageWaitTest]
   * I2. A stage has one dependent for all waits that began one after the other.
   *     [CompletionStageWaitTest]
   *
   * Cost. A wait: one table look-up. A removal scans all dependents of the future: with one
   * registration for each wait, n cancelled waits would take n * n steps. [CompletionStageWaitTest]
   */
  private final HomeLoop home;
  private final Inbox inbox;

  // loop only
  private final IdentityHashMap<CompletionStage<?>, CompletionStageWait> byStage =
      new IdentityHashMap<>();

  /// An empty table.
  ///
  /// @param inbox the loop's, through which other threads complete the events
  public CompletionStageWaits(HomeLoop home, Inbox inbox) {
    this.home = home;
    this.inbox = inbox;
  }

  /// Begins a wait for a stage, which ends with [CompletionStageWait#close()].
  public CompletionStageWait enter(CompletionStage<?> stage) {
    CompletionStageWait wait = byStage.get(stage);
    if (wait == null) {
      String info = "a " + stage.getClass().getSimpleName();
      wait = new CompletionStageWait(this, stage, new RemoteEvent(home, inbox, info));
      byStage.putIfAbsent(stage, wait);
    }
    wait.enter();
    return wait;
  }

  void forget(CompletionStage<?> stage, CompletionStageWait wait) {
    byStage.remove(stage, wait);
  }

  /// The loop has ended: removes the registrations of abandoned coroutines.
  public void close() {
    byStage.values().forEach(CompletionStageWait::unregister);
    byStage.clear();
  }
}
