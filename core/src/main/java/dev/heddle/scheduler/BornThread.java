// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.inbox.Inbox;
import org.jspecify.annotations.Nullable;

/// One turn of a virtual thread that was created inside a coroutine and is no coroutine: the loop
/// runs it until it waits in the JDK or ends.
///
/// Only where [SchedulerParts.Births#ON_LOOP] says so. Otherwise the JDK's scheduler runs such
/// threads.
public final class BornThread extends Inbox.Node {
  private final BornThreads threads;
  private final Runnable turn;
  private final @Nullable Thread thread;

  BornThread(BornThreads threads, Runnable turn, @Nullable Thread thread) {
    this.threads = threads;
    this.turn = turn;
    this.thread = thread;
  }

  /// The thread; null where only the JDK knows it.
  public @Nullable Thread thread() {
    return thread;
  }

  /// The task by which the JDK continues the thread: always the same object for the same thread.
  public Runnable turn() {
    return turn;
  }

  @Override
  public void onArrival() {
    threads.arrived(this);
  }

  void run() {
    threads.run(this);
  }
}
