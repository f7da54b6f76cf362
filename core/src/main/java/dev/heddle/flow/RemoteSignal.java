// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.function.BooleanSupplier;

/// Wakes the coroutine that waits for a change of state which other threads write.
///
/// *Memory consistency*: what a thread did before [#signal()] is visible to the coroutine that it
/// wakes.
final class RemoteSignal extends EventSource {
  private final Scheduler home;
  private final String info;
  private final BooleanSupplier ready;
  private final Runnable arrived;
  private final Arrival arrival = new Arrival();

  /// A signal whose waiters wait for `info`, as dumps show it.
  ///
  /// @param ready whether a wait has nothing to wait for; reads what other threads write
  /// @param arrived called on the loop for a signal, in a tick
  RemoteSignal(Scheduler home, String info, BooleanSupplier ready, Runnable arrived) {
    super(home);
    this.home = home;
    this.info = info;
    this.ready = ready;
    this.arrived = arrived;
  }

  /// Announces a change that the caller has written. **Thread** any.
  void signal() {
    // safe: a loop that has ended has no waiter
    var _ = home.inbox().post(arrival);
  }

  // Not isClosed(): that is asked twice while a wait begins, and a change between the two would leave
  // a wait that counts as none. The wait is counted by now, and either this sees the change or the
  // thread that made it announces it.
  @Override
  protected void arm() {
    if (ready.getAsBoolean()) {
      signal();
    }
  }

  @Override
  protected void rearm() {
    arm();
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  public String info() {
    return info;
  }

  private final class Arrival extends Inbox.Node {
    @Override
    public void onArrival() {
      clearPosted(); // before the state is read: a later change posts again
      arrived.run();
      fire(null, null);
    }
  }
}
