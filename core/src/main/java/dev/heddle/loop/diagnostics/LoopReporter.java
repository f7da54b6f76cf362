// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.HeddleOptions;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopReport;
import dev.heddle.observe.StallReport;
import dev.heddle.observe.jfr.LoopJfrEvents;
import dev.heddle.observe.log.AsyncLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Distributes the reports about one loop to the log, to a flight recording and to the program's
/// listener; all on the log's thread, in order with the loop's lines.
///
/// **Thread** any; never waits.
final class LoopReporter {
  private static final int KEPT = 8; // reports
  private static final int KEPT_HOLDS = 100; // for a trace
  private static final int LONGEST_KEPT = 20_000; // characters

  private final HeddleOptions options;
  private final boolean isObserved;
  private final AsyncLog log;
  private final long began = System.nanoTime();

  // any thread
  private final AtomicInteger holds = new AtomicInteger();
  private final AtomicInteger stalls = new AtomicInteger();
  private volatile List<Recent> recent = List.of(); // the latest first
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicReference<List<Failure>> unwritten = // the latest first
      new AtomicReference<>(List.of());
  private final AtomicBoolean isWriterAsked = new AtomicBoolean(); // the log will call it

  // the log's thread writes, any thread reads
  private volatile List<Recent> failed = List.of(); // the latest first
  private final AtomicInteger written = new AtomicInteger(); // texts of both lists, so far

  // the watchdog writes, any thread reads
  private volatile List<Hold> ended = List.of(); // the latest first

  /// A report, for observers.
  ///
  /// @param kind `hold`, `stall`, `deadlock` or `failure`
  /// @param text at most so long as an observer needs
  record Recent(long atMillis, String kind, String text) {
    /// The row of a feed.
    Map<String, String> row() {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("row", "report");
      fields.put("atMillis", Long.toString(atMillis));
      fields.put("kind", kind);
      fields.put("text", text);
      return fields;
    }
  }

  /// A failure of which the log's thread has not made the text yet.
  private record Failure(long atMillis, String what, @Nullable Throwable failure) {}

  /// A hold that is over.
  ///
  /// @param from nanoseconds
  record Hold(HoldReport report, long from, Duration lasted) {}

  /// @param isObserved whether other threads may look at the loop
  LoopReporter(HeddleOptions options, AsyncLog log, boolean isObserved) {
    this.options = options;
    this.log = log;
    this.isObserved = isObserved;
  }

  AsyncLog log() {
    return log;
  }

  long age() {
    return System.nanoTime() - began;
  }

  /// The number of holds that were reported so far.
  int holds() {
    return holds.get();
  }

  /// The number of stalls that were reported so far.
  int stalls() {
    return stalls.get();
  }

  /// The first line of the last report; empty if there was none.
  String last() {
    return recent.stream().findFirst().flatMap(each -> each.text().lines().findFirst()).orElse("");
  }

  /// The last holds that are over, the latest first.
  List<Hold> endedHolds() {
    return ended;
  }

  /// The last reports and unhandled failures, the latest first.
  List<Recent> recent() {
    askWriter(); // the log may have dropped it
    return Stream.of(recent, failed)
        .flatMap(List::stream)
        .sorted(Comparator.comparingLong(Recent::atMillis).reversed())
        .toList();
  }

  /// How many reports and failures [#recent()] has had so far: there is a new one when this grows.
  int written() {
    return written.get();
  }

  /// The number of unhandled failures so far.
  int failures() {
    return failures.get();
  }

  /// Keeps the text of a failure that no code of the program observes. When more come than the log
  /// can write, only the last ones are kept.
  void failed(String what, @Nullable Throwable failure) {
    failures.incrementAndGet();
    Failure latest = new Failure(System.currentTimeMillis(), what, failure);
    List<Failure> _ = unwritten.updateAndGet(all -> latest(latest, all));
    askWriter();
  }

  // on the log's thread: reading a throwable takes its monitor, and may run user code
  private void askWriter() {
    boolean isAsked = unwritten.get().isEmpty() || isWriterAsked.getAndSet(true);
    if (isAsked) {
      return;
    }
    boolean isAccepted = false;
    try {
      isAccepted = log.tryCall("the list of failures", this::writeFailures);
    } finally {
      if (!isAccepted) {
        isWriterAsked.set(false); // the log is full: the next failure or look asks again
      }
    }
  }

  private void writeFailures() {
    isWriterAsked.set(false); // first: what comes after the list is taken asks again
    for (Failure each : unwritten.getAndSet(List.of()).reversed()) {
      String text = shortened(inWords(each.what(), each.failure()));
      failed = latest(new Recent(each.atMillis(), "failure", text), failed);
      written.incrementAndGet();
    }
  }

  private static String inWords(String what, @Nullable Throwable failure) {
    if (failure == null) {
      return what + "\n";
    }
    StringWriter text = new StringWriter();
    text.append(what).append('\n');
    try {
      failure.printStackTrace(new PrintWriter(text));
    } catch (Throwable e) { // code of the program
      text.append(
          "a %s that says no more: its own text has failed with a %s\n"
              .formatted(failure.getClass().getName(), e.getClass().getName()));
    }
    return text.toString();
  }

  void report(StallReport report) {
    stalls.incrementAndGet();
    log.warning(() -> report.text().stripTrailing());
    record(() -> LoopJfrEvents.stalled(report));
    deliver(report);
  }

  /// Reports a hold, to the recording when it is over; returns whether the log has written it.
  BooleanSupplier report(HoldReport report) {
    holds.incrementAndGet();
    BooleanSupplier written = log.trackedWarning(() -> report.text().stripTrailing());
    deliver(report);
    return written;
  }

  /// A hold is over.
  ///
  /// @param from when the samples first saw it, by [System#nanoTime()]
  void holdEnded(HoldReport report, Duration held, long from) {
    ended =
        Stream.concat(Stream.of(new Hold(report, from, held)), ended.stream())
            .limit(KEPT_HOLDS)
            .toList();
    if (LoopJfrEvents.areRecorded()) {
      LoopJfrEvents.held(report, held);
    }
  }

  /// Reports a deadlock; the caller of `run` gets the error with the same text.
  void report(DeadlockReport report) {
    // not on this thread: the JDK (25.0.3) loses the first event of one that has carried virtual
    // threads
    record(() -> LoopJfrEvents.deadlocked(report));
    deliver(report);
  }

  private void record(Runnable event) {
    if (LoopJfrEvents.areRecorded()) {
      log.call("a flight recording", event);
    }
  }

  // on the log's thread
  private void remember(LoopReport report) {
    switch (report) {
      case HoldReport _ -> remember("hold", report);
      case StallReport _ -> remember("stall", report);
      // this loop has ended, and cannot be asked any more
      case DeadlockReport _ when isObserved ->
          EndedLoops.keep(options.name(), kept("deadlock", report));
      case DeadlockReport _ -> {}
    }
  }

  private void remember(String kind, LoopReport report) {
    recent = latest(kept(kind, report), recent);
    written.incrementAndGet();
  }

  private static Recent kept(String kind, LoopReport report) {
    return new Recent(System.currentTimeMillis(), kind, shortened(report.text()));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_KEPT ? text : text.substring(0, LONGEST_KEPT) + "\n...\n";
  }

  private static <T> List<T> latest(T first, List<T> before) {
    return Stream.concat(Stream.of(first), before.stream()).limit(KEPT).toList();
  }

  private void deliver(LoopReport report) {
    log.call(
        "a listener of reports",
        () -> {
          remember(report);
          options.reports().accept(report);
        });
  }
}
