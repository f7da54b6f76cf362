// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.DeadlineException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.InWords;
import dev.heddle.internal.StackGuard;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A limit on how often the coroutines of one loop do something: so many times a second, and so
/// many at once.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=rateLimiter}
///
/// It is a bucket of permits that fills at a steady rate, up to the burst. Each [#acquire()] takes
/// a permit, and waits for it if the bucket is empty. Permits are not given back. The bucket is
/// full at first.
///
/// In any time `t`, at most `burst + t * rate` permits are taken, to the nanosecond. The time is
/// that of the loop's clock, so a test in virtual time takes no time.
///
/// **Thread** the loop on which it was created. **Cancelled** nothing is left behind: a waiter that
/// leaves has taken nothing, and those behind it come earlier; one that was given its permits but
/// is cancelled before it runs gives them back. **Deadlines** an [#acquire(Deadline)] that cannot
/// get its permits in time, even if all waiters before it left, throws at once. **Order** first
/// come, first served, without barging, whatever number each wants. A coroutine that never has to
/// wait lets others run at every 64th [#acquire()]. **Cost** without waiting: a clock read, no
/// switch but that, no allocation; one timer for all waiters.
///
/// @since 0.1
public final class RateLimiter {
  /*
   * The bucket holds units. A permit costs as many units as the period has nanoseconds, and each
   * nanosecond brings as many units as there are permits in a period, both divided by what they
   * have in common. So the level is exact, at any rate and after any time. A waiter is served at
   * the first nanosecond at which the level suffices; what that nanosecond brings beyond, less than
   * a permit, stays in the bucket even if it is full. Else the rate would fall by that much at each
   * wait.
   *
   * A waiter takes nothing in advance. When the oldest waiter can have its permits, a timer serves
   * it, and is armed for the next. So a waiter that leaves makes room for those behind it, and no
   * debt stays.
   *
   * Threads. The loop's.
   *
   * I1. While a coroutine waits, the timer is armed for the moment at which the oldest waiter can
   *     be served, or that waiter's wait has ended and it has not left yet. [RateLimiterModelTest]
   * I2. Without waiters no timer is armed: the limiter does not keep the loop alive.
   *     [RateLimiterModelTest]
   * I3. No coroutine overtakes a waiter: tryAcquire() fails while one waits. [RateLimiterTest]
   * I4. An acquire() that gives up before it waits could not have ended in time: at its deadline
   *     the bucket would have too little for it alone. The waiters before it may leave, so what
   *     they want does not count; and while a served one may still give permits back, none gives
   *     up. [RateLimiterTest]
   *
   * Rejected. A place in time for each waiter as it arrives, as Guava's and Go's: a waiter that
   * leaves then keeps its place, or every later one has to move.
   *
   * Sources. trap-1, trap-2, trap-3, trap-14, trap-15.
   */
  private final Scheduler home;
  private final @Nullable String name;
  private final int perPeriod; // permits
  private final Duration period;
  private final int burst;
  private final long unitsPerPermit;
  private final long unitsPerNano;
  private final long full;
  private final long brim;
  private final Waiters waiters = new Waiters();
  private final Refill refill = new Refill();

  // loop only
  private long level; // units in the bucket
  private long filledAt; // when it held these, on the scale of the loop's clock
  private int unsettled; // waiters that were served, and have neither continued nor left

