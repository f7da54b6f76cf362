// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.StackGuard;
import dev.heddle.internal.VarHandles;
import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The timers of one runtime: a wheel, and the timer thread that owns it.
///
/// **Thread** any arms and disarms. **Cost** a store, if the deadline of a timer in the wheel moves
/// later; otherwise a CAS, and a wake-up of the timer thread if it would sleep too long.
public sealed class Timers permits SimulatedTimers {
  /*
   * To arm a timer, its owner writes the deadline and pushes the node on the submission stack,
   * unless it is there already or the wheel will check it in time. The timer thread takes the whole
   * stack, and the wheel puts each timer into the slot of the deadline that it has at that moment.
   * Timers that were disarmed meanwhile are dropped. A timer that is disarmed in the wheel is
   * pushed once more, so that the timer thread removes it.
   *
   * States of the timer thread.
   *
   * from    event                                          to      by, with
   * AWAKE   the stack is empty and no timer is due         ASLEEP  itself: stores `sleepsUntil`,
   *                                                                reads the stack again, parks
   * ASLEEP  arm() of an earlier deadline, each 1,024th     AWAKE   any thread: CAS; the winner
   *         push, close()                                          unparks
   * ASLEEP  the time is reached                            AWAKE   itself: store
   *
   * I1. No timer waits on the stack while the thread sleeps beyond its deadline. An owner pushes,
   *     or writes the deadline of a SUBMITTED timer, then reads `sleepsUntil`. The thread writes
   *     `sleepsUntil`, then reads the stack. Both are volatile (Dekker): the thread sees the timer,
   *     or the owner sees how long the thread sleeps. Mutant: HandOverStress.SleepsAtOnce.
   *     [HandOverStress, TimersTest]
   * I2. Disarmed timers do not pile up. A timer is at most once on the stack and once in the wheel.
   *     The stack holds at most SWEEP disarmed timers: each 1,024th push wakes the thread, and if
   *     the thread gets no processor, the owner whose push makes the stack SWEEP deep drops them
   *     itself. The disarmed timers in the wheel are all on the stack too, to be removed.
   *     [TimersTest]
   * I3. The thread allocates nothing, catches everything, and waits for no code that may block:
   *     fire() publishes and wakes. A timer that lacks memory to fire is tried again a moment
   *     later. [TimersTest]
   *
   * Fairness. The thread takes submitted timers in slices of 1,024, the latest batch first, and
   * fires the due ones between two slices. So a flood of submissions delays a due timer by one
   * slice.
   *
   * Busy processors. If workers occupy all processors, the operating system may keep this thread
   * waiting for milliseconds. So workers check isLate() at every 61st pick, and yield. Measured
   * with two workers on two processors: the p99 of the lateness falls to 0.5 to 0.9 of what it was.
   *
   * Memory order. The push publishes the node; the deadline is volatile, see Timer. fire() sees
   * what the owner wrote before arming.
   *
   * Cost. Allocates nothing. The thread of an idle runtime sleeps; one timer of 30 minutes wakes it
   * four times.
   *
   * Rejected. A coroutine on the loop for each wait, as it was: a kilobyte each, two submissions
   * for a wait that ends in time, and no back-pressure on callers that submit faster than the loop
   * runs. A wheel for each worker: see TimerWheel. The JDK's delay queues: a lock and log n for
   * each arming and disarming. Decision 0035.
   */
  private static final long AWAKE = Long.MIN_VALUE;
  private static final int SLICE = 1_024; // timers: some 50 us
  private static final int SWEEP = 65_536; // timers on the stack: some megabytes
  private static final long LATE_NANOS = 500_000; // half a tick; a wake-up takes some 50 us
  private static final long RETRY_NANOS = 10_000_000; // after memory has run out
  private static final Duration CENTURY = Duration.ofDays(36_525); // within the clock's 292 years

  private static final VarHandle SUBMITTED = VarHandles.find(lookup(), "submitted", Timer.class);
  private static final VarHandle SLEEPS_UNTIL =
      VarHandles.find(lookup(), "sleepsUntil", long.class);

  private final LongSupplier clock;
  private final long origin;
  private final Thread thread;
  final TimerWheel wheel = new TimerWheel(this::fire);

  // any thread, CAS: the top of the submission stack
  @SuppressWarnings("FieldMayBeFinal") // through SUBMITTED
  private volatile @Nullable Timer submitted;

  // the timer thread; a thread that wakes it: CAS
  volatile long sleepsUntil = AWAKE;

  // the timer thread: when it has run last
  private volatile long ranAt;

  // the closing thread
  volatile boolean closed;

