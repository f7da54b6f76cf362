// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.HoldReport;
import dev.heddle.observe.HoldReport.Activity;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Looks, from the watchdog's thread, for a coroutine that holds the loop too long.
///
/// The loop counts its dispatches anyway. A count that stands still while the loop is awake is a
/// hold, no younger than the first sample that has seen it. Only then a stack is taken, of the
/// mounted thread: the JVM stops it at a safepoint and nothing of the switch protocol is touched.
/// Should it leave its carrier at that very moment, the look is one of a thread dump's, which the
/// protocol stands, and the report is dropped, for the count has changed.
///
/// Loading and initialising classes and linking calls hold a loop, too, and nobody can do much
/// about it: in the first ten seconds of a loop that is no hold, and never when it is Heddle's own.
/// What comes behind it counts from its end.
///
/// Who is mounted is looked up in the tree, and read without a lock while it may change: the
/// alternative, a field that each mount writes, costs every switch a store barrier.
final class HoldWatch {
  private static final int SITES =
      1_000; // told of; a program with more of them has been told enough

  private static final long START_UP_NANOS =
      10_000_000_000L; // in which a loop meets most classes that it will ever use

  private final LoopRoot loop;
  private final Scheduler scheduler;
  private final long limit;

  // the watchdog's; tools read `since` and `running`, safe: a moment ago, of values that are whole
  private final Set<String> told = new HashSet<>();
  private boolean seen; // `progress` is of a loop that was awake
  private long progress;
  private long since;
  private boolean looked;
  private long counted; // from when on it is more than start-up
  private @Nullable HoldReport running; // of a hold that has not ended

  HoldWatch(LoopRoot loop) {
    this.loop = loop;
    this.scheduler = loop.scheduler();
    this.limit = TimeUnit.NANOSECONDS.convert(loop.options().holdLimit());
  }

  /// How often to sample, in nanoseconds.
  long period() {
    return limit == 0 ? Long.MAX_VALUE : Math.max(1, limit / 2);
  }

  /// Looks at the loop.
  ///
  /// @return whether it is awake
  boolean sample(long now) {
    if (limit == 0) {
      return false;
    }
    boolean awake = !scheduler.isAsleep();
    long count = scheduler.progress();
    if (!awake || !seen || count != progress) {
      over(now);
      seen = awake;
      progress = count;
      since = now;
      counted = now;
      looked = false;
    } else if (!looked) {
      lookIfDue(now);
    }
    return awake;
  }

  // before the limit only while the JVM loads most of its classes
  private void lookIfDue(long now) {
    if (now - counted >= limit || loop.watch().age() < START_UP_NANOS) {
      looked = look(Duration.ofNanos(now - since), now);
    }
  }

  private void over(long now) {
    if (running != null) {
      loop.watch().over(running, Duration.ofNanos(now - since));
      running = null;
    }
  }

  /// @return whether this hold has been seen to be one, and needs no other look
  private boolean look(Duration held, long now) {
    Holder holder = holder(held);
    HoldReport report = holder.report;
    if (scheduler.progress() != progress || report.activity() == Activity.LOOP) {
      // over, or the loop's own work: a dump of many
      return now - counted >= limit;
    }
    if (isQuiet(holder.cause)) {
      counted = now; // what comes after it is a hold when it alone lasts for the limit
      return false;
    }
    if (now - counted < limit) {
      return false;
    }
    running = report;
    tell(report);
    return true;
  }

  // what is done once in a JVM is no news while it starts, and never when it is the runtime's own
  private boolean isQuiet(HoldCause cause) {
    return cause.isStartUp() && (cause.isOfTheRuntime() || loop.watch().age() < START_UP_NANOS);
  }

  private void tell(HoldReport report) {
    // not by what it does: a computation that reads the clock is sometimes seen inside that call
    String site = ProgramFrames.method(siteOf(report));
    if (told.size() < SITES && told.add(site)) {
      loop.watch().tell(report);
    }
  }

  private static String siteOf(HoldReport report) {
    return report.site() == null ? String.valueOf(report.stack()) : report.site();
  }

  /// The hold that lasts, if it has lasted for the limit; from any thread.
  @Nullable HoldReport running() {
    return running;
  }

  /// How long nobody else has run; from any thread. Zero when nobody watches.
  Duration lasted() {
    return limit == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }

  /// Who holds the loop now, and doing what; from any thread but the loop's.
  HoldReport report(Duration held) {
    return holder(held).report;
  }

  private record Holder(HoldReport report, HoldCause cause) {}

  private Holder holder(Duration held) {
    try {
      for (CoroutineNode<?> c : loop.coroutines()) {
        ExecutionContext context = c.context();
        if (context != null && VirtualThreads.isMounted(context.thread())) {
          return reportOf(c, context.thread(), held);
        }
      }
    } catch (RuntimeException _) {
      // safe: the tree has changed under the walk; who holds the loop is then not said
    }
    HoldReport report = reportOfCarrier(held);
    return new Holder(report, new HoldCause(report.activity(), true, false));
  }

  // it waits for locks of the JDK's only, and not for long: this is a mistake, its own or a
  // library's
  private HoldReport reportOfCarrier(Duration held) {
    Thread carrier = scheduler.carrier();
    boolean waits = carrier.getState() != Thread.State.RUNNABLE;
    String waitsFor = waits ? AwaitedLock.of(loop, carrier) : null;
    List<StackTraceElement> stack = List.of(carrier.getStackTrace());
    return new HoldReport(
        loop.options().name(),
        null,
        held,
        waits && stack.stream().noneMatch(HoldWatch::isSleep) ? Activity.WAITING : Activity.LOOP,
        waitsFor,
        ProgramFrames.site(stack),
        stack);
  }

  // woken, on a machine that has not let it run yet
  private static boolean isSleep(StackTraceElement frame) {
    return frame.getMethodName().equals("sleep")
        && frame.getClassName().equals(Scheduler.class.getName());
  }

  private Holder reportOf(CoroutineNode<?> holder, Thread thread, Duration held) {
    boolean waits = thread.getState() != Thread.State.RUNNABLE;
    StackTraceElement[] frames = thread.getStackTrace();
    List<StackTraceElement> stack = ProgramFrames.of(frames);
    HoldCause cause = HoldCause.of(frames, waits);
    HoldReport report =
        new HoldReport(
            loop.options().name(),
            holder.describe(),
            held,
            cause.activity(),
            waits ? AwaitedLock.of(loop, thread) : null,
            ProgramFrames.site(stack),
            stack);
    return new Holder(report, cause);
  }
}
