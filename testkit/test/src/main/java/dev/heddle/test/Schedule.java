// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Candidates;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Course;
import dev.heddle.test.run.Interruption;
import dev.heddle.test.run.Interruption.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a run did other than to take the oldest first: its decisions, preemptions, stalls and
/// wake-ups, in their order. As text `4:1,p17,s20:1500000,w9:2`:
///
/// | | |
/// |---|---|
/// | `4:1` | at decision 4 the one in place 1 ran, the second oldest |
/// | `p17`, `p17:1` | at point 17 the one that ran gave way to the oldest, the second oldest, other |
/// | `s20:1500000` | at point 20 it was kept away for so many nanoseconds |
/// | `w9`, `w9:2` | before step 9 the wait of the first, the third, of those that waited ended |
final class Schedule implements Chooser {
  private static final String FORM =
      "\\d{1,9}:\\d{1,9}|s\\d{1,9}:[1-9]\\d{0,17}|[pw]\\d{1,9}(:\\d{1,9})?";

  private final List<Entry> entries;
  private final Map<Integer, Integer> choices = new HashMap<>();
  private final Map<Kind, Map<Integer, Long>> interruptions = new EnumMap<>(Kind.class);

  /// One of them.
  ///
  /// @param kind null: a decision
  /// @param number of the decision, the point or the step
  /// @param value as [Interruption#value], or the place chosen
  record Entry(@Nullable Kind kind, int number, long value) {
    @Override
    public String toString() {
      if (kind == null) {
        return number + ":" + value;
      }
      return kind.letter() + "" + number + (value == 0 ? "" : ":" + value);
    }
  }

  Schedule(List<Entry> entries) {
    this.entries = List.copyOf(entries);
    for (Kind kind : Kind.values()) {
      interruptions.put(kind, new HashMap<>());
    }
    for (Entry entry : entries) {
      if (entry.kind == null) {
        choices.put(entry.number, (int) entry.value);
      } else {
        of(entry.kind).put(entry.number, entry.value);
      }
    }
  }

  static Schedule of(Course course) {
    List<Entry> entries = new ArrayList<>();
    Iterator<Interruption> interruptions = course.interruptions().iterator();
    Interruption next = interruptions.hasNext() ? interruptions.next() : null;
    for (int decision = 0; decision < course.decisions(); decision++) {
      int step = course.stepOf(decision);
      for (; next != null && next.step() <= step; next = after(interruptions)) {
        entries.add(entry(next));
      }
      if (course.chosen(step) != 0) {
        entries.add(new Entry(null, decision, course.chosen(step)));
      }
    }
    for (; next != null; next = after(interruptions)) {
      entries.add(entry(next));
    }
    return new Schedule(entries);
  }

  private static @Nullable Interruption after(Iterator<Interruption> interruptions) {
    return interruptions.hasNext() ? interruptions.next() : null;
  }

  private static Entry entry(Interruption interruption) {
    return new Entry(interruption.kind(), interruption.number(), interruption.value());
  }

  /// @throws IllegalArgumentException when the text is none of a schedule
  static Schedule parse(String text) {
    if (text.isEmpty()) {
      return new Schedule(List.of());
    }
    return new Schedule(
        Arrays.stream(text.split(",", -1)).map(one -> parseEntry(one, text)).toList());
  }

  private static Entry parseEntry(String one, String text) {
    if (!one.matches(FORM)) {
      throw new IllegalArgumentException(
          "a schedule has the form 4:1,p17,s20:1500000,w9:2 (decision:choice, p for a preemption,"
              + " s for a stall, w for a wake-up), but is: "
              + text);
    }
    Kind kind = null;
    for (Kind candidate : Kind.values()) {
      kind = candidate.letter() == one.charAt(0) ? candidate : kind;
    }
    String[] pair = (kind == null ? one : one.substring(1)).split(":");
    return new Entry(
        kind, Integer.parseInt(pair[0]), pair.length == 1 ? 0 : Long.parseLong(pair[1]));
  }

  /// The first entry that a course has not taken; null: it has taken all.
  @Nullable String misfit(Course course) {
    Set<Entry> taken = new HashSet<>(of(course).entries);
    for (Entry entry : entries) {
      boolean isOldest = entry.kind == null && entry.value == 0;
      if (isOldest ? entry.number >= course.decisions() : !taken.contains(entry)) {
        return "entry " + entry + " was not reached";
      }
    }
    return null;
  }

  /// Whether it needs what only the agent has.
  boolean hasInterruptions() {
    return entries.stream().anyMatch(entry -> entry.kind != null);
  }

  /// Whether it needs preemption points.
  boolean hasPoints() {
    return entries.stream().anyMatch(entry -> entry.kind != null && entry.kind != Kind.WAKE_UP);
  }

  List<Entry> entries() {
    return entries;
  }

  @Override
  public int choose(int decision, Candidates ready) {
    return choices.getOrDefault(decision, 0);
  }

  @Override
  public long atPoint(int point, long running, boolean contested) {
    Long stall = of(Kind.STALL).get(point);
    if (stall != null) {
      return stall;
    }
    return of(Kind.PREEMPTION).containsKey(point) ? 0 : GO_ON;
  }

  @Override
  public int chooseInstead(int point, Candidates others) {
    return (int) (long) of(Kind.PREEMPTION).getOrDefault(point, 0L);
  }

  @Override
  public int wake(int step, Candidates waiting) {
    return (int) (long) of(Kind.WAKE_UP).getOrDefault(step, (long) NOBODY);
  }

  private Map<Integer, Long> of(Kind kind) {
    return interruptions.getOrDefault(kind, Map.of());
  }

  @Override
  public String toString() {
    return entries.stream().map(Entry::toString).collect(Collectors.joining(","));
  }
}
