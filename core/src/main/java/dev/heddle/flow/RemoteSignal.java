// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.function.BooleanSupplier;

/// Wakes the coroutine that waits for a change of state which other threads write.
///
/// *Memory consistency*: what a thread did before [#signal()] is visible to the coroutine that it
/// wakes.
final class RemoteSignal extends EventSource {
  /*
   * A thread writes the change, and then calls signal(). The coroutine subscribes, then start()
   * counts its wait and calls arm(), which asks whether there is a change already.
   *
   * I1. A change ends the wait that was to be told of it, whenever it comes. [RemoteSignalStress]
   * I2. A wait counts as one from start() on, whatever other threads write meanwhile: the loop
   *     reports no deadlock in between. [RemoteSignalTest]
   *
   * Memory order. Thread: write the change, then post the arrival. Coroutine: subscribe, then arm()
   * reads the change. If it does not see it, the thread's post comes later than the subscription,
   * and so does its arrival: the loop runs both. If the node is in the inbox already, the post is
   * covered by the arrival that is to come (Inbox, I3). Mutant: RemoteSignalStress.AsksTooSoon.
   *
   * Rejected. Answering isClosed() by the change: start() and its caller ask it one after the
   * other, and a change between the two would leave a wait that does not count.
   */
  private final Inbox inbox;
  private final String info;
  private final BooleanSupplier ready;
  private final Runnable arrived;
  private final Arrival arrival = new Arrival();

  /// A signal whose waiters wait for `info`, as dumps show it.
  ///
  /// @param inbox of `home`
  /// @param ready whether a wait has nothing to wait for; reads what other threads write
  /// @param arrived called on the loop for a signal, in a tick
  RemoteSignal(HomeLoop home, Inbox inbox, String info, BooleanSupplier ready, Runnable arrived) {
    super(home);
    this.inbox = inbox;
    this.info = info;
    this.ready = ready;
    this.arrived = arrived;
  }

  /// Announces a change that the caller has written. **Thread** any.
  void signal() {
    // safe: a loop that has ended has no waiter
    var _ = inbox.post(arrival);
  }

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
