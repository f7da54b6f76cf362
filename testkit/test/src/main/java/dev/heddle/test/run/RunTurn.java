// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.test.time.Agenda;
import dev.heddle.test.time.Turns;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Where the driver of a run sleeps. A sleep takes no time: it advances the clock to the next
/// deadline of the loop or of the agenda instead.
///
/// Other threads may wake it. While the run says that one of them is at work, a sleep waits for it
/// and the clock stands still.
final class RunTurn implements Turns, Turns.Turn, RunMember {
  /// What a run decides when its loop has nothing to do.
  interface Idle {
    /// Called before the clock is advanced, on the trampoline.
    ///
    /// @param endless whether neither the loop nor the agenda has a deadline
    Next onIdle(boolean endless);

    /// Lets another loop of the run go on.
    ///
    /// @return whether one could
    boolean runNode();

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

  // carrier only
  private BooleanSupplier hasWork = () -> false;
  private @Nullable Machine machine;
  private @Nullable Nodes nodes;

  // any thread sets it, the carrier takes it
  private volatile boolean woken;

  // the carrier writes, the watch reads
  private volatile boolean waiting;

  RunTurn(VirtualClock clock, Agenda agenda, Idle idle) {
    this.clock = clock;
    this.agenda = agenda;
    this.idle = idle;
  }

  /// Sets what the run's loop runs on, and its nodes. Before the loop begins.
  void attach(Machine runsOn, Nodes others) {
    machine = runsOn;
    nodes = others;
  }

  @Override
  public Machine machine() {
    return Objects.requireNonNull(machine, "it is attached before the loop begins");
  }

  @Override
  public boolean isNode() {
    return false;
  }

  @Override
  public Nodes nodes() {
    return Objects.requireNonNull(nodes, "they are attached before the loop begins");
  }

  // ---- time ----

  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  @Override
  public void schedule(long atNanos, Runnable action) {
    agenda.add(atNanos, action);
  }

  // ---- the turn ----

  @Override
  public void serve(Object driver, BooleanSupplier toDeliver) {
    hasWork = toDeliver;
  }

  @Override
  public void sleep(long deadlineNanos) {
    idle.beforePoll();
    if (!idle.runNode() && deadlineNanos != NO_WAIT && !woken && !hasWork.getAsBoolean()) {
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
    agenda.runDue(clock.nanoTime());
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
  public boolean expectsMore() {
    // what is on the agenda may end a wait that the loop knows nothing of
    return idle.isHeld() || agenda.next() != NO_DEADLINE;
  }

  @Override
  public void wakeup() {
    woken = true;
    LockSupport.unpark(carrier);
  }
}
