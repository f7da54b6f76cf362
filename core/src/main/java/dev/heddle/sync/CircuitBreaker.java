// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.failure.CarriedFailures;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Nanos;
import dev.heddle.internal.Rethrow;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Refuses calls to a service that fails, so that callers learn it at once, and the service is not
/// asked while it cannot reply. From time to time it lets a trial call through.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=breaker}
///
/// | state | a call | leaves the state when |
/// |---|---|---|
/// | CLOSED | is let through | as many of the last calls failed as the options allow |
/// | OPEN | is refused | the time of the [RecoveryStrategy] is over |
/// | HALF_OPEN | is let through if a trial is free | all succeeded: CLOSED; one failed: OPEN |
///
/// A call counts when it ends, unless the state has changed since it began. These calls count as
/// neither failure nor success, and their trial is free again:
///
/// - a call whose caller was cancelled before its end, or left it at the end of a block with a
///   deadline, whatever it returns or throws; but the clean-up of a cancelled coroutine may make
///   calls that count until its grace period ends,
/// - a call that throws a [Cancellation], also that of a coroutine which it awaits,
/// - a call that throws a [WaitCancelledException], as the token of a wait has fired.
///
/// **Suspends** never by itself. **Thread** the loop on which it was created. **Cost** a call that
/// is let through allocates its permit.
///
/// @since 0.1
public final class CircuitBreaker {
  /*
   * States.
   *   from       event                                 to         what happens
   *   CLOSED     a call failed, and the limit is met   OPEN       attempt 1
   *   OPEN       a call, or state(), after openUntil   HALF_OPEN  all trials are free
   *   HALF_OPEN  a trial succeeded, the last one       CLOSED     the counts start anew
   *   HALF_OPEN  a trial failed                        OPEN       the next attempt
   *   any        trip()                                OPEN       the next attempt
   *   any        probe()                               HALF_OPEN  all trials are free
   *   any        reset()                               CLOSED     the counts start anew
   *
   * Pools. A lease is a call that may last for hours, and must not be the only trial for so long.
   * So the trial of a lease ends when the service has replied: the factory or a check has
   * succeeded. The permit lives on as one of the era that this leads to; what happens to the lease
   * still counts there, but in HALF_OPEN only a failure. An idle resource that is lent unchecked
   * asks nothing of the service: its permit takes no trial, and counts when it ends.
   *
   * No timer runs: the time is looked at when a call comes. So an open circuit breaker neither
   * keeps the loop alive nor hides a deadlock.
   *
   * User code. The predicate, the recovery strategy and the listener are the user's, and may throw.
   * What they throw is logged: a predicate then counts the call as a failure, the default strategy
   * decides instead of the one that threw, and the state has changed before the listener is called.
   * A cancellation or a fatal error is thrown on, and carries the failure of the call. The trial is
   * free then.
   *
   * Threads. The loop's.
   *
   * I1. While it is half open, the trials in use and those that succeeded are together never more
   *     than the trial calls; every trial is settled exactly once, also by a cancellation, and
   *     whatever user code throws. [CircuitBreakerTest, CircuitBreakerFaultTest]
   * I2. A permit of an earlier era, from before the last change of the state, changes nothing.
   *     [CircuitBreakerTest]
   * I3. A permit counts at most one success in an era. [PoolBreakerTest]
   *
   * Rejected. A share of failures within a time: needs a clock reading for each call, and at low
   * load one failure is 100 %.
   */

  /// What a circuit breaker does with calls.
  ///
  /// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=state}
  ///
  /// @since 0.1
  public enum State {
    /// It lets them through.
    CLOSED,
    /// It refuses them.
    OPEN,
    /// It lets trial calls through.
    HALF_OPEN,
  }

  /// Is called after each change of the state: for logs and metrics.
  ///
  /// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=breakerOptions}
  ///
  /// @since 0.1
  @FunctionalInterface
  public interface Listener {
    /// Called in the coroutine whose call changed the state: as no timer runs, [State#HALF_OPEN]
    /// begins with the first call after the time. Must neither block nor suspend. What it throws is
    /// logged.
    void onStateChange(State from, State to);
  }

  /// A circuit breaker at one moment.
  ///
  /// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=breakerSnapshot}
  ///
  /// @param name its name, or null
  /// @param state what it does with calls
  /// @param failures how many of the last calls failed, as it counted them when it was closed
  /// @param window how many last calls that are
  /// @param opened how often it has opened since it was closed the last time
  /// @param refused how many calls it has refused so far
  /// @param lastFailure the last failure that it counted, or null
  /// @since 0.1
  public record Snapshot(
      @Nullable String name,
      State state,
      int failures,
      int window,
      int opened,
      long refused,
      @Nullable Throwable lastFailure) {}

  private static final int FIRST_RING = 64; // calls

  private final Scheduler home;
  private final CircuitBreakerOptions options;

  // loop only
  private boolean[] failed; // the last calls, as a ring; grows up to the window
  private State state = State.CLOSED;
  private int era; // the number of changes of the state; wraps
  private int next; // the place in the ring for the next call
  private int failures; // in the ring
  private int trials; // of this era: in use, or succeeded
  private int succeeded;
  private int attempts; // opened since it was closed the last time
  private long openUntil;
  private @Nullable Throwable lastFailure;
  private long refused;

