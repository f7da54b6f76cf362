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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Detects, on the watchdog's thread, a coroutine that holds the loop too long.
///
/// The loop counts its dispatches. If the count does not change while the loop is awake, that is a
/// hold, at least since the first sample with this count. Only then the stack of the mounted thread
/// is taken: the JVM stops it at a safepoint, without any effect on the switch protocol. If the
/// coroutine leaves its carrier at that moment, the sample is like one of a thread dump, which the
/// protocol tolerates; the report is dropped, since the count has changed.
///
/// A hold at a site that was already reported is sampled again each time, since it may continue
/// elsewhere.
///
/// Loading and initialising classes and linking calls also hold a loop, and programs can hardly
/// avoid that: in the first ten seconds of a loop it does not count as a hold, and never if
/// Heddle's own code causes it. Later work counts from the end of that.
///
/// A driver calls handlers and callbacks before it marks the loop as awake. So the carrier of a
/// sleeping loop is checked, too: if it is parked, at each sample; else its stack is sampled after
/// each eighth of the sleep's length, at the latest after eight seconds. A stuck loop is always
/// reported: a hold of ten seconds is reported regardless of earlier reports. A line that the log
/// does not accept, perhaps because the hold is on the log's lock, is written to the standard
/// error.
///
/// The mounted coroutine is found by a search of the tree without a lock, while the tree may
/// change. The alternative, a field that each mount writes, costs every switch a store barrier.
public final class HoldDetector {
  private static final int SITES = 1_000; // reported sites; more would not help

  private static final long START_UP_NANOS =
      10_000_000_000L; // a loop loads most of its classes in this time

  private static final long OWN_WORK_NANOS =
      5_000_000_000L; // a dump of a million coroutines takes less

  private static final long STUCK_NANOS = 10_000_000_000L;
  private static final long LOG_NANOS = 2_000_000_000L; // a log handler that takes longer is stuck
  private static final long RAREST_NANOS = 8_000_000_000L; // between samples of a sleeper

  private final CoroutineTree tree;
  private final LoopReporter loopReporter;
  private final Scheduler scheduler;
  private final long limit;

  // watchdog only; tools read `since` and `running`, safe: slightly old, but whole values
  private final Set<String> reportedSites = new HashSet<>();
  private final List<PendingReport> pendingReports =
      new ArrayList<>(); // not yet accepted by the log
  private Phase phase = Phase.SLEEPS; // the phase in which `progress` was read
  private long progress;
  private long since;
  private boolean sampled;
  private long counted; // the time from which it counts as a hold
  private boolean isStuckReported; // and reported
  private long sleepBegan; // the first sample of this sleep
  private long nextSample; // of a sleeping carrier's stack
  private @Nullable HoldReport running; // a hold that has not ended

  private enum Phase {
    /// Asleep in the driver.
    SLEEPS,
    /// In a driver's callback, before the driver has marked the loop as awake.
    CALLED_BACK,
    /// At work.
    AWAKE
  }

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

  long period() {
    return limit == 0 ? Long.MAX_VALUE : Math.max(1, limit / 2);
  }

  /// Samples the loop; returns whether it is awake.
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
      // a sleep that has just begun; the sleeps of a busy loop are never sampled
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

  /// Counted in samples, not read from a clock: a JVM that was stopped did not have that time.
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
      loopReporter.holdEnded(running, Duration.ofNanos(now - since), since);
      running = null;
    }
  }

  /// @return whether this hold is confirmed and needs no further sample
  private boolean inspect(Duration held, long now) {
    Holder holder = holder(held);
    HoldReport report = holder.report;
    if (scheduler.progress() != progress) {
      return now - counted >= limit; // over
    }
    if (report.activity() == Activity.LOOP && now - counted < OWN_WORK_NANOS) {
      return false; // the loop's own work, for example a large dump
    }
    if (isQuiet(holder.cause)) {
      counted = now; // later work must last for the limit by itself
      return false;
    }
    if (now - counted < limit) {
      return false;
    }
    boolean isNews = reportOnce(report);
    if (running == null || isNews) {
      running = report;
    }
    return isNews; // else a later sample may find it at a new site
  }

  // one-time work is not reported while the JVM starts, and never if Heddle causes it
  private boolean isQuiet(HoldCause cause) {
    return cause.isStartUp() && (cause.isOfTheRuntime() || loopReporter.age() < START_UP_NANOS);
  }

  /// @return false if a hold at that site was reported before
  private boolean reportOnce(HoldReport report) {
    // not by activity: a computation that reads the clock is sometimes sampled inside that call
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

  /// The current hold, if it has reached the limit. **Thread** any.
  @Nullable HoldReport running() {
    return running;
  }

  /// The holds between two moments, those that are over and the one that lasts: rows `hold`.
  /// **Thread** any.
  List<Map<String, String>> between(long from, long to) {
    List<Map<String, String>> rows = new ArrayList<>();
    for (LoopReporter.Hold each : loopReporter.endedHolds().reversed()) {
      if (each.from() + each.lasted().toNanos() >= from && each.from() <= to) {
        rows.add(row(each.report(), each.from(), each.from() + each.lasted().toNanos()));
      }
    }
    HoldReport lasts = running;
    if (lasts != null && since <= to) {
      Map<String, String> row = row(lasts, since, to);
      row.put("lasts", "true");
      rows.add(row);
    }
    return rows;
  }

  private static Map<String, String> row(HoldReport report, long from, long to) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "hold");
    row.put("fromNanos", Long.toString(from));
    row.put("toNanos", Long.toString(to));
    row.put("coroutine", String.valueOf(report.coroutine()));
    row.put("activity", report.activity().description());
    row.put("site", String.valueOf(report.site()));
    return row;
  }

  /// How long no other coroutine has run; zero if unknown. **Thread** any.
  public Duration heldFor() {
    return limit == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }

  /// The coroutine that holds the loop now, and its activity. **Thread** any but the loop's.
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
      // safe: the tree changed during the search; the holder is then unknown
    }
    return reportOfCarrier(held);
  }

  // it waits briefly for JDK locks only; else it is a bug, of Heddle or of a library
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
