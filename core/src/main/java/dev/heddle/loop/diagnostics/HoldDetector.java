// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ProgramFrames;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.HoldReport.Activity;
import dev.heddle.observe.log.StandardError;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Looks, from the watchdog's thread, for a coroutine that holds the loop too long.
///
/// The loop counts its dispatches anyway. A count that stands still while the loop is awake is a
/// hold, no younger than the first sample that has seen it. Only then a stack is taken, of the
/// mounted thread: the JVM stops it at a safepoint and nothing of the switch protocol is touched.
/// Should it leave its carrier at that very moment, the look is one of a thread dump's, which the
/// protocol stands, and the report is dropped, for the count has changed.
///
/// A hold that is seen at a site of which was told before is looked at again with each sample: it
/// may go on elsewhere.
///
/// Loading and initialising classes and linking calls hold a loop, too, and nobody can do much
/// about it: in the first ten seconds of a loop that is no hold, and never when it is Heddle's own.
/// What comes behind it counts from its end.
///
/// A driver calls handlers and callbacks before it has said that the loop is awake. So the carrier
/// of a loop that sleeps is looked at, too: where it is parked, at each sample; else its stack, at
/// an eighth of the time that the sleep has lasted, and at the latest after eight seconds. A loop
/// that stands is never silent: a hold that lasts for ten seconds is told whatever was told before,
/// and a line that the log does not take, for the lock it waits for may be that of the log, is
/// written to the standard error.
///
/// Who is mounted is looked up in the tree, and read without a lock while it may change: the
/// alternative, a field that each mount writes, costs every switch a store barrier.
public final class HoldDetector {
  private static final int SITES =
      1_000; // told of; a program with more of them has been told enough

  private static final long START_UP_NANOS =
      10_000_000_000L; // in which a loop meets most classes that it will ever use

  private static final long OWN_WORK_NANOS =
      5_000_000_000L; // a dump of a million coroutines takes less

  private static final long STUCK_NANOS = 10_000_000_000L;
  private static final long LOG_NANOS = 2_000_000_000L; // a handler that takes longer is stuck
  private static final long RAREST_NANOS = 8_000_000_000L; // looks at a carrier that sleeps

  private final CoroutineTree tree;
  private final LoopReporter loopReporter;
  private final Scheduler scheduler;
  private final long limit;

  // the watchdog's; tools read `since` and `running`, safe: a moment ago, of values that are whole
  private final Set<String> reportedSites = new HashSet<>();
  private final List<PendingReport> pendingReports =
      new ArrayList<>(); // that the log has not taken yet
  private Phase phase = Phase.SLEEPS; // that `progress` is of
  private long progress;
  private long since;
  private boolean sampled;
  private long counted; // from when on it is more than start-up
  private boolean isStuckReported; // and that has been told
  private long sleepBegan; // of the sleep of `progress`, as far as one has seen
  private long nextSample; // at the stack of a carrier that sleeps
  private @Nullable HoldReport running; // of a hold that has not ended

  /// What a sample has found.
  private enum Phase {
    /// In the driver, until something happens.
    SLEEPS,
    /// In a callback of the driver's, which has not told yet that it is awake.
    CALLED_BACK,
    /// At work.
    AWAKE
  }

  /// A report on its way through the log.
  private static final class PendingReport {
    final HoldReport report;
    final BooleanSupplier written;
    long waited; // nanoseconds, counted in samples

    PendingReport(HoldReport report, BooleanSupplier written) {
      this.report = report;
      this.written = written;
    }
  }

  HoldDetector(CoroutineTree tree, LoopReporter loopReporter) {
    this.tree = tree;
    this.loopReporter = loopReporter;
    this.scheduler = tree.scheduler();
    this.limit = TimeUnit.NANOSECONDS.convert(tree.options().holdLimit());
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
    flushUnwritten();
    long count = scheduler.progress();
    Phase found = phase(count, now);
    if (found == Phase.SLEEPS || found != phase || count != progress) {
      over(now);
      phase = found;
      progress = count;
      since = now;
      counted = now;
      sampled = false;
      isStuckReported = false;
    } else if (running != null && !isStuckReported && now - since >= STUCK_NANOS) {
      isStuckReported = true;
      send(report(Duration.ofNanos(now - since)));
    } else if (!sampled) {
      sampleStackIfDue(now);
    }
    return found != Phase.SLEEPS;
  }

  private Phase phase(long count, long now) {
    if (!scheduler.isAsleep()) {
      return Phase.AWAKE;
    }
    if (count != progress || phase == Phase.AWAKE) {
      // a sleep that has just begun; of a busy loop none is ever looked at
      sleepBegan = now;
      nextSample = now;
      return Phase.SLEEPS;
    }
    Thread carrier = scheduler.carrier();
    boolean stackIsDue = phase != Phase.SLEEPS || now - nextSample >= 0;
    if (carrier.getState() == Thread.State.RUNNABLE && !stackIsDue) {
      return Phase.SLEEPS;
    }
    nextSample = now + Math.min(RAREST_NANOS, (now - sleepBegan) / 8);
    return CarrierSample.sleepsInDriver(carrier) ? Phase.SLEEPS : Phase.CALLED_BACK;
  }