  // the timer thread: taken from the stack, the oldest of the latest batch first
  private @Nullable Timer taken;

  /// Timers by the monotonic clock, whose thread is not started.
  ///
  /// @param name of the timer thread
  public Timers(String name) {
    this(name, System::nanoTime);
  }

  /// The same, by a clock that counts nanoseconds from an arbitrary origin.
  Timers(String name, LongSupplier clock) {
    this.clock = clock;
    this.origin = clock.getAsLong();
    this.thread = new Thread(null, this::run, name, 0, false);
    thread.setDaemon(true);
  }

  /// Starts the thread, with a timer that fires at once: this links its code while there is memory
  /// for it.
  public void start() {
    arm(new WaitTimeout(this, () -> {}), 0);
    thread.start();
  }

  // ---- the clock ----

  /// The time of the clock itself, which counts from an arbitrary origin; monotonic.
  public final long nanoTime() {
    return clock.getAsLong();
  }

  /// Waits for a future, up to a time. The calling thread waits as in `CompletableFuture.get`, and
  /// gets the same.
  public <T extends @Nullable Object> T await(CompletableFuture<T> future, long nanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(nanos, TimeUnit.NANOSECONDS);
  }

  /// Nanoseconds since it was created; monotonic.
  public long now() {
    return clock.getAsLong() - origin;
  }

  /// The time after a delay from now on.
  ///
  /// @param delay a negative one counts as zero, a longer one as a century
  public long deadline(Duration delay) {
    if (delay.isNegative()) {
      return now();
    }
    return now() + (delay.compareTo(CENTURY) > 0 ? CENTURY : delay).toNanos();
  }

  // ---- owners of timers ----

  /// Arms a timer for a deadline, whatever its state was before.
  ///
  /// @param deadline by [#now]
  /// @throws IllegalStateException when it is closed
  public void arm(Timer timer, long deadline) {
    checkOpen();
    timer.deadline(deadline);
    notifyThread(timer, deadline);
  }

  /// Moves the deadline of a timer that has not fired.
  ///
  /// @return false when it has fired, or is not armed; nothing changes then
  /// @throws IllegalStateException when it is closed
  public boolean rearm(Timer timer, long deadline) {
    checkOpen();
    if (!decide(timer, deadline)) {
      return false;
    }
    notifyThread(timer, deadline);
    return true;
  }

  /// Disarms a timer that has not fired.
  ///
  /// @return false when it has fired, or is not armed
  public boolean disarm(Timer timer) {
    if (!decide(timer, Timer.DISARMED)) {
      return false;
    }
    requestRemoval(timer);
    return true;
  }

  /// Removes a timer, armed or not, that will not be armed again.
  void release(Timer timer) {
    timer.deadline(Timer.DISARMED);
    requestRemoval(timer);
  }

