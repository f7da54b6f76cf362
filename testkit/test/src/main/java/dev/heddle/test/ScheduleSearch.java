// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.Schedule.Entry;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Course;
import dev.heddle.test.run.Interruption;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Enumerates the schedules of a program, depth first: the next one differs from the last one as
/// late as it can.
///
/// A schedule is a sequence of decisions and of points at which another one may be ready. At a
/// point the one that runs goes on, or gives way to one of the others; so often at most as the
/// bound of preemptions says.
final class ScheduleSearch {
  // Of a run without a decision. One run shows of no program that it always takes the same course,
  // and here there is no other schedule by which that would come out.
  private static final Schedule REPETITION = new Schedule(List.of());

  private final int bound;
  private final int preemptions;
  private int begun;
  private boolean isInDoubt; // the program is not deterministic, as far as known
  private @Nullable Schedule next = new Schedule(List.of()); // null: there is no other one
  private @Nullable Course before; // that of the last one
  private int shared; // the decisions that the next one makes as that has made them

  /// @param bound the number of schedules, at most
  /// @param preemptions of each schedule, at most
  ScheduleSearch(int bound, int preemptions) {
    this.bound = bound;
    this.preemptions = preemptions;
  }

  boolean hasNext() {
    return next != null && begun < bound;
  }

  /// Whether there is no other schedule.
  boolean isComplete() {
    return next == null && !isInDoubt;
  }

  /// Makes the next first decisions, and takes the oldest first afterwards.
  Chooser next() {
    Schedule schedule = next;
    if (schedule == null) {
      throw new NoSuchElementException();
    }
    begun++;
    return schedule;
  }

  /// Takes note of the course that the last one took.
  ///
  /// @return why the program is not deterministic, and cannot be enumerated; null: it may be
  @Nullable String took(SimulationResult<?> result) {
    Course course = result.course();
    boolean isFirst = before == null;
    String other = departure(course);
    isInDoubt |= other != null || result.dependsOnOthers();
    next = other == null ? new Backwards(course).next() : null;
    if (next == null && isFirst && !isInDoubt) {
      next = REPETITION;
    }
    before = course;
    return other;
  }

  // The course must be that of the schedule: the same decisions until the change, and the change.
  private @Nullable String departure(Course course) {
    Course last = before;
    Schedule forced = next;
    if (last == null || forced == null) {
      return null;
    }
    if (forced == REPETITION && course.fingerprint() != last.fingerprint()) {
      return "not deterministic: the first run had no decision, and the second took another course";
    }
    for (int decision = 0; decision < shared; decision++) {
      int ready = last.ready(last.stepOf(decision));
      int chosen = last.chosen(last.stepOf(decision));
      if (decision >= course.decisions()) {
        return "not deterministic at decision %d: %,d were ready, and the run has ended before now"
            .formatted(decision, ready);
      }
      int step = course.stepOf(decision);
      if (course.ready(step) != ready || course.chosen(step) != chosen) {
        return "not deterministic at decision %d: %,d were ready and %d was chosen, now %,d and %d"
            .formatted(decision, ready, chosen, course.ready(step), course.chosen(step));
      }
    }
    String misfit = forced.misfit(course);
    return misfit == null
        ? null
        : "not deterministic at decision %d: %s, which was possible before"
            .formatted(shared, misfit);
  }

  /// Looks for the last place of a course at which another way is left.
  private final class Backwards {
    private final Course course;
    private final List<Interruption> taken;
    private int left; // of `taken`: the number of those before the place
    private int point;

    Backwards(Course course) {
      this.course = course;
      this.taken = course.interruptions();
      this.left = taken.size();
      this.point = course.points();
    }

    @Nullable Schedule next() {
      for (int decision = course.decisions() - 1; decision >= 0; decision--) {
        int step = course.stepOf(decision);
        Schedule changed = changedPoint(course.pointsBefore(step));
        if (changed != null) {
          return changed;
        }
        if (course.chosen(step) + 1 < course.ready(step)) {
          return until(decision, new Entry(null, decision, course.chosen(step) + 1L));
        }
      }
      return changedPoint(0);
    }

    // goes back to the point `first`
    private @Nullable Schedule changedPoint(int first) {
      while (point > first) {
        point--;
        Interruption preemption = preemptionAt(point);
        long place = preemption == null ? 0 : preemption.value() + 1;
        boolean isOpen =
            preemption == null
                ? course.isContested(point) && left < preemptions
                : place < preemption.among();
        if (isOpen) {
          return until(
              decisionsBefore(point), new Entry(Interruption.Kind.PREEMPTION, point, place));
        }
      }
      return null;
    }

    private @Nullable Interruption preemptionAt(int number) {
      if (left == 0 || taken.get(left - 1).number() != number) {
        return null;
      }
      return taken.get(--left);
    }

    private int decisionsBefore(int number) {
      int count = 0;
      while (count < course.decisions() && course.pointsBefore(course.stepOf(count)) <= number) {
        count++;
      }
      return count;
    }

    // the course before a decision, with all that is before it; then something else
    private Schedule until(int decision, Entry change) {
      List<Entry> entries =
          new ArrayList<>(
              Schedule.of(course).entries().stream()
                  .filter(entry ->
                      entry.kind() == null
                          ? entry.number() < decision
                          : taken.subList(0, left).stream()
                              .anyMatch(before -> before.number() == entry.number()))
                  .toList());
      entries.add(change);
      shared = decision;
      return new Schedule(entries);
    }
  }
}