  private RateLimiter(@Nullable String name, int permits, Duration period, int burst) {
    this.home = CoroutineNode.current().scheduler();
    this.name = name;
    this.perPeriod = checked(permits);
    this.period = period;
    this.burst = checked(burst);
    if (!period.isPositive()) {
      throw new IllegalArgumentException("a period of " + period + " is over before it begins");
    }
    try {
      long nanos = period.toNanos();
      long common = BigInteger.valueOf(permits).gcd(BigInteger.valueOf(nanos)).longValueExact();
      this.unitsPerPermit = nanos / common;
      this.unitsPerNano = permits / common;
      this.full = Math.multiplyExact(unitsPerPermit, 3L * burst) / 3; // sums of three fit
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "a burst of %s is too large for %s permits in %s".formatted(burst, permits, period), e);
    }
    this.brim = full + Math.min(unitsPerNano, unitsPerPermit) - 1;
    this.level = full;
    this.filledAt = home.nanoTime();
  }

  /// A limiter of the current loop. The burst is the same number: what was not taken in one period
  /// can be taken in the next.
  ///
  /// @param permits how many in each period, at least 1
  /// @param period positive
  /// @throws IllegalStateException outside a coroutine
  public static RateLimiter of(int permits, Duration period) {
    return new RateLimiter(null, permits, Objects.requireNonNull(period, "period"), permits);
  }

  /// A limiter as by [#of(int, Duration)], with a name for reports.
  public static RateLimiter of(String name, int permits, Duration period) {
    Objects.requireNonNull(name, "name");
    return new RateLimiter(name, permits, Objects.requireNonNull(period, "period"), permits);
  }

  /// A limiter with a burst of its own. With a burst of 1, permits are spread evenly over the time.
  /// Otherwise as [#of(int, Duration)].
  ///
  /// @param burst how many can be taken at once, at least 1
  public static RateLimiter of(int permits, Duration period, int burst) {
    return new RateLimiter(null, permits, Objects.requireNonNull(period, "period"), burst);
  }

  /// A limiter as by [#of(int, Duration, int)], with a name for reports.
  public static RateLimiter of(String name, int permits, Duration period, int burst) {
    Objects.requireNonNull(name, "name");
    return new RateLimiter(name, permits, Objects.requireNonNull(period, "period"), burst);
  }

  private static int checked(int permits) {
    if (permits < 1) {
      throw new IllegalArgumentException(
          permits + " permits: a rate limiter counts from 1 on; it would never let anything pass");
    }
    return permits;
  }

  // ---- acquiring ----

  /// Takes a permit. **Suspends** while there is none.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the limiter belongs to another loop
  public void acquire() {
    acquire(1, Deadline.never(), null);
  }

  /// Takes a permit, but waits no longer than a deadline. Otherwise as [#acquire()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; at once, if no permit
  ///   can come before it
  public void acquire(Deadline deadline) {
    acquire(1, deadline, null);
  }

  /// Takes a permit, but waits no longer than until `token` fires. Otherwise as [#acquire()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void acquire(Awaitable<?> token) {
    acquire(1, Deadline.never(), EventSource.of(token));
  }

  /// Takes several permits together. Otherwise as [#acquire()].
  ///
  /// @param permits how many, from 1 up to the burst
  public void acquire(int permits) {
    acquire(permits, Deadline.never(), null);
  }

  /// Takes several permits together, but waits no longer than a deadline. Otherwise as
  /// [#acquire(int)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; at once, if so many
  ///   permits cannot come before it
  public void acquire(int permits, Deadline deadline) {
    acquire(permits, deadline, null);
  }

  /// Takes several permits together, but waits no longer than until `token` fires. Otherwise as
  /// [#acquire(int)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void acquire(int permits, Awaitable<?> token) {
    acquire(permits, Deadline.never(), EventSource.of(token));
  }

  private void acquire(int permits, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    long wanted = unitsOf(permits);
    home.consumeBudget(self); // first: it may throw
    if (take(wanted)) {
      return;
    }
    checkNotHopeless(permits, wanted, self, deadline);
    StackGuard.requireRoom(); // an overflow half-way would leave a timer
    Waiter waiter = new Waiter(waiters, home, wanted);
    try {
      refill.armWhenEmpty(wanted);
      waiters.await(waiter, self, deadline, token);
      unsettled--;
    } catch (Throwable e) {
      leave(waiter, wanted);
      throw e;
    }
  }

  // after take(): the bucket is filled up to now
  private void checkNotHopeless(
      int permits, long wanted, CoroutineNode<?> self, Deadline deadline) {
    long needed = nanosUntil(wanted);
    long left = Math.max(0, deadline.nanoTime() - filledAt);
    if (unsettled > 0 || deadline.isNever() || needed <= left) {
      return;
    }
    self.checkCancelled(); // as a wait does
    throw new DeadlineException(
        "%s gave up: %s of %s cannot come before the deadline; allow more time, or acquire fewer"
            .formatted(self.describe(), InWords.count(permits, "permit"), describe()));
  }

  private void leave(Waiter waiter, long wanted) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    waiters.remove(waiter);
    fill();
    if (waiter.isServed()) {
      unsettled--;
      level = Math.min(brim, level + wanted);
    }
    giveOut();
  }

  /// Takes a permit if there is one and no coroutine waits. **Suspends** never.
  ///
  /// @return whether it was taken
  public boolean tryAcquire() {
    return tryAcquire(1);
  }

  /// Takes several permits if they are there and no coroutine waits. **Suspends** never.
  ///
  /// @param permits how many, from 1 up to the burst
  /// @return whether they were taken
  public boolean tryAcquire(int permits) {
    current();
    return take(unitsOf(permits));
  }

  private long unitsOf(int permits) {
    if (permits > burst) {
      throw new IllegalArgumentException(
          "%s permits at once can never be taken from %s; its burst is %s"
              .formatted(permits, describe(), burst));
    }
    return checked(permits) * unitsPerPermit;
  }

  private boolean take(long wanted) {
    fill();
    if (level < wanted || waiters.peek() != null) {
      return false;
    }
    level -= wanted;
    return true;
  }

  // ---- the bucket ----

  private void fill() {
    long now = home.nanoTime();
    long passed = now - filledAt;
    filledAt = now;
    // compared first: the product may overflow
    level = passed > (brim - level) / unitsPerNano ? brim : level + passed * unitsPerNano;
  }

  // how long the bucket still has to fill, rounded up
  private long nanosUntil(long wanted) {
    return Math.max(0, Math.ceilDiv(wanted - level, unitsPerNano));
  }

  // to the oldest waiters, as far as the permits reach
  private void giveOut() {
    Waiter oldest = waiters.peek();
    while (oldest != null && oldest.item() instanceof Long wanted) {
      if (wanted > level) {
        refill.armFor(wanted);
        return;
      }
      level -= wanted;
      waiters.remove(oldest);
      unsettled++;
      oldest.serve(null, 0);
      oldest = waiters.peek();
    }
    refill.disarm();
  }

  /// The timer of the oldest waiter.
  private final class Refill implements InlineCallback {
    private @Nullable TimerEvent timer; // null: no coroutine waits

    void armWhenEmpty(long wanted) {
      if (timer == null) {
        armFor(wanted);
      }
    }

    void armFor(long wanted) {
      disarm();
      TimerEvent next = new TimerEvent(home, home.timers(), filledAt + nanosUntil(wanted), false);
      var _ = next.add(this);
      next.start();
      timer = next;
    }

    void disarm() {
      TimerEvent armed = timer;
      if (armed != null) {
        timer = null;
        armed.unsubscribe(this);
        armed.stop();
      }
    }

    @Override
    public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
      disarm();
      fill();
      giveOut();
    }
  }

  // ---- views ----

  /// The number of permits that are there now.
  public int availablePermits() {
    fill();
    return (int) (level / unitsPerPermit);
  }

  /// How many permits can be taken at once.
  public int burst() {
    return burst;
  }

  /// The number of coroutines that wait.
  public int waiting() {
    return waiters.size();
  }

  /// One line for reports: name, rate, number of waiters.
  public String info() {
    return "%s of %s in %s, %s waiting".formatted(describe(), perPeriod, period, waiting());
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a rate limiter" : "the rate limiter '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe()
              + " belongs to another loop; make one on each loop, with its part of the rate");
    }
    return self;
  }

  private final class Waiters extends WaitQueue {
    @Override
    protected String info() {
      return "permits of " + RateLimiter.this.info();
    }
  }
}
