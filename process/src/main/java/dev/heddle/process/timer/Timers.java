// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The timers of one runtime: a wheel, and the thread that owns it.
///
/// **Thread** any arms and disarms. **Cost** to arm a timer again whose deadline moves later: a
/// store. Else a CAS, and a wake-up of the thread when it would sleep too long.
public final class Timers {
  /*
   * Whoever arms a timer writes its deadline, and pushes it on the stack of the hand-over, unless
   * it is there, or the wheel looks at it in time. The thread takes the whole stack, and lets the
   * wheel put each timer where its deadline says at that moment. What was disarmed meanwhile is
   * dropped; what is disarmed in the wheel is pushed once more, so that the thread takes it out.
   *
   * States of the thread.  from    event                              to      who, order
   *          AWAKE    nothing handed over, nothing due    ASLEEP  itself: stores until when, looks
   *                                                               at the stack once more, parks
   *          ASLEEP   arm() of an earlier deadline, every 1,024th in the stack, close()
   *                                                       AWAKE   any thread: CAS, the winner
   *                                                               unparks
   *          ASLEEP   the time has come                   AWAKE   itself: store
   *
   * I1. No timer waits in the stack while the thread sleeps beyond its deadline. Armer: pushes, or
   *     writes the deadline of one that is SUBMITTED, then reads `sleepsUntil`. Thread: writes
   *     `sleepsUntil`, then reads the stack. Both volatile (Dekker): the thread sees the timer, or
   *     the armer sees until when it sleeps. Mutant: HandOverStress.SleepsAtOnce. [HandOverStress,
   *     TimersTest]
   * I2. What is disarmed does not pile up. A timer is in the stack once, and in the wheel once. In
   *     the stack lie at most SWEEP disarmed ones: the thread is woken for each 1,024, and whoever
   *     makes them SWEEP, because the thread gets no processor, drops them itself. The wheel holds
   *     at most those disarmed that lie in the stack to be taken out. [TimersTest]
   * I3. The thread allocates nothing, catches everything, and stands behind no code that may
   *     block: fire() publishes and wakes. A timer that has no memory to fire does so a moment
   *     later. [TimersTest]
   *
   * Fair. The thread takes what is handed over in slices of 1,024, the latest batch first, and
   * fires between two slices what is due: a flood of timers holds up one that is due by a slice.
   *
   * Processors. Where workers keep all of them busy, the system lets this thread wait for
   * milliseconds. So workers ask isLate() at every 61st pick, and yield. Measured with two workers
   * on two processors: p99 of the lateness 0.5 to 0.9 of what it was.
   *
   * Memory order. The push publishes the node; the deadline is volatile, see Timer. What the owner
   * wrote before arming, fire() sees.
   *
   * Cost. Allocates nothing. An idle runtime's thread sleeps; one timer of 30 minutes wakes it
   * four times.
   *
   * Rejected. A coroutine on the loop for each wait, as it was: a kilobyte each, two submissions
   * for a wait that ends in time, and nothing that holds back who submits faster than the loop
   * runs. A wheel for each worker: TimerWheel. The JDK's delayed queues: a lock and log n for each
   * arming and disarming. Decision 0035.
   */
  private static final long AWAKE = Long.MIN_VALUE;
  private static final int SLICE = 1_024; // timers: some 50 us
  private static final int SWEEP = 65_536; // timers in the stack: some megabytes
  private static final long LATE_NANOS = 500_000; // half a tick; a wake-up takes some 50 us
  private static final long RETRY_NANOS = 10_000_000; // when memory had run out
  private static final Duration CENTURY = Duration.ofDays(36_525); // what the clock can count to

