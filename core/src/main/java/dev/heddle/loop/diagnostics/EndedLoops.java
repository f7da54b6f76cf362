// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// The deadlocks of loops that have ended with one, for observers of the JVM.
///
/// A loop that deadlocks ends at once, and its report is made as it ends: when an observer could
/// ask the loop for it, the loop is not to be seen any more. So the last [#KEPT] are kept here,
/// with shortened texts; the feed answers `reports` with them. For an hour after the latest,
/// observers find this JVM, though no other loop may run there: the watchdog stays, and checks for
/// them once a second. Then it leaves, so that a class loader with Heddle can be unloaded. When
/// another loop runs, they are seen again.
///
/// **Thread** any.
final class EndedLoops implements Attachable {
  private static final int KEPT = 8; // deadlocks
  private static final long SERVED_NANOS = 3_600_000_000_000L; // an hour
  private static final EndedLoops OF_JVM = new EndedLoops();

  record Deadlock(String loop, LoopReporter.Recent report) {}

  /// What is known.
  ///
  /// @param count of all deadlocks so far
  /// @param last those that are kept, the latest first
  /// @param at when the latest came, on the scale of `System.nanoTime()`
  record Known(long count, List<Deadlock> last, long at) {
    static final Known NONE = new Known(0, List.of(), 0);

    Known with(Deadlock latest, long now) {
      return new Known(
          count + 1, Stream.concat(Stream.of(latest), last.stream()).limit(KEPT).toList(), now);
    }

    /// Whether observers must find this JVM without a loop.
    boolean areServedAt(long now) {
      return count > 0 && now - at < SERVED_NANOS;
    }
  }

  private final AtomicReference<Known> known = new AtomicReference<>(Known.NONE);

  private volatile Runnable onKept = () -> {};

  private EndedLoops() {}

  /// Has a task called when there is one more deadlock.
  static void onKept(Runnable task) {
    OF_JVM.onKept = task;
  }

  /// A loop ends with a deadlock.
  static void keep(String loop, LoopReporter.Recent report) {
    OF_JVM.add(new Deadlock(loop, report));
  }

  private void add(Deadlock latest) {
    long now = System.nanoTime();
    Known before = known.getAndUpdate(all -> all.with(latest, now));
    if (before.count == 0) {
      Attachables.add(this);
    }
    onKept.run(); // the watchdog may have left since the one before
  }

  /// Whether a loop has ended with a deadlock not long ago.
  static boolean areServed() {
    return OF_JVM.known.get().areServedAt(System.nanoTime());
  }

  @Override
  public String kind() {
    return "ended";
  }

  @Override
  public Map<String, String> summary() {
    Known now = known.get();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", "ended loops");
    fields.put("deadlocks", Long.toString(now.count));
    LoopReporter.Recent last = now.last.getFirst().report;
    fields.put("lastLoop", now.last.getFirst().loop);
    fields.put("lastReport", last.text().lines().findFirst().orElse(""));
    long ago = Math.max(0, System.currentTimeMillis() - last.atMillis());
    fields.put("lastAgoMillis", Long.toString(ago));
    return fields;
  }

  @Override
  public Feed watch() {
    return new Feed() {
      @Override
      public List<Map<String, String>> look() {
        Map<String, String> row = summary();
        row.put("row", "ended");
        return List.of(row);
      }

      @Override
      public List<Map<String, String>> detail(String question) {
        return question.equals("reports") ? reports() : Feed.super.detail(question);
      }

      @Override
      public void close() {}
    };
  }

  private List<Map<String, String>> reports() {
    return known.get().last.stream()
        .map(each -> {
          Map<String, String> row = each.report.row();
          row.put("loop", each.loop);
          return row;
        })
        .toList();
  }

  @Override
  public String answer(String question) {
    throw new IllegalArgumentException("ended loops do not know '" + question + "'");
  }
}
