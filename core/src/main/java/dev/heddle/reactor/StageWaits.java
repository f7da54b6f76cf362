// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.EventHome;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.IdentityHashMap;
import java.util.concurrent.CompletionStage;

/// The stages of other libraries that the coroutines of one loop wait for.
///
/// **Thread** the loop's.
public final class StageWaits {
  /*
   * One registration for each stage and loop, while at least one coroutine waits for the stage. All
   * of them wait for one remote event, which the stage completes; the last one that leaves,
   * however, takes the registration off the stage.
   *
   * Taking it off. The JDK has no call that removes a dependent from a stage; a wait that is cut,
   * again and again, on a future that lives long would leave one each time. But `anyOf` takes
   * itself off the others as soon as one of its futures has completed: so a future of the JDK's is
   * awaited together with one that the last wait completes. A stage of another kind keeps the
   * dependent.
   *
   * Registering runs the stage's code, which may be anybody's: it may throw, and it may wait. So a
   * registration is listed when it has been made. Two coroutines that make one for the same stage
   * at once have one each, and the first is listed.
   *
   * I1. Without a wait of this loop nothing of it stays with a future of the JDK's. [StageWaitTest]
   * I2. A stage has one dependent for all waits that began one after the other. [StageWaitTest]
   *
   * Cost. A wait: a look into a table. Taking a registration off looks at every dependent that the
   * future has: with one registration for each wait, n waits that were cut would take n * n steps.
   * [StageWaitTest]
   */
  private final EventHome home;
  private final Inbox inbox;

  // loop only
  private final IdentityHashMap<CompletionStage<?>, StageWait> waits = new IdentityHashMap<>();

  /// None so far.
  ///
  /// @param inbox of the loop, for what other threads complete
  public StageWaits(EventHome home, Inbox inbox) {
    this.home = home;
    this.inbox = inbox;
  }

  /// Begins a wait for a stage, which ends with [StageWait#close()].
  public StageWait enter(CompletionStage<?> stage) {
    StageWait wait = waits.get(stage);
    if (wait == null) {
      String info = "a " + stage.getClass().getSimpleName();
      wait = new StageWait(this, stage, new RemoteEvent(home, inbox, info));
      waits.putIfAbsent(stage, wait);
    }
    wait.enter();
    return wait;
  }

  void forget(CompletionStage<?> stage, StageWait wait) {
    waits.remove(stage, wait);
  }

  /// The loop has ended: takes off what coroutines that were abandoned have left.
  public void close() {
    waits.values().forEach(StageWait::unregister);
    waits.clear();
  }
}
