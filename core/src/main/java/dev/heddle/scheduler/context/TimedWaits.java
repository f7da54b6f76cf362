// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Gives the timers of timed waits in the JDK (`Thread.sleep`, `parkNanos`, `poll(timeout)`, a
/// timed `Object.wait`) to the loop whose coroutine waits.
public final class TimedWaits {
  /*
   * A virtual thread that waits for a limited time asks for a timer as soon as it has left its
   * carrier: VirtualThread.afterYield() calls schedule(), on the carrier. Where the scheduler of
   * the thread is no ForkJoinPool, as a context is none, schedule() takes one of the executors in
   * the array VirtualThread.DelayedTaskSchedulers.INSTANCE. They are ScheduledThreadPoolExecutors,
   * each with a thread of its own, which runs what the wait asks for when its time is over. That
   * thread would resume the context through the loop's inbox.
   *
   * The array is constant, its elements are not. Each becomes a Delegate, which asks whose carrier
   * calls: the loop that runs on this thread takes the timer, and without one the executor does
   * that was there before. That concerns virtual threads which were created inside a coroutine, and
   * those of other programs with schedulers of their own: their waits are as they were, also where
   * they run on a carrier, which is possible between two mounts only.
   *
   * What the JDK does with a timer. It runs `command`, on any platform thread, and never inside a
   * coroutine: a park becomes runnable, a wait in a monitor likewise, if it still is the wait for
   * which the timer was. The end of a park never waits. The end of a wait in a monitor spins while
   * another thread reads the stack of the one that waits; see
   * ExecutionContext.isReadInObjectWait(). And the JDK calls cancel(false) when the thread runs
   * again, whatever has resumed it. That is on the thread which mounts it: the carrier, or after
   * the loop's end any.
   *
   * None of this is promised by the JDK. So before the first loop runs, the seam is tried: threads
   * of our own park, and wait in a monitor, on the current thread, and the timer must be asked for,
   * end the wait and be cancelled as described (TimedWaitTrial). If the array is missing, empty or
   * of another kind, or the trial fails, for whatever reason, the elements are put back, the JDK
   * serves all waits as it would without Heddle, and problem() says why. So does the property
   * heddle.timers=jdk.
   *
   * Class loaders. The array lives as long as the JVM, and each copy of Heddle puts delegates into
   * it. A delegate refers strongly to the executor of the JDK, and weakly to the delegate of
   * another copy that it has replaced. So copies work side by side, and only the newest one's
   * classes stay when nobody uses them any more.
   *
   * Threads. schedule(): any. serve(), restore(): the carrier.
   *
   * Rejected. A scheduler that is a ForkJoinPool and overrides its schedule(): a context is the
   * scheduler of its own thread, and would become larger by all that a pool has. One pool for all
   * contexts of a loop would have to find the context of a task at each switch. See decision 0069.
   */
  private static final String PROPERTY = "heddle.timers";
  private static final String LOOP = "loop";
  private static final String JDK = "jdk";
  private static final String WHAT_THAT_COSTS =
      " of the JDK wakes coroutines from Thread.sleep and other waits with a time limit, which costs"
          + " more than Heddle.delay";

  // of a carrier: those of its loop; a map with threads as keys costs 25 ns a wait more
  private static final ThreadLocal<@Nullable Timers> SERVING = new ThreadLocal<>();

  private TimedWaits() {}

  /// The timers of a loop.
  public interface Timers {
    /// Arms a timer that runs `expired` on the carrier, after `nanos` or later. Called on the
    /// carrier while it leaves a virtual thread, which holds no lock of the loop.
    ///
    /// @return null: the loop takes none any more, or that is no coroutine of it; the JDK does
    @Nullable Timer arm(Runnable expired, long nanos);
  }

