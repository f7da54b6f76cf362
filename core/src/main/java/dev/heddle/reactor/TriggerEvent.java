// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.scheduler.inbox.Inbox;

/// A trigger: fires each time it is signalled while a coroutine waits; otherwise it stays closed
/// until the next wait consumes the signal.
///
/// *Memory consistency*: what a thread did before [#fire] is visible to the coroutines it wakes.
public final class TriggerEvent extends EventSource implements Trigger {
  private final Inbox inbox;
  private final Arrival arrival = new Arrival();
  private final String name;

  // loop only
  private boolean pending;

  /// A trigger that dumps call `name`.
  public TriggerEvent(HomeLoop home, Inbox inbox, String name) {
    super(home);
    this.inbox = inbox;
    this.name = name;
  }

  @Override
  public boolean fire() {
    return inbox.post(arrival);
  }

  @Override
  public boolean isClosed() {
    return pending;
  }

  @Override
  public void onConsumed() {
    pending = false;
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  public String info() {
    return "the trigger '" + name + "'";
  }

  private final class Arrival extends Inbox.Node {
    @Override
    public void onArrival() {
      // first, so that a pull from now on posts again
      clearPosted();
      // closed until a coroutine consumes the signal: a waiter that is already woken by another
      // event, or is cancelled, does not
      pending = true;
      fire(null, null);
    }
  }
}
