// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.scheduler.context.ExecutionContext;

/// The thread of a loop. A driver asks it whether the calling thread belongs to the loop. It is
/// created before the scheduler, because the scheduler needs the driver.
public record Carrier(Thread thread) implements DriverHost {
  @Override
  public Thread carrier() {
    return thread;
  }

  @Override
  public boolean isLoopThread(Thread asking) {
    if (asking == thread) {
      return true;
    }
    ExecutionContext context = ExecutionContext.current();
    return asking == Thread.currentThread()
        && context != null
        && context.host() instanceof Scheduler scheduler
        && scheduler.carrier() == thread;
  }
}
