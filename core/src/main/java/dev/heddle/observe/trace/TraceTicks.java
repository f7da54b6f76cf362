// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import dev.heddle.internal.DaemonThread;
import dev.heddle.internal.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/// A count that a thread of its own increments as long as a trace is recorded: what has happened
/// between two readings of it was short.
public final class TraceTicks implements AutoCloseable {
  /// From one tick to the next, at least.
  public static final long NANOS = 1_000_000; // a tick costs 5 to 15 us of a processor

  private static final VarHandle COUNT =
      VarHandles.find(MethodHandles.lookup(), "count", int.class);

  private final Thread thread;
  private volatile boolean over;

  // its thread writes
  private int count;

  /// Begins to tick.
  public TraceTicks() {
    thread = DaemonThread.of("heddle-trace-ticks", this::tick);
    DaemonThread.start(thread);
  }

  /// How often it has ticked. **Thread** any.
  public int count() {
    return (int) COUNT.getOpaque(this);
  }

  private void tick() {
    while (!over) {
      LockSupport.parkNanos(this, NANOS);
      COUNT.setOpaque(this, count + 1);
    }
  }

  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
