// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import dev.heddle.internal.DaemonThread;
import java.util.concurrent.locks.LockSupport;

/// Ticks on a thread of its own, as long as somebody looks at a loop: no other thread of a loop
/// wakes so often. A tick costs 5 to 15 us of a processor.
public final class TraceTicker implements AutoCloseable {
  private final TraceTicks ticks = new TraceTicks();
  private final Thread thread;
  private volatile boolean over;

  /// Begins to tick.
  public TraceTicker() {
    thread = DaemonThread.of("heddle-trace-ticks", this::tick);
    DaemonThread.start(thread);
  }

  /// What it counts.
  public TraceTicks ticks() {
    return ticks;
  }

  private void tick() {
    while (!over) {
      LockSupport.parkNanos(this, TraceTicks.NANOS);
      ticks.tick();
    }
  }

  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