  private static boolean decide(Timer timer, long to) {
    while (true) {
      long seen = timer.deadline();
      if (!Timer.isTime(seen)) {
        return false;
      }
      if (timer.casDeadline(seen, to)) {
        return true;
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the runtime has shut down; its timers start no more waits");
    }
  }

  // ---- submission ----

  /// Makes sure that the timer thread checks a timer by its deadline.
  private void notifyThread(Timer timer, long deadline) {
    int place = timer.place(); // after the deadline was written: Timer, I1
    if ((place & Timer.SUBMITTED) == 0) {
      if ((place & Timer.WHEEL) != 0 && timer.due <= deadline) {
        return;
      }
      submit(timer);
    }
    wakeBefore(deadline);
  }

  /// Makes the timer thread remove a disarmed timer from the wheel.
  private void requestRemoval(Timer timer) {
    if (timer.place() == Timer.WHEEL && !closed) { // a SUBMITTED one is handled anyway
      submit(timer);
    }
  }

  private void submit(Timer timer) {
    StackGuard.requireAmpleRoom(); // an error between the mark and the push would lose the timer
    if ((timer.enters(Timer.SUBMITTED) & Timer.SUBMITTED) != 0) {
      return;
    }
    int depth = push(timer);
    if (depth % SLICE == 0) {
      wakeBefore(AWAKE + 1);
      if (depth % SWEEP == 0) {
        sweep();
      }
    }
  }

  private int push(Timer timer) {
    while (true) {
      Timer seen = submitted;
      int depth = seen == null ? 1 : seen.depth + 1;
      timer.below = seen;
      timer.depth = depth;
      if (SUBMITTED.compareAndSet(this, seen, timer)) {
        return depth;
      }
    }
  }

  /// Wakes the timer thread if it sleeps beyond a time.
  void wakeBefore(long time) {
    long until = sleepsUntil; // after the push: I1
    if (time < until) {
      StackGuard.requireAmpleRoom(); // a thread that marks it as awake must also unpark it
      if (SLEEPS_UNTIL.compareAndSet(this, until, AWAKE)) {
        LockSupport.unpark(thread);
      }
    }
  }

  /// Drops the timers on the stack that are disarmed and not in the wheel. Any thread.
  void sweep() {
    Timer all = (Timer) SUBMITTED.getAndSet(this, null);
    while (all != null) {
      Timer timer = all;
      all = timer.below;
      timer.below = null;
      boolean kept = timer.isArmed() || (timer.place() & Timer.WHEEL) != 0;
      if (!kept) {
        var _ = timer.leaves(Timer.SUBMITTED);
        // its owner may have armed it again before, and seen it SUBMITTED: Timer, I1
        kept = timer.isArmed() && (timer.enters(Timer.SUBMITTED) & Timer.SUBMITTED) == 0;
      }
      if (kept) {
        var _ = push(timer);
      }
    }
    wakeBefore(AWAKE + 1); // it may have read the stack while this thread had it
  }

  // ---- the timer thread ----

  /// Restarts [#loop] after a failure; apart from it for the reason that `Worker.runGuarded` gives.
  private void run() {
    while (!closed) {
      try {
        loop();
      } catch (Throwable t) { // safe: the next runOnce() completes an interrupted one
        LockSupport.parkNanos(this, RETRY_NANOS);
      }
    }
  }

  private void loop() {
    while (!closed) {
      long rest = runOnce();
      if (rest > 0) {
        LockSupport.parkNanos(this, rest);
      }
      sleepsUntil = AWAKE;
      var _ = Thread.interrupted(); // an interrupt would make each park return at once
    }
  }

  /// Takes the submitted timers and fires those that are due.
  ///
  /// @return how long the thread may sleep, in nanoseconds; 0 when there is more to do
  long runOnce() {
    advance();
    takeSubmitted();
    while (taken != null) {
      placeSlice();
      advance();
      takeSubmitted();
    }
    long next = wheel.nextNanos();
    sleepsUntil = next;
    if (submitted != null || closed) { // after the write: I1
      return 0;
    }
    return next == Long.MAX_VALUE ? next : Math.max(0, next - now());
  }

  private void advance() {
    long now = now();
    ranAt = now;
    wheel.advance(now);
  }

  private void takeSubmitted() {
    if (submitted == null) {
      return;
    }
    Timer newest = (Timer) SUBMITTED.getAndSet(this, null);
    Timer oldest = taken; // the rest of earlier batches goes behind this one
    while (newest != null) {
      Timer timer = newest;
      newest = timer.below;
      timer.below = oldest;
      oldest = timer;
    }
    taken = oldest;
  }

  private void placeSlice() {
    for (int i = 0; i < SLICE && taken != null; i++) {
      Timer timer = taken;
      taken = timer.below;
      timer.below = null;
      var _ = timer.leaves(Timer.SUBMITTED); // before the wheel reads its deadline: Timer, I1
      wheel.place(timer);
    }
  }

  private void fire(Timer timer) {
    try {
      timer.fire();
    } catch (VirtualMachineError e) { // no memory or stack, so none to log it either
      if (timer.casDeadline(Timer.FIRED, now() + RETRY_NANOS)) {
        wheel.place(timer);
      }
    } catch (Throwable t) {
      UninterruptibleLog.write(Level.ERROR, "a timer has failed: " + timer.getClass().getName(), t);
    }
  }

  // ---- reads from other threads ----

  /// Whether the timer thread has had work for half a millisecond and has not run, because other
  /// threads occupy the processors. As of a moment ago.
  public boolean isLate() {
    long until = sleepsUntil;
    long now = now();
    return until == AWAKE ? now - ranAt > LATE_NANOS : until < now - LATE_NANOS;
  }

  public Thread thread() {
    return thread;
  }

  /// The number of timers, disarmed ones included until they are removed; as of a moment ago.
  public int size() {
    return wheel.size() + submittedCount();
  }

  /// The number of timers on the submission stack.
  int submittedCount() {
    Timer seen = submitted;
    return seen == null ? 0 : seen.depth;
  }

  // ---- close ----

  /// Ends the timer thread: armed timers never fire. Waits for the thread, up to a time.
  ///
  /// @return whether it has ended
  public boolean close(Duration within) throws InterruptedException {
    closed = true;
    LockSupport.unpark(thread);
    return thread.getState() == Thread.State.NEW || thread.join(within);
  }
}