  /// A closed circuit breaker of the current loop, with the default options.
  ///
  /// @throws IllegalStateException outside a coroutine
  public CircuitBreaker() {
    this(CircuitBreakerOptions.defaults());
  }

  /// A closed circuit breaker of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public CircuitBreaker(CircuitBreakerOptions options) {
    this.home = CoroutineNode.current().scheduler();
    this.options = options;
    this.failed = new boolean[Math.min(options.window, FIRST_RING)];
  }

  // ---- calls ----

  /// Runs `body`, and counts how it ends.
  ///
  /// @throws ServiceUnavailableException when the call is refused; `body` was not run
  /// @throws CoroutineException when the body threw a checked exception; unchecked exceptions and
  ///   errors are thrown as they are
  public <T extends @Nullable Object> T run(Body<? extends T> body) {
    Permit permit = acquire();
    T result;
    try {
      result = body.run();
    } catch (Throwable e) {
      permit.end(e);
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
    permit.returned();
    return result;
  }

  /// Runs an action, and counts how it ends. Otherwise as [#run(Body)].
  public void run(Action action) {
    this.<@Nullable Void>run(() -> {
      action.run();
      return null;
    });
  }

  /// Begins a call whose end the caller reports to the permit. For calls that are not one block of
  /// code; otherwise [#run(Body)] is simpler.
  ///
  /// @throws ServiceUnavailableException when the call is refused
  /// @throws IllegalStateException when the circuit breaker belongs to another loop
  public Permit acquire() {
    Permit permit = tryAcquire();
    if (permit == null) {
      throw refused();
    }
    return permit;
  }

  /// Begins a call, if it is let through. Otherwise as [#acquire()].
  ///
  /// @return the permit; null when the call is refused
  public @Nullable Permit tryAcquire() {
    Permit permit =
        switch (state()) {
          case CLOSED -> new Permit(false);
          case OPEN -> null;
          case HALF_OPEN -> trials == options.trialCalls ? null : new Permit(true);
        };
    if (permit == null) {
      refused++;
    } else if (permit.inTrial) {
      trials++;
    }
    return permit;
  }

  /// Begins a call that asks nothing of the service, so that it takes no trial.
  ///
  /// @throws ServiceUnavailableException when it is open
  Permit acquireWithoutTrial() {
    checkNotOpen();
    return new Permit(false);
  }

  /// Throws when every call is refused now.
  void checkNotOpen() {
    if (state() == State.OPEN) {
      refused++;
      throw refused();
    }
  }

  private ServiceUnavailableException refused() {
    return new ServiceUnavailableException(refusal(), retryAfter(), lastFailure);
  }

  /// A call that was let through. Its first report counts, further ones are ignored.
  ///
  /// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=permit}
  ///
  /// @since 0.1
  public final class Permit implements AutoCloseable {
    // loop only
    private final int deliveredBefore = CoroutineNode.current().deliveredBlocks();
    private int since = era;
    private boolean inTrial; // it has one of the trials of its era
    private boolean counted; // as a success, while it was half open
    private boolean settled;

    private Permit(boolean inTrial) {
      this.inTrial = inTrial;
    }

    /// The call succeeded.
    public void success() {
      if (settle() && !(counted && state == State.HALF_OPEN)) {
        succeeded();
      }
    }

    /// The call failed.
    ///
    /// @param why becomes the cause of refusals; null: unknown
    public void failure(@Nullable Throwable why) {
      if (settle()) {
        trials -= inTrial ? 1 : 0; // first: the clock or the strategy may throw
        lastFailure = why;
        failed();
      }
    }

    /// The call has ended without a report: it counts as neither. Does nothing after a report.
    @Override
    public void close() {
      if (settle() && inTrial) {
        trials--;
      }
    }

    /// The service has replied: a trial ends, with success. The end of the call counts later.
    void replied() {
      if (!inTrial || !isCurrent()) {
        return;
      }
      inTrial = false;
      counted = true;
      if (isCancelled()) {
        trials--; // what it made may come from its caller
      } else {
        succeeded();
        if (era == since + 1) { // else a listener has changed the state once more
          since = era; // a call of the state that this has led to
        }
      }
    }

    /// The call returned, in the coroutine that began it.
    void returned() {
      if (isCancelled()) {
        close(); // what it returned may come from its caller
      } else {
        success();
      }
    }

    /// The call threw `e`, in the coroutine that began it.
    void end(Throwable e) {
      try {
        if (isCallersEnd(e) || FailureTable.isFatal(e)) {
          close();
        } else if (isFailure(e)) {
          failure(e);
        } else {
          success();
        }
      } catch (Throwable met) {
        close();
        CarriedFailures.carry(met, e);
        throw met;
      }
    }

    /// Whether the call, which threw `e`, was ended by a cancellation. Code may have made any
    /// exception of that of its caller.
    boolean isCallersEnd(Throwable e) {
      return e instanceof Cancellation || e instanceof WaitCancelledException || isCancelled();
    }

    private boolean isCancelled() {
      return CoroutineNode.current().isCancelledSince(deliveredBefore);
    }

    private boolean isFailure(Throwable e) {
      try {
        return options.isFailure.test(e);
      } catch (Throwable met) {
        report("the predicate", met);
        return true;
      }
    }

    private boolean settle() {
      boolean counts = isCurrent();
      settled = true;
      return counts;
    }

    private boolean isCurrent() {
      return !settled && since == era && !home.hasEnded();
    }
  }

  private void succeeded() {
    if (state == State.CLOSED) {
      record(false);
    } else if (++succeeded == options.trialCalls) {
      change(State.CLOSED);
    }
  }

  private void failed() {
    if (state == State.CLOSED) {
      record(true);
    }
    if (state == State.HALF_OPEN || failures >= options.failures) {
      open();
    }
  }

  private void record(boolean failure) {
    if (next == failed.length) {
      failed = Arrays.copyOf(failed, (int) Math.min(options.window, 2L * next));
    }
    failures += (failure ? 1 : 0) - (failed[next] ? 1 : 0);
    failed[next] = failure;
    next = next + 1 == options.window ? 0 : next + 1;
  }

  // ---- states ----

  /// What it does with calls now.
  ///
  /// @throws IllegalStateException when it belongs to another loop
  public State state() {
    checkLoop();
    if (state == State.OPEN && openUntil != Nanos.NEVER && home.nanoTime() - openUntil >= 0) {
      change(State.HALF_OPEN);
    }
    return state;
  }

  /// Opens it, as failures do.
  public void trip() {
    checkLoop();
    open();
  }

  /// Lets trial calls through from now on.
  public void probe() {
    checkLoop();
    change(State.HALF_OPEN);
  }

  /// Closes it, and forgets all failures.
  public void reset() {
    checkLoop();
    change(State.CLOSED);
  }

  private void open() {
    Duration time = openTime(attempts + 1); // first: it may throw
    openUntil = Nanos.after(home.nanoTime(), time);
    attempts++;
    change(State.OPEN);
  }

  private Duration openTime(int attempt) {
    try {
      Duration time = options.recovery.openTime(attempt);
      return Objects.requireNonNull(time, "the recovery strategy returned null");
    } catch (Throwable e) {
      report("the recovery strategy", e);
      return CircuitBreakerOptions.DEFAULT_RECOVERY.openTime(attempt);
    }
  }

  private void change(State to) {
    State from = state;
    state = to;
    era++;
    trials = 0;
    succeeded = 0;
    if (to == State.CLOSED) {
      attempts = 0;
      failures = 0;
      next = 0;
      Arrays.fill(failed, false);
    }
    if (from != to) {
      inform(from, to);
    }
  }

  // last: the state is changed, whatever the listener does
  private void inform(State from, State to) {
    try {
      options.listener.onStateChange(from, to);
    } catch (Throwable e) {
      report("the listener", e);
    }
  }

  // logs what user code has thrown, except what the caller must not miss
  private void report(String code, Throwable e) {
    FailureTable.throwIfFatal(e);
    if (e instanceof Cancellation) {
      throw Rethrow.unchecked(e);
    }
    CoroutineNode.current().tree().host().report(code + " of " + describe() + " failed", e);
  }

  private void checkLoop() {
    if (CoroutineNode.current().scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
  }

  // ---- views ----

  /// How long every call is still refused: zero unless it is open; null when only [#probe()] or
  /// [#reset()] ends that.
  public @Nullable Duration retryAfter() {
    if (state != State.OPEN) {
      return Duration.ZERO;
    }
    return openUntil == Nanos.NEVER
        ? null
        : Duration.ofNanos(Math.max(0, openUntil - home.nanoTime()));
  }

  /// Its state and its counts now.
  ///
  /// @throws IllegalStateException when it belongs to another loop
  public Snapshot snapshot() {
    return new Snapshot(
        options.name, state(), failures, options.window, attempts, refused, lastFailure);
  }

  /// One line for reports: name, state, the last failure.
  public String info() {
    String why =
        lastFailure == null || state == State.CLOSED ? "" : "; last failure: " + lastFailure;
    return switch (state) {
      case CLOSED ->
          "%s, closed, %d of the last %d calls failed"
              .formatted(describe(), failures, options.window);
      case OPEN -> describe() + ", open" + why;
      case HALF_OPEN ->
          "%s, half open, %d of %d trial calls succeeded%s"
              .formatted(describe(), succeeded, options.trialCalls, why);
    };
  }

  @Override
  public String toString() {
    return info();
  }

  private String refusal() {
    String what = describe() + " refuses calls: ";
    if (state == State.HALF_OPEN) {
      return what + "its trial calls have not ended; try again later";
    }
    return openUntil == Nanos.NEVER
        ? what + "it is open until probe() or reset()"
        : what + "it is open for another " + retryAfter() + "; try again then";
  }

  private String describe() {
    return options.name == null
        ? "a circuit breaker"
        : "the circuit breaker '" + options.name + "'";
  }
}
