// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.internal.InWords;
import dev.heddle.test.run.Course;
import dev.heddle.test.run.ThreadsError;
import dev.heddle.test.run.VirtualTime;
import dev.heddle.world.WorldAgent;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is said of a failing run.
///
/// @param result the run
/// @param found the run before its schedule was shrunk
/// @param runs the number of runs for that; 0: it was not shrunk
/// @param cutShort whether more runs could have shrunk it further
/// @param repeats whether it has failed in the same way when it was repeated
/// @param tried the number of runs until it was found; 0: it is the only one
record FailureText(
    SimulationResult<?> result,
    SimulationResult<?> found,
    int runs,
    boolean cutShort,
    boolean repeats,
    int tried) {
  private static final int MOST_SHOWN = 20; // decisions and interruptions

  static FailureText of(SimulationResult<?> result) {
    return of(result, 0);
  }

  /// A run whose schedule is not shrunk.
  static FailureText of(SimulationResult<?> found, int tried) {
    return new FailureText(found, found, 0, false, true, tried);
  }

  /// Shrinks the schedule of a run.
  static FailureText of(Shrinker shrinker, SimulationResult<?> found, int tried) {
    SimulationResult<?> shrunk = shrinker.shrink();
    return new FailureText(
        shrunk, found, shrinker.runs(), shrinker.isCutShort(), shrinker.repeats(), tried);
  }

  /// For a test that is on the current stack, if it is one.
  SimulationError error() {
    return new SimulationError(text(TestName.onStack()), result);
  }

  SimulationError error(String test) {
    return new SimulationError(text(test), result);
  }

  private String text(@Nullable String test) {
    StringBuilder text = new StringBuilder("seed ").append(result.seed());
    if (tried > 1) {
      text.append(", run ").append(tried);
    }
    text.append(" failed after ")
        .append(VirtualTime.inWords(result.elapsed()))
        .append(" of virtual time: ")
        .append(result.failure());
    describeThreads(text);
    text.append("\nreplay with ").append(Replay.line(result, test));
    if (result.points() > 0) {
      text.append("\nin a JVM with -javaagent:heddle-world.jar=").append(WorldAgent.options());
    }
    describeSchedule(text);
    if (!repeats) {
      text.append("\nit did not repeat: a second run with the same decisions failed differently");
    }
    result
        .uncontrolled()
        .forEach(what -> text.append("\nnot controlled, a replay may differ: ").append(what));
    return text.append('\n').toString();
  }

  private void describeThreads(StringBuilder text) {
    Throwable failure = result.failure();
    for (Throwable more : failure == null ? new Throwable[0] : failure.getSuppressed()) {
      if (more instanceof ThreadsError) {
        text.append("\n").append(more.getMessage());
      }
    }
  }

  private void describeSchedule(StringBuilder text) {
    Course course = result.course();
    int interruptions = course.interruptions().size();
    int other = entries(result) - interruptions;
    text.append(
        "\nof %s %s %s from the oldest first"
            .formatted(
                InWords.count(course.decisions(), "decision"),
                InWords.number(other),
                verb(other, "differs", "differ")));
    if (course.points() > 0 || interruptions > 0) {
      text.append(
          "; there %s %s, %s %s reached"
              .formatted(
                  verb(interruptions, "is", "are"),
                  InWords.count(interruptions, "interruption"),
                  InWords.count(course.points(), "point"),
                  verb(course.points(), "was", "were")));
    }
    if (runs > 0) {
      text.append(
              " (%s before %s that shrank them"
                  .formatted(InWords.number(entries(found)), InWords.count(runs, "run")))
          .append(cutShort ? ", the limit: some may not be needed)" : ")");
    }
    List<String> lines = departures();
    lines.stream().limit(MOST_SHOWN).forEach(line -> text.append("\n  ").append(line));
    if (lines.size() > MOST_SHOWN) {
      text.append("\n  and %,d more".formatted(lines.size() - MOST_SHOWN));
    }
  }

  private static String verb(int number, String one, String several) {
    return number == 1 ? one : several;
  }

  private static int entries(SimulationResult<?> of) {
    return Schedule.of(of.course()).entries().size();
  }

  // in the order of the schedule
  private List<String> departures() {
    List<Decision> decisions = result.decisions();
    Iterator<Interruption> interruptions = result.interruptions().iterator();
    return Schedule.of(result.course()).entries().stream()
        .map(entry ->
            entry.kind() == null
                ? decisions.get(entry.number()).toString()
                : interruptions.next().toString())
        .toList();
  }
}
