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
/// with shortened texts; the feed answers `reports` with them. While there is one, observers find
/// this JVM, though no other loop may run there: the watchdog stays, and checks for them once a
/// second.
///
/// **Thread** any.
final class EndedLoops implements Attachable {
  private static final int KEPT = 8; // deadlocks
  private static final EndedLoops OF_JVM = new EndedLoops();

  private record Deadlock(String loop, LoopReporter.Recent report) {}

  /// What is known.
  ///
  /// @param count of all deadlocks so far
  /// @param last those that are kept, the latest first
  private record Known(long count, List<Deadlock> last) {
    Known with(Deadlock latest) {
      return new Known(
          count + 1, Stream.concat(Stream.of(latest), last.stream()).limit(KEPT).toList());
    }
  }

  private final AtomicReference<Known> known = new AtomicReference<>(new Known(0, List.of()));

  private volatile Runnable onFirst = () -> {};

  private EndedLoops() {}

  /// Has a task called when there is a deadlock, where there was none before.
  static void onFirst(Runnable task) {
    OF_JVM.onFirst = task;
  }

  /// A loop ends with a deadlock.
  static void keep(String loop, LoopReporter.Recent report) {
    OF_JVM.add(new Deadlock(loop, report));
  }

  private void add(Deadlock latest) {
    Known before = known.getAndUpdate(all -> all.with(latest));
    if (before.count == 0) {
      Attachables.add(this);
      onFirst.run();
    }
  }

  /// Whether a loop has ended with a deadlock.
  static boolean areKnown() {
    return OF_JVM.known.get().count > 0;
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
