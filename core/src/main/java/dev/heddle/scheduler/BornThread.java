// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.inbox.Inbox;

/// One turn of a virtual thread that was created inside a coroutine and is no coroutine: the loop
/// runs it until it waits in the JDK or ends.
///
/// Only where [SchedulerParts.Births#ON_LOOP] says so. Otherwise the JDK's scheduler runs such
/// threads.
public final class BornThread extends Inbox.Node {
  private final ReadyQueue ready;
  private final Runnable turn;

  BornThread(ReadyQueue ready, Runnable turn) {
    this.ready = ready;
    this.turn = turn;
  }

  /// The task by which the JDK continues the thread: always the same object for the same thread.
  public Runnable turn() {
    return turn;
  }

  @Override
  public void onArrival() {
    ready.add(this);
  }
}
