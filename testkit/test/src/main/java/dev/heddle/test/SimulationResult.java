// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Course;
import dev.heddle.test.run.Finding;
import dev.heddle.test.run.RunRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a run of a [Simulation] did.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=result}
///
/// @param <T> what its main coroutine returns
/// @since 0.1
public final class SimulationResult<T extends @Nullable Object> {
  private final long seed;
  private final RunRecord<T> record;
  private final @Nullable Throwable failure;

  SimulationResult(long seed, RunRecord<T> record, boolean checksLeaks) {
    this(seed, record, record.failure() == null ? findings(record, checksLeaks) : record.failure());
  }

  private SimulationResult(long seed, RunRecord<T> record, @Nullable Throwable failure) {
    this.seed = seed;
    this.record = record;
    this.failure = failure;
  }

  /// The same run, which fails where it has not taken the schedule of its options.
  SimulationResult<T> asReplay(SimulationOptions options) {
    String schedule = options.schedule();
    String misfit = schedule == null ? null : Schedule.parse(schedule).misfit(course());
    return misfit == null || failure != null
        ? this
        : failedBy(
            ("the schedule does not fit this program any more: %s. The run had %,d decisions, %,d"
                    + " points and %,d steps; where the program was changed, explore it again")
                .formatted(misfit, course().decisions(), course().points(), course().steps()));
  }

  /// The same run, which has failed for a reason of the exploration.
  SimulationResult<T> failedBy(String reason) {
    return new SimulationResult<>(seed, record, new CourseError(reason));
  }

  /// The course of the run is not the one that was asked for.
  private static final class CourseError extends AssertionError {
    private static final long serialVersionUID = 1;

    private CourseError(String message) {
      super(message);
    }
  }

  private static @Nullable AssertionError findings(RunRecord<?> record, boolean checksLeaks) {
    String text =
        Stream.of(
                text(record, Finding.Kind.UNHANDLED, "no code of the run observed:"),
                text(record, Finding.Kind.REFUSED, "the run asked for what a simulation has not:"),
                checksLeaks ? text(record, Finding.Kind.LEAK, "the run left behind:") : "")
            .filter(Predicate.not(String::isEmpty))
            .collect(Collectors.joining("\n"));
    if (text.isEmpty()) {
      return null;
    }
    AssertionError error = new AssertionError(text);
    record.findings().stream()
        .filter(finding -> checksLeaks || finding.kind() != Finding.Kind.LEAK)
        .map(Finding::failure)
        .filter(Objects::nonNull)
        .forEach(error::addSuppressed);
    return error;
  }

  private static String text(RunRecord<?> record, Finding.Kind kind, String title) {
    String lines =
        record.findings().stream()
            .filter(finding -> finding.kind() == kind)
            .map(one -> "\n  " + one.what() + (one.failure() == null ? "" : ": " + one.failure()))
            .collect(Collectors.joining());
    return lines.isEmpty() ? "" : title + lines;
  }

  /// The seed.
  public long seed() {
    return seed;
  }

  /// What the main coroutine returned; null when it failed.
  public @Nullable T value() {
    return record.value();
  }

  /// Why the run failed: the throwable of its loop, or failures that no code observed and what it
  /// left behind; null when it did not fail.
  public @Nullable Throwable failure() {
    return failure;
  }

  /// The virtual time from its beginning to its end.
  public Duration elapsed() {
    return record.elapsed();
  }

  /// The number of scheduling steps: each runs a coroutine until it waits.
  public int steps() {
    return record.course().steps();
  }

  /// The steps at which more than one was ready.
  public List<Decision> decisions() {
    Course course = record.course();
    List<Decision> all = new ArrayList<>();
    for (int number = 0; number < course.decisions(); number++) {
      int step = course.stepOf(number);
      all.add(
          new Decision(
              number,
              Duration.ofNanos(course.time(step)),
              course.ready(step),
              course.chosen(step),
              course.name(course.id(step))));
    }
    return all;
  }

  /// What the strategy did besides, in the order in which it happened: preemptions, stalls,
  /// wake-ups. Empty without the agent.
  public List<Interruption> interruptions() {
    Course course = record.course();
    return course.interruptions().stream().map(one -> Interruption.of(one, course)).toList();
  }

  /// The number of preemption points that it has reached; 0 without the agent, or without points.
  public int points() {
    return record.course().points();
  }

  /// Its decisions and interruptions in short, for [SimulationOptions#withSchedule].
  public String schedule() {
    return Schedule.of(record.course()).toString();
  }

  /// A number that two runs share when they took the same course: the same steps at the same times.
  public long fingerprint() {
    return record.course().fingerprint();
  }

  /// What threads outside of the simulation decided, in words: where it is not empty, the same seed
  /// may take another course. What begins with `perhaps` is a wait in the JDK that lasted while the
  /// clock moved on: it depends on a thread outside, unless another coroutine ends it.
  public List<String> uncontrolled() {
    return record.uncontrolled();
  }

  /// The classes of objects in messages of processes whose content was not compared, since it is
  /// not known which of their changes matter. Empty when messages are not compared.
  public List<String> uncheckedMessages() {
    return record.uncheckedMessages();
  }

  /// Its steps in Chrome's trace event format, for Perfetto or `chrome://tracing`: a row for each
  /// coroutine, a slice from each of its steps to its next one, in microseconds of virtual time.
  public String trace() {
    return ChromeTrace.of(record.course());
  }

  /// Writes [#trace()] to a file.
  ///
  /// @throws UncheckedIOException when it cannot be written
  public void writeTrace(Path file) {
    try {
      Files.writeString(file, trace());
    } catch (IOException e) {
      throw new UncheckedIOException("the trace of seed " + seed, e);
    }
  }

  /// Whether its program still runs: it did not end within the patience for one step.
  boolean isAbandoned() {
    return record.isAbandoned();
  }

  /// Whether something outside of the simulation has had a part in its course for certain.
  boolean dependsOnOthers() {
    return record.dependsOnOthers();
  }

  /// Whether other schedules may fail in the same way.
  boolean isShrinkable() {
    return !dependsOnOthers() && !(failure instanceof CourseError);
  }

  Course course() {
    return record.course();
  }
}
