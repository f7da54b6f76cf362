// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Nanos;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.Dump;
import dev.heddle.observe.ForeignWait;
import dev.heddle.observe.StallReport;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.LockOwners;
import dev.heddle.scheduler.inbox.Inbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Detects that all coroutines of a loop wait for locks and queues of the JDK, and reports it once.
///
/// When the loop goes to sleep with foreign waits only, a daemon timer is armed, one at a time. If
/// nothing was dispatched when it fires, a dump is taken on the trampoline. If a wait in the dump
/// ends by itself or from outside, or is over meanwhile, that is no stall; the next sleep arms the
/// timer again. If a coroutine waits for a monitor, the loop searches its owner, and the watchdog
/// searches the platform threads (which takes locks). The result comes back into the loop, and the
/// dump is taken again, with the names.
///
/// A coroutine that waits that long for a lock or a monitor is stuck, whatever thread holds it. But
/// a loop whose coroutines all wait for a queue, a condition or a future may be idle until an
/// outside thread feeds it. Therefore the watchdog searches for a thread that may continue by
/// itself (OutsideThreads). While there is one, nothing is reported, and the next check comes after
/// twice the time.
public final class StallDetector implements InlineCallback {
  private static final String LOCKS = "java.util.concurrent.locks.Reentrant";
  private static final Duration LONGEST = Duration.ofMinutes(10); // between two checks

  private final CoroutineTree tree;
  private final LoopReporter loopReporter;
  private final Consumer<Runnable> watchdog; // runs tasks that take locks
  private final Supplier<List<StallDetector>> running; // of all loops of the JVM
  private final Scheduler scheduler;
  private final Duration limit;

  // loop only
  private boolean armed; // or being checked by the watchdog
  private boolean reported;
  private long dispatches;
  private Duration patience; // the limit, or longer after a check that found it idle

  // written by the carrier, read by watchdogs: the dispatch count at which no coroutine could
  // continue
  private volatile long stuckAt = -1;

  StallDetector(
      CoroutineTree tree,
      LoopReporter loopReporter,
      Consumer<Runnable> watchdog,
      Supplier<List<StallDetector>> running) {
    this.tree = tree;
    this.loopReporter = loopReporter;
    this.watchdog = watchdog;
    this.running = running;
    this.scheduler = tree.scheduler();
    this.limit = tree.options().stallLimit();
    this.patience = limit;
    // else the carrier loads the class when a coroutine waits, perhaps for the jar's monitor
    Class<?> _ = Nanos.class;
  }

  /// Called when the loop is about to sleep and only the JDK can wake a coroutine.
  public void onlyForeignWaits() {
    if (armed || reported || limit.isZero()) {
      return;
    }
    armed = true;
    dispatches = scheduler.dispatches();
    TimerEvent timer = tree.daemonTimer(patience);
    timer.subscribe(this);
    timer.start();
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    if (isStill()) {
      scheduler.runOnCarrier(() -> checkOrRearm(this::check));
    } else {
      armed = false;
    }
  }

  // a coroutine that the JDK has just woken will arrive
  private boolean isStill() {
    return !scheduler.hasEnded()
        && scheduler.dispatches() == dispatches
        && scheduler.hasOnlyForeignWaits()
        && scheduler.inbox().isEmpty();
  }

  // a failed check is reported, and the next sleep tries again
  private void checkOrRearm(Runnable look) {
    try {
      look.run();
    } catch (Throwable e) {
      armed = false;
      throw e;
    }
  }

  private @Nullable Dump stalled(MonitorOwners monitorOwners) {
    Dump dump = isStill() ? DumpTaker.take(tree, monitorOwners) : null;
    return dump != null && dump.coroutines().stream().noneMatch(StallDetector::mayGoOn) && isStill()
        ? dump
        : null;
  }

  /// Whether no coroutine in the loop can continue unless an outside thread acts. **Thread** any.
  boolean isStuck() {
    return scheduler.isAsleep() && scheduler.dispatches() == stuckAt;
  }

