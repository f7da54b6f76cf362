// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// A driver without descriptors, whose sleeps take no time: it advances the clock to the next
/// deadline of the loop or of the agenda instead.
///
/// Other threads may wake it. While the run says that one of them is at work, a sleep waits for it
/// and the clock stands still.
final class VirtualDriver implements ReactorDriver {
  /// What a run decides when its loop has nothing to do.
  interface Idle {
    /// Called before the clock is advanced, on the trampoline.
    ///
    /// @param endless whether neither the loop nor the agenda has a deadline
    Next onIdle(boolean endless);

    /// Called before each poll, on the trampoline.
    void beforePoll();

    /// Whether another thread will bring work, so that nothing that waits is deadlocked.
    boolean isHeld();
  }

  /// What happens in an idle poll.
  enum Next {
    /// The clock moves to the next deadline.
    ADVANCE,
    /// The poll ends: the run has changed something.
    RETURN,
    /// The carrier waits for a wake-up by another thread, for a while.
    WAIT
  }

  static final long WAIT_NANOS = 20_000_000; // then the run decides again

  private final VirtualClock clock;
  private final Agenda agenda;
  private final Idle idle;
  private final Thread carrier = Thread.currentThread();

  // any thread sets it, the carrier takes it
  private volatile boolean woken;

  // the carrier writes, the watch reads
  private volatile boolean waiting;

  VirtualDriver(VirtualClock clock, Agenda agenda, Idle idle) {
    this.clock = clock;
    this.agenda = agenda;
    this.idle = idle;
  }

  @Override
  public int poll(long deadlineNanos) {
    idle.beforePoll();
    if (deadlineNanos != NO_WAIT && !woken) {
      long next = Math.min(deadlineNanos, agenda.next());
      switch (idle.onIdle(next == NO_DEADLINE)) {
        case ADVANCE -> {
          if (next != NO_DEADLINE) {
            clock.advanceTo(next);
          }
        }
        case WAIT -> awaitWakeup();
        case RETURN -> {}
      }
    }
    woken = false;
    return agenda.runDue(clock.nanoTime());
  }

  private void awaitWakeup() {
    waiting = true;
    if (!woken) {
      LockSupport.parkNanos(this, WAIT_NANOS);
    }
    waiting = false;
  }

  /// Whether the carrier waits for another thread. **Thread** any.
  boolean isWaiting() {
    return waiting;
  }

  @Override
  public void wakeup() {
    woken = true;
    LockSupport.unpark(carrier);
  }

  @Override
  public String name() {
    return "simulation";
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return Map.of();
  }

  @Override
  public boolean isArmed() {
    return agenda.next() != NO_DEADLINE;
  }

  @Override
  public boolean hasEmbeddedEventLoop() {
    return idle.isHeld();
  }

  @Override
  public void close() {}
}