  /// Counted in samples, not read off a clock: a JVM that was stopped has not had that time.
  private void flushUnwritten() {
    pendingReports.removeIf(line -> line.written.getAsBoolean());
    for (PendingReport line : pendingReports) {
      line.waited += period();
    }
    if (pendingReports.stream().anyMatch(line -> line.waited >= LOG_NANOS)) {
      String lines =
          pendingReports.stream().map(line -> line.report.text()).collect(Collectors.joining());
      pendingReports.clear();
      StandardError.say(
          "dev.heddle: the log has not accepted this for two seconds, "
              + loopReporter.log().whereItStands()
              + lines);
    }
  }

  // before the limit only while the JVM loads most of its classes
  private void sampleStackIfDue(long now) {
    if (now - counted >= limit || loopReporter.age() < START_UP_NANOS) {
      sampled = inspect(Duration.ofNanos(now - since), now);
    }
  }

  private void over(long now) {
    if (running != null) {
      loopReporter.holdEnded(running, Duration.ofNanos(now - since));
      running = null;
    }
  }

  /// @return whether this hold has been seen to be one, and needs no other look
  private boolean inspect(Duration held, long now) {
    Holder holder = holder(held);
    HoldReport report = holder.report;
    if (scheduler.progress() != progress) {
      return now - counted >= limit; // over
    }
    if (report.activity() == Activity.LOOP && now - counted < OWN_WORK_NANOS) {
      return false; // the loop's own work: a dump of many
    }
    if (isQuiet(holder.cause)) {
      counted = now; // what comes after it is a hold when it alone lasts for the limit
      return false;
    }
    if (now - counted < limit) {
      return false;
    }
    boolean isNews = reportOnce(report);
    if (running == null || isNews) {
      running = report;
    }
    return isNews; // else another look may find it where nobody has told of it
  }

  // what is done once in a JVM is no news while it starts, and never when it is the runtime's own
  private boolean isQuiet(HoldCause cause) {
    return cause.isStartUp() && (cause.isOfTheRuntime() || loopReporter.age() < START_UP_NANOS);
  }

  /// @return false when a hold at that site was told before
  private boolean reportOnce(HoldReport report) {
    // not by what it does: a computation that reads the clock is sometimes seen inside that call
    String site = ProgramFrames.method(siteOf(report));
    String key = report.coroutine() == null ? report.activity() + " " + site : site;
    if (reportedSites.size() >= SITES) {
      return true;
    }
    boolean isNews = reportedSites.add(key);
    if (isNews) {
      send(report);
    }
    return isNews;
  }

  private void send(HoldReport report) {
    pendingReports.add(new PendingReport(report, loopReporter.report(report)));
  }

  private static String siteOf(HoldReport report) {
    return report.site() == null ? String.valueOf(report.stack()) : report.site();
  }

  /// The hold that lasts, if it has lasted for the limit; from any thread.
  @Nullable HoldReport running() {
    return running;
  }

  /// How long nobody else has run; from any thread. Zero when nobody watches.
  public Duration heldFor() {
    return limit == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }

  /// Who holds the loop now, and doing what; from any thread but the loop's.
  public HoldReport report(Duration held) {
    return holder(held).report;
  }

  private record Holder(HoldReport report, HoldCause cause) {}

  private Holder holder(Duration held) {
    try {
      for (CoroutineNode<?> c : tree.coroutines()) {
        ExecutionContext context = c.context();
        if (context != null && VirtualThreads.isMounted(context.thread())) {
          return reportOf(c, context.thread(), held);
        }
      }
    } catch (RuntimeException _) {
      // safe: the tree has changed under the walk; who holds the loop is then not said
    }
    return reportOfCarrier(held);
  }

  // it waits for locks of the JDK's only, and not for long: this is a mistake, its own or a
  // library's
  private Holder reportOfCarrier(Duration held) {
    Thread carrier = scheduler.carrier();
    CarrierSample look = CarrierSample.at(carrier);
    HoldReport report =
        new HoldReport(
            tree.options().name(),
            null,
            held,
            look.activity(),
            look.waits() ? AwaitedLock.of(tree, carrier) : null,
            ProgramFrames.site(look.stack()),
            look.stack());
    return new Holder(report, look.cause());
  }

  private Holder reportOf(CoroutineNode<?> holder, Thread thread, Duration held) {
    boolean waits = thread.getState() != Thread.State.RUNNABLE;
    StackTraceElement[] frames = thread.getStackTrace();
    List<StackTraceElement> stack = ProgramFrames.of(frames);
    HoldCause cause = HoldCause.of(frames, waits);
    HoldReport report =
        new HoldReport(
            tree.options().name(),
            holder.describe(),
            held,
            cause.activity(),
            waits ? AwaitedLock.of(tree, thread) : null,
            ProgramFrames.site(stack),
            stack);
    return new Holder(report, cause);
  }
}
