// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A driver without I/O that calls a handler, as Netty's do: when the carrier has said that it
/// sleeps, behind a wait.
final class CallingDriver implements ReactorDriver {
  private final Thread carrier = Thread.currentThread();
  private volatile @Nullable Runnable handler;

  /// Has `called` run within the sleep that is or comes next. **Thread** any.
  void call(Runnable called) {
    handler = called;
    LockSupport.unpark(carrier);
  }

  @Override
  public int poll(long deadlineNanos) {
    if (deadlineNanos == NO_WAIT) {
      return 0;
    }
    if (handler == null) {
      park(deadlineNanos);
    }
    Runnable called = handler;
    if (called != null) {
      handler = null;
      called.run();
    }
    return 0;
  }

  private void park(long deadlineNanos) {
    if (deadlineNanos == NO_DEADLINE) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
    }
  }

  @Override
  public void wakeup() {
    LockSupport.unpark(carrier);
  }

  @Override
  public String name() {
    return "calling";
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return Map.of();
  }

  @Override
  public boolean isArmed() {
    return true;
  }

  @Override
  public void close() {}
}
