// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.Event;
import dev.heddle.event.EventHome;
import dev.heddle.scheduler.inbox.Inbox;

/// Wakes its waiters from any thread; pulls that come before the loop looks are one.
public final class TriggerEvent extends Event {
  private final Inbox inbox;
  private final Arrival arrival = new Arrival();
  private final String info;

  /// A trigger; `info` is what dumps call it.
  public TriggerEvent(EventHome home, Inbox inbox, String info) {
    super(home);
    this.inbox = inbox;
    this.info = info;
  }

  /// Fires the event soon, from any thread.
  ///
  /// @return false when the loop has ended
  public boolean pull() {
    return inbox.post(arrival);
  }

  @Override
  public boolean isHidden() {
    return false;
  }

  @Override
  public String info() {
    return info;
  }

  private final class Arrival extends Inbox.Node {
    @Override
    public void arrive() {
      // first, so that a pull from now on fires anew
      readmit();
      fire(null, null);
    }
  }
}
