// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.flight.FlightEvents;
import dev.heddle.observe.management.ManagedLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The one thread of a JVM that watches its loops: for coroutines that hold one, and for tools that
/// want to see one.
final class Watchdog implements Runnable {
  /*
   * A round: the errands (reports to tell), a sample of each loop (HoldWatch), once a second a look for management tools and
   * flight recordings. Both of these cost a third of a second of CPU to start, so that a loop never starts them: it joins when
   * somebody else has.
   *
   * States.  from     event                                  to       who, order
   *          WATCHES  every loop has slept for half a second  RESTS    itself: volatile store, then a look at every loop
   *          RESTS    a loop is awake, an errand, a second    WATCHES  itself; stir() by the carrier, after its own volatile store
   *          any      no loop is left for five seconds        GONE     itself: CAS on the registry
   *
   * Threads. watch(), unwatch(), stir(), later(): any. Everything else: its own.
   *
   * I1. While a loop runs, there is exactly one watchdog that samples it: whoever adds the first loop to the registry puts
   *     the watchdog in with the same CAS, and it leaves by a CAS that fails when a loop has come. [WatchdogTest]
   *
   * Memory order. Carrier: volatile store of AWAKE (Wakeup), then the volatile read of `resting`. Watchdog: volatile store of
   * `resting`, then the volatile read of that state. One of the two sees the other's write, so that no hold begins unwatched
   * while it rests. The samples themselves are plain reads: a number that lags is compared with the next one.
   *
   * Cost. For a loop: a volatile read when it wakes from a sleep, nothing for a switch. For the machine: two samples per hold
   * limit while a loop is busy, one round a second while all are idle.
   *
   * Rejected. A thread for each loop: no gain. Sampling on at all times: ten wake-ups a second of a program that does nothing.
   * A clock read for each dispatch: a fifth of a switch.
   *
   * Sources. DESIGN 1 (facts 3, 4), 5.
   */
  private static final long REST_NANOS = 1_000_000_000;
  private static final long UNTIL_REST_NANOS = 500_000_000; // bridges the pauses of a busy server
  private static final long LINGER_NANOS = 5_000_000_000L; // saves a thread for each loop of a test

  /// The registry of running loops, and who watches them.
  private record Watched(List<LoopWatch> loops, @Nullable Watchdog by) {}

  private static final AtomicReference<Watched> WATCHED =
      new AtomicReference<>(new Watched(List.of(), null));

  private final Thread thread =
      Thread.ofPlatform()
          .daemon()
          .inheritInheritableThreadLocals(false)
          .name("heddle-watchdog")
          .unstarted(this);

  // any thread
  private final ConcurrentLinkedQueue<Runnable> errands = new ConcurrentLinkedQueue<>();

  // written by itself, read by carriers
  private volatile boolean resting;

  // its own
  private long awakeAt = System.nanoTime();
  private long introducedAt = awakeAt - REST_NANOS;

  private Watchdog() {}

  // ---- any thread ----

  /// Watches a loop from now on.
  static Watchdog watch(LoopWatch loop) {
    while (true) {
      Watched before = WATCHED.get();
      Watchdog dog = before.by() == null ? new Watchdog() : before.by();
      List<LoopWatch> more = new ArrayList<>(before.loops());
      more.add(loop);
      if (WATCHED.compareAndSet(before, new Watched(List.copyOf(more), dog))) {
        if (before.by() == null) {
          dog.thread.start();
        } else {
          LockSupport.unpark(dog.thread);
        }
        return dog;
      }
    }
  }

  /// Forgets a loop that has ended.
  static void unwatch(LoopWatch loop) {
    WATCHED.updateAndGet(watched ->
        new Watched(watched.loops().stream().filter(l -> l != loop).toList(), watched.by()));
    ManagedLoops.leave(loop.management());
  }

  /// The loops that run.
  static List<LoopWatch> loops() {
    return WATCHED.get().loops();
  }

  /// A loop has slept and is awake.
  void stir() {
    if (resting) {
      LockSupport.unpark(thread);
    }
  }

  /// Runs `errand` on the watchdog's thread: what takes locks, or calls listeners.
  void later(Runnable errand) {
    errands.add(errand);
    LockSupport.unpark(thread);
  }

  // ---- its own thread ----

  @Override
  public void run() {
    ManagedLoops.announce();
    while (true) {
      Watched now = WATCHED.get();
      if (!now.loops().isEmpty()) {
        round(now.loops());
      } else if (hasLeft()) {
        return;
      }
    }
  }

  private boolean hasLeft() {
    runErrands();
    LockSupport.parkNanos(this, LINGER_NANOS);
    Watched now = WATCHED.get();
    if (!now.loops().isEmpty() || !errands.isEmpty()) {
      return false;
    }
    // before the CAS: behind it the next watchdog may have announced itself
    ManagedLoops.withdraw();
    if (WATCHED.compareAndSet(now, new Watched(List.of(), null))) {
      return true;
    }
    ManagedLoops.announce();
    return false;
  }

  private void round(List<LoopWatch> loops) {
    runErrands();
    long now = System.nanoTime();
    long pause = REST_NANOS;
    for (LoopWatch loop : loops) {
      if (guarded(() -> loop.holds().sample(now))) {
        awakeAt = now;
      }
      pause = Math.min(pause, loop.holds().period());
    }
    if (now - introducedAt >= REST_NANOS) {
      introducedAt = now;
      guarded(() -> introduce(loops));
    }
    if (pause == REST_NANOS || now - awakeAt < UNTIL_REST_NANOS) {
      LockSupport.parkNanos(this, pause);
    } else {
      rest(loops);
    }
  }

  private void rest(List<LoopWatch> loops) {
    long began = System.nanoTime();
    resting = true;
    if (loops.stream().allMatch(loop -> loop.loop().scheduler().isAsleep())) {
      LockSupport.parkNanos(this, REST_NANOS);
    }
    resting = false;
    long now = System.nanoTime();
    if (now - began < REST_NANOS) {
      // stirred: a loop that wakes and sleeps again at once must not do it each time
      awakeAt = now;
    }
  }

  private boolean introduce(List<LoopWatch> loops) {
    boolean recording = FlightEvents.areRecorded();
    for (LoopWatch loop : loops) {
      loop.record(recording);
      ManagedLoops.join(loop.management());
    }
    return recording;
  }

  private void runErrands() {
    for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
      Runnable next = errand;
      guarded(() -> {
        next.run();
        return true;
      });
    }
  }

  private interface Step {
    boolean run();
  }

  // safe: a listener that fails, or a tool that does, must not end the watch
  private static boolean guarded(Step step) {
    try {
      return step.run();
    } catch (Throwable e) {
      System.getLogger("dev.heddle")
          .log(System.Logger.Level.WARNING, "the watchdog stumbled, and goes on", e);
      return false;
    }
  }
}
