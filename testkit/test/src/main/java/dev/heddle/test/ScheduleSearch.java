// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Course;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Enumerates the schedules of a program, depth first: the next one differs from the last one as
/// late as it can.
final class ScheduleSearch {
  private final int bound;
  private int begun;
  private int @Nullable [] prefix = {}; // null: there is no other schedule

  /// @param bound the number of schedules, at most
  ScheduleSearch(int bound) {
    this.bound = bound;
  }

  boolean hasNext() {
    return prefix != null && begun < bound;
  }

  /// Whether there is no other schedule.
  boolean isComplete() {
    return prefix == null;
  }

  /// Makes the next first decisions, and takes the oldest first afterwards.
  Chooser next() {
    int[] choices = prefix;
    if (choices == null) {
      throw new NoSuchElementException();
    }
    begun++;
    return (decision, ready) -> decision < choices.length ? choices[decision] : 0;
  }

  /// Takes note of the course that the last one took.
  void took(Course course) {
    prefix = after(course);
  }

  private static int @Nullable [] after(Course course) {
    for (int last = course.decisions() - 1; last >= 0; last--) {
      int step = course.stepOf(last);
      if (course.chosen(step) + 1 < course.ready(step)) {
        int[] next = new int[last + 1];
        for (int decision = 0; decision <= last; decision++) {
          next[decision] = course.chosen(course.stepOf(decision));
        }
        next[last]++;
        return next;
      }
    }
    return null;
  }
}