  // a loop that is not stuck may act; else a thread outside all loops
  private boolean isFed() {
    List<Thread> carriers = new ArrayList<>();
    for (StallDetector other : running.get()) {
      if (other != this && !other.isStuck()) {
        return true;
      }
      carriers.add(other.scheduler.carrier());
    }
    return OutsideThreads.mayWake(carriers);
  }

  private void check() {
    Dump dump = stalled(MonitorOwners.UNKNOWN);
    if (dump == null) {
      armed = false;
      return;
    }
    stuckAt = dispatches;
    boolean mayBeIdle = dump.coroutines().stream().noneMatch(StallDetector::waitsForALock);
    if (!mayBeIdle && dump.coroutines().stream().noneMatch(StallDetector::waitsForAMonitor)) {
      report(dump, MonitorOwners.UNKNOWN);
      return;
    }
    Answer answer = new Answer(mayBeIdle ? MonitorOwners.UNKNOWN : MonitorOwners.of(tree));
    watchdog.accept(() -> {
      try {
        answer.find(mayBeIdle);
      } finally {
        scheduler.inbox().post(answer);
      }
    });
  }

  private final class Answer extends Inbox.Node {
    private final MonitorOwners monitorOwners;
    private boolean idle; // written by the watchdog before it posts, read by the loop

    Answer(MonitorOwners monitorOwners) {
      this.monitorOwners = monitorOwners;
    }

    void find(boolean mayBeIdle) {
      if (mayBeIdle) {
        idle = isFed();
      } else {
        monitorOwners.readPlatformThreads();
      }
    }

    @Override
    public void onArrival() {
      scheduler.runOnCarrier(() -> checkOrRearm(() -> recheck(monitorOwners, idle)));
    }
  }

  private void recheck(MonitorOwners monitorOwners, boolean idle) {
    Dump dump = idle ? null : stalled(monitorOwners);
    if (idle) {
      patience = patience.compareTo(LONGEST) < 0 ? patience.plus(patience) : patience;
    }
    if (dump == null) {
      armed = false;
    } else {
      report(dump, monitorOwners);
    }
  }

  private void report(Dump dump, MonitorOwners monitorOwners) {
    armed = false;
    reported = true;
    loopReporter.report(new StallReport(dump, patience, unavailable(dump, monitorOwners)));
  }

  /// False for a queue, a condition or a future, which a thread that holds nothing may serve.
  private static boolean waitsForALock(CoroutineSnapshot c) {
    ForeignWait wait = c.foreign();
    String blocker = wait == null ? null : wait.blocker();
    return wait != null
        && (wait.state() == Thread.State.BLOCKED
            || wait.owner() != null
            || (blocker != null && blocker.startsWith(LOCKS)));
  }

  private static boolean waitsForAMonitor(CoroutineSnapshot c) {
    return c.foreign() != null && c.foreign().state() == Thread.State.BLOCKED;
  }

  private static boolean mayGoOn(CoroutineSnapshot c) {
    return c.state() == CoroutineSnapshot.State.READY || mayEndByItself(c);
  }

  private static boolean mayEndByItself(CoroutineSnapshot c) {
    ForeignWait wait = c.foreign();
    return wait != null
        && (wait.state() == Thread.State.TIMED_WAITING
            || c.stack().stream().anyMatch(StallDetector::isOutside));
  }

  // the peer is outside this JVM
  private static boolean isOutside(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith("sun.nio.ch.") || name.startsWith("java.lang.Process");
  }

  private static List<String> unavailable(Dump dump, MonitorOwners monitorOwners) {
    List<String> unavailable = new ArrayList<>();
    if (!LockOwners.isSupported()) {
      unavailable.add(
          "The JDK reports owners of java.util.concurrent locks only with"
              + " --add-opens java.base/java.util.concurrent.locks="
              + LockOwners.opensTo()
              + ".");
    }
    unavailable.addAll(monitorOwners.unavailable());
    if (dump.coroutines().stream().anyMatch(StallDetector::hasNoHolder)) {
      unavailable.add(
          "The producer of a queue or the signaller of a condition cannot be determined.");
    }
    return unavailable;
  }

  private static boolean hasNoHolder(CoroutineSnapshot c) {
    ForeignWait wait = c.foreign();
    return wait != null && wait.state() == Thread.State.WAITING && wait.owner() == null;
  }
}
