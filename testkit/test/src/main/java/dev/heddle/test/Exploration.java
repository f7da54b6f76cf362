// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.internal.InWords;
import dev.heddle.test.run.VirtualTime;
import java.time.Duration;

/// What an exploration covered in which no run failed.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=explore}
///
/// **Thread** any.
///
/// @since 0.1
public final class Exploration {
  private final int runs;
  private final int courses;
  private final boolean complete;
  private final Duration elapsed;

  Exploration(int runs, int courses, boolean complete, Duration elapsed) {
    this.runs = runs;
    this.courses = courses;
    this.complete = complete;
    this.elapsed = elapsed;
  }

  /// The number of runs; at least 1.
  public int runs() {
    return runs;
  }

  /// The number of different courses that they took.
  public int courses() {
    return courses;
  }

  /// Whether these are all courses. Only an exhaustive exploration knows; false where it has
  /// stopped at its bound, and where threads outside of the simulation have had a part. A program
  /// without decisions has one course; it is run twice, to see whether it takes the same one.
  public boolean complete() {
    return complete;
  }

  /// The sum of the virtual times of the runs.
  public Duration elapsed() {
    return elapsed;
  }

  @Override
  public String toString() {
    return "%s, %s%s, %s of virtual time"
        .formatted(
            InWords.count(runs, "run"),
            InWords.count(courses, "course"),
            complete ? ", which are all" : "",
            VirtualTime.inWords(elapsed));
  }
}
