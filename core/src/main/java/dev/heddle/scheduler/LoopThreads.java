// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.VirtualThreads;
import java.util.concurrent.ThreadFactory;

/// Creates virtual threads that are no coroutines and whose turns the loop runs, between those of
/// its coroutines. For loops with [SchedulerParts.Births#ON_LOOP], in place of threads of the
/// system.
final class LoopThreads implements ThreadFactory {
  private final Scheduler scheduler;
  private final String prefix;
  private int created; // loop only

  /// @param prefix of the threads' names, before their number
  LoopThreads(Scheduler scheduler, String prefix) {
    this.scheduler = scheduler;
    this.prefix = prefix;
  }

  @Override
  public Thread newThread(Runnable body) {
    Thread thread = VirtualThreads.create(scheduler::runBorn, body);
    thread.setName(prefix + ++created);
    return thread;
  }
}