  /// A timer as the JDK uses it, which calls [#cancel] and nothing else.
  public abstract static class Timer implements ScheduledFuture<Object> {
    /// For the loop.
    protected Timer() {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public Object get() {
      throw new UnsupportedOperationException("nothing waits for the timer of a wait");
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
      return get();
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  /// Why the JDK serves timed waits of coroutines itself, by a thread of its own; null when loops
  /// do.
  ///
  /// @throws IllegalArgumentException when the property `heddle.timers` is invalid
  public static @Nullable String problem() {
    String asked = System.getProperty(PROPERTY, LOOP);
    return switch (asked) {
      case LOOP -> Here.SEAM.problem();
      case JDK -> "requested by -D" + PROPERTY + "=" + JDK + ": a thread" + WHAT_THAT_COSTS;
      default ->
          throw new IllegalArgumentException(
              PROPERTY + " is '" + asked + "', and takes " + LOOP + " or " + JDK);
    };
  }

  /// The executor to which the JDK gives those timers without Heddle; null where [#problem] says
  /// why it does still.
  public static @Nullable ScheduledExecutorService inTheJdk() {
    return problem() == null ? Here.SEAM.jdk() : null;
  }

  /// The waits that begin on the current thread, a carrier, use `timers` until [#restore].
  ///
  /// @param timers null: those of the JDK
  /// @return those of the loop inside which this one runs, on the same thread; null: of none
  public static @Nullable Timers serve(@Nullable Timers timers) {
    Timers before = SERVING.get();
    restore(timers);
    return before;
  }

  /// Ends [#serve], which has returned `before`.
  public static void restore(@Nullable Timers before) {
    if (before == null) {
      SERVING.remove();
    } else {
      SERVING.set(before);
    }
  }

  // ---- the seam ----

  /// That of this JVM.
  private static final class Here {
    static final Seam SEAM =
        Seam.tried(
            () -> executors("java.lang.VirtualThread$DelayedTaskSchedulers", "INSTANCE"),
            TimedWaitTrial::run);
  }

  /// What came of the attempt to replace the elements.
  static final class Seam {
    private final @Nullable Throwable failure;

    // held for as long as this class is there: another copy of Heddle refers to them weakly
    private final Delegate @Nullable [] ours;

    private Seam(@Nullable Throwable failure, Delegate @Nullable [] ours) {
      this.failure = failure;
      this.ours = ours;
    }

    static Seam tried(Callable<ScheduledExecutorService[]> executors, Runnable trial) {
      try {
        return new Seam(null, install(executors.call(), trial));
      } catch (Throwable e) {
        // safe: said by problem(). No thread, no memory or no stack is left, perhaps; Heddle works
        // without this
        return new Seam(e, null);
      }
    }

    @Nullable String problem() {
      return failure == null ? null : problemOf(failure);
    }

    @Nullable ScheduledExecutorService jdk() {
      return ours == null ? null : ours[0].jdk;
    }
  }

  /// The executors to which the JDK gives those timers.
  static ScheduledExecutorService[] executors(String type, String field)
      throws ReflectiveOperationException {
    Class<?> owner = Class.forName(type);
    return (ScheduledExecutorService[])
        MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
            .findStaticVarHandle(owner, field, ScheduledExecutorService[].class)
            .get();
  }

  static String problemOf(Throwable e) {
    return "the timers of virtual threads of Java "
        + Runtime.version()
        + " cannot be used ("
        + e
        + "): a thread"
        + WHAT_THAT_COSTS;
  }

  /// Replaces the elements of `executors`, unless `trial` fails: then they are as they were.
  static Delegate[] install(ScheduledExecutorService[] executors, Runnable trial) {
    if (executors.length == 0) {
      throw new IllegalStateException("jdk.virtualThreadScheduler.timerQueues is 0");
    }
    ScheduledExecutorService[] before = executors.clone();
    Delegate[] ours = new Delegate[before.length];
    for (int i = 0; i < before.length; i++) {
      ours[i] = new Delegate(before[i]);
    }
    boolean works = false;
    try {
      // safe: a thread that sees the old element has a timer of the JDK
      System.arraycopy(ours, 0, executors, 0, ours.length);
      trial.run();
      works = true;
      return ours;
    } finally {
      for (int i = 0; !works && i < ours.length; i++) {
        if (executors[i] == ours[i]) { // else another copy of Heddle has replaced it meanwhile
          executors[i] = before[i];
        }
      }
    }
  }

  /// Serves what begins on a carrier, and passes on everything else. It is an executor without
  /// threads: the JDK calls nothing but the first method.
  static final class Delegate extends ScheduledThreadPoolExecutor
      implements Supplier<ScheduledExecutorService> {
    private final ScheduledExecutorService jdk;
    private final WeakReference<ScheduledExecutorService> before;

    Delegate(ScheduledExecutorService before) {
      super(0);
      this.jdk = jdkBehind(before);
      this.before = new WeakReference<>(before);
    }

    // another copy of Heddle has a class of the same name, and only classes of the JDK in common
    private static ScheduledExecutorService jdkBehind(ScheduledExecutorService element) {
      return element instanceof Supplier<?> other
              && element.getClass().getName().equals(Delegate.class.getName())
              && other.get() instanceof ScheduledExecutorService theirs
          ? theirs
          : element;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      Timers loop = SERVING.get();
      Timer timer = loop == null ? null : loop.arm(command, unit.toNanos(delay));
      return timer == null ? behind().schedule(command, delay, unit) : timer;
    }

    private ScheduledExecutorService behind() {
      ScheduledExecutorService there = before.get();
      return there == null ? jdk : there;
    }

    /// The executor of the JDK.
    @Override
    public ScheduledExecutorService get() {
      return jdk;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
      return jdk.schedule(callable, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable command, long initial, long period, TimeUnit unit) {
      return jdk.scheduleAtFixedRate(command, initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable command, long initial, long delay, TimeUnit unit) {
      return jdk.scheduleWithFixedDelay(command, initial, delay, unit);
    }
  }
}
