// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.event.Event;
import dev.heddle.event.InlineCallback;
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
import org.jspecify.annotations.Nullable;

/// Finds out that a loop waits for nothing but locks and queues of the JDK, and says so once.
///
/// When the loop goes to sleep with foreign waits only, a hidden timer is armed, one at a time. If
/// nothing was dispatched when it fires, a dump is taken, on the trampoline. A wait in it that ends
/// by itself or from outside is no stall, nor is one that is over meanwhile; the next sleep then
/// arms the timer anew. When somebody waits for a monitor, the loop looks who holds it, and the
/// watchdog among the threads of the system (which takes locks); its answer comes back into the
/// loop, and the dump is taken once more, with the names.
final class StallWatch implements InlineCallback {
  private final LoopRoot loop;
  private final LoopWatch watch;
  private final Scheduler scheduler;
  private final Duration limit;

  // loop only
  private boolean armed; // or on its way through the watchdog
  private boolean told;
  private long dispatches;

  StallWatch(LoopRoot loop, LoopWatch watch) {
    this.loop = loop;
    this.watch = watch;
    this.scheduler = loop.scheduler();
    this.limit = loop.options().stallLimit();
  }

  /// The loop is about to sleep, and only the JDK can wake somebody.
  void onlyForeignWaits() {
    if (armed || told || limit.isZero()) {
      return;
    }
    armed = true;
    dispatches = scheduler.dispatches();
    TimerEvent timer = loop.hiddenTimer(limit);
    timer.subscribe(this);
    timer.start();
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    if (isStill()) {
      scheduler.onTrampoline(this::look);
    } else {
      armed = false;
    }
  }

  // whom the JDK has woken a moment ago is on the way
  private boolean isStill() {
    return !scheduler.hasEnded()
        && scheduler.dispatches() == dispatches
        && scheduler.hasOnlyForeignWaits()
        && scheduler.inbox().isEmpty();
  }

  private @Nullable Dump stalled(Monitors monitors) {
    Dump dump = isStill() ? DumpTaker.take(loop, monitors) : null;
    return dump != null && dump.coroutines().stream().noneMatch(StallWatch::mayGoOn) && isStill()
        ? dump
        : null;
  }

  private void look() {
    Dump dump = stalled(Monitors.UNKNOWN);
    if (dump == null) {
      armed = false;
    } else if (dump.coroutines().stream().noneMatch(StallWatch::waitsForAMonitor)) {
      tell(dump, Monitors.UNKNOWN);
    } else {
      Monitors monitors = Monitors.of(loop);
      watch.later(() -> {
        try {
          monitors.askThreadsOfTheSystem();
        } finally {
          scheduler.inbox().post(new Answer(monitors));
        }
      });
    }
  }

  private final class Answer extends Inbox.Node {
    private final Monitors monitors;

    Answer(Monitors monitors) {
      this.monitors = monitors;
    }

    @Override
    public void arrive() {
      scheduler.onTrampoline(() -> lookAgain(monitors));
    }
  }

  private void lookAgain(Monitors monitors) {
    Dump dump = stalled(monitors);
    if (dump == null) {
      armed = false;
    } else {
      tell(dump, monitors);
    }
  }

  private void tell(Dump dump, Monitors monitors) {
    armed = false;
    told = true;
    watch.tell(new StallReport(dump, limit, untold(dump, monitors)));
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
            || c.stack().stream().anyMatch(StallWatch::isOutside));
  }

  // the other side is not in this JVM
  private static boolean isOutside(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith("sun.nio.ch.") || name.startsWith("java.lang.Process");
  }

  private static List<String> untold(Dump dump, Monitors monitors) {
    List<String> untold = new ArrayList<>();
    if (!LockOwners.known()) {
      untold.add(
          "Who holds a lock of java.util.concurrent the JDK does not tell without"
              + " --add-opens java.base/java.util.concurrent.locks="
              + LockOwners.opensTo()
              + ".");
    }
    untold.addAll(monitors.untold());
    if (dump.coroutines().stream().anyMatch(StallWatch::hasNoHolder)) {
      untold.add("Who should feed a queue, or signal a condition, nobody can tell.");
    }
    return untold;
  }

  private static boolean hasNoHolder(CoroutineSnapshot c) {
    ForeignWait wait = c.foreign();
    return wait != null && wait.state() == Thread.State.WAITING && wait.owner() == null;
  }
}