  private static final VarHandle SUBMITTED;
  private static final VarHandle SLEEPS_UNTIL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SUBMITTED = lookup.findVarHandle(Timers.class, "submitted", Timer.class);
      SLEEPS_UNTIL = lookup.findVarHandle(Timers.class, "sleepsUntil", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LongSupplier clock;
  private final long origin;
  private final Thread thread;
  private final TimerWheel wheel = new TimerWheel(this::fire);

  // any thread, CAS: the newest
  @SuppressWarnings("FieldMayBeFinal") // through SUBMITTED
  private volatile @Nullable Timer submitted;

  // the thread, and whoever wakes it by CAS
  private volatile long sleepsUntil = AWAKE;

  // the thread: when it was last seen to run
  private volatile long ranAt;

  // whoever closes it
  private volatile boolean closed;

  // the thread: taken from the stack, the oldest of the latest batch first
  private @Nullable Timer taken;

  /// Timers by the monotonic clock, whose thread is not started.
  ///
  /// @param name of the thread
  public Timers(String name) {
    this(name, System::nanoTime);
  }

  /// The same, by a clock that counts nanoseconds from anywhere.
  Timers(String name, LongSupplier clock) {
    this.clock = clock;
    this.origin = clock.getAsLong();
    this.thread = new Thread(null, this::run, name, 0, false);
    thread.setDaemon(true);
  }

  /// Starts the thread, with a timer that fires at once: so its code is linked while there is
  /// memory for that.
  public void start() {
    arm(
        new Timer() {
          @Override
          protected void fire() {}
        },
        0);
    thread.start();
  }

  // ---- the clock ----

  /// Nanoseconds since it was made; never goes back.
  public long now() {
    return clock.getAsLong() - origin;
  }

  /// The time that comes after so much from now on.
  ///
  /// @param delay nothing when it is negative, a century at most
  public long deadline(Duration delay) {
    if (delay.isNegative()) {
      return now();
    }
    return now() + (delay.compareTo(CENTURY) > 0 ? CENTURY : delay).toNanos();
  }

  // ---- owners of timers ----

  /// Lets a timer fire at a deadline, whatever it was to do before.
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
  /// @return false when it has fired, or is not armed; nothing has happened then
  /// @throws IllegalStateException when it is closed
  public boolean rearm(Timer timer, long deadline) {
    checkOpen();
    if (!decide(timer, deadline)) {
      return false;
    }
    notifyThread(timer, deadline);
    return true;
  }

  /// Lets a timer that has not fired never do so.
  ///
  /// @return false when it has fired, or is not armed
  public boolean disarm(Timer timer) {
    if (!decide(timer, Timer.DISARMED)) {
      return false;
    }
    requestRemoval(timer);
    return true;
  }

  /// Lets go of a timer that nobody will arm again, be it armed or not.
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

  // ---- the hand-over ----

  /// Sees to it that the thread looks at a timer by its deadline.
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

  /// Lets the thread take a timer out of the wheel that it need not look at any more.
  private void requestRemoval(Timer timer) {
    if (timer.place() == Timer.WHEEL && !closed) { // one that is handed over is seen to anyway
      submit(timer);
    }
  }

  private void submit(Timer timer) {
    StackGuard.requireAmpleRoom(); // between the mark and the push it would be lost
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

  /// Wakes the thread when it sleeps beyond a time.
  private void wakeBefore(long time) {
    long until = sleepsUntil; // after the push: I1
    if (time < until) {
      StackGuard.requireAmpleRoom(); // who marks it as awake must also wake it
      if (SLEEPS_UNTIL.compareAndSet(this, until, AWAKE)) {
        LockSupport.unpark(thread);
      }
    }
  }

  /// Drops from the stack what is disarmed and in no wheel. Any thread.
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
    wakeBefore(AWAKE + 1); // it may have looked while they were in nobody's sight
  }

  // ---- the thread ----

  /// Not one method with [#loop]: an error that the JVM throws when it cannot make objects again
  /// that compiled code has done without passes all catch blocks that were compiled into one.
  private void run() {
    while (!closed) {
      try {
        loop();
      } catch (Throwable t) { // safe: a turn that is cut off is made whole by the next one
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
      var _ = Thread.interrupted(); // nobody's business; it would keep the thread awake
    }
  }

  /// Takes what was handed over, fires what is due, and says how long the thread may sleep now.
  ///
  /// @return nanoseconds, 0 when there is something to do
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
    Timer oldest = taken; // what is left of batches before comes behind it
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
    } catch (VirtualMachineError e) { // there is no memory, or no stack, to say so either
      if (timer.casDeadline(Timer.FIRED, now() + RETRY_NANOS)) {
        wheel.place(timer);
      }
    } catch (Throwable t) {
      UninterruptibleLog.write(Level.ERROR, "a timer has failed: " + timer.getClass().getName(), t);
    }
  }

  // ---- what others read ----

  /// Whether the thread has had work for half a millisecond, and has not run: other threads hold
  /// the processors. As of a moment ago.
  public boolean isLate() {
    long until = sleepsUntil;
    long now = now();
    return until == AWAKE ? now - ranAt > LATE_NANOS : until < now - LATE_NANOS;
  }

  /// The thread.
  public Thread thread() {
    return thread;
  }

  /// How many timers it has, disarmed ones included that it has not let go yet; as of a moment ago.
  public int size() {
    return wheel.size() + submittedCount();
  }

  /// How many timers stand in the wheel. The thread, or a test without one.
  int inWheel() {
    return wheel.size();
  }

  /// How many lie in the hand-over.
  int submittedCount() {
    Timer seen = submitted;
    return seen == null ? 0 : seen.depth;
  }

  /// Until when the thread sleeps; the least number when it does not.
  long sleepsUntil() {
    return sleepsUntil;
  }

  // ---- the end ----

  /// Ends the thread: what is armed never fires. Waits for it, but not beyond a time.
  ///
  /// @return whether it has ended
  public boolean close(Duration within) throws InterruptedException {
    closed = true;
    LockSupport.unpark(thread);
    return thread.getState() == Thread.State.NEW || thread.join(within);
  }
}
