// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.PairedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// What a contender of ours has to reach in a row.
///
/// @param row the row's name
/// @param subject the contender of ours
/// @param text what to reach, for people
/// @param needs the contenders it compares with
/// @param rule measures and judges, once all needed contenders have figures
public record Bar(
    String row,
    String subject,
    String text,
    List<String> needs,
    Function<RunFigures, Verdict> rule) {
  // Of a round of ten thousand operations, one stands outside: the meter's own, a look at the
  // reactor.
  private static final double COUNT_NOISE = 0.01;

  // Who does the same and more takes no less: the other one was compiled worse.
  private static final double LEAST_IN_TURNS = 0.9;

  /// Copies the list.
  public Bar {
    needs = List.copyOf(needs);
  }

  /// At most `limit` times another contender, round by round.
  public static Bar ratio(String row, String subject, double limit, String other) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, "<= %.2f x %s", limit, other),
        List.of(other),
        runFigures -> {
          double ratio = runFigures.ratio(row, subject, other);
          return new Verdict(
              ratio <= limit ? State.MET : State.NOT_MET, ratios(runFigures, row, subject, other));
        });
  }

  /// At least `limit` times another contender's rate, round by round.
  public static Bar atLeast(String row, String subject, double limit, String other) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, ">= %.2f x %s", limit, other),
        List.of(other),
        runFigures -> {
          double ratio = runFigures.ratio(row, subject, other);
          return new Verdict(
              ratio >= limit ? State.MET : State.NOT_MET, ratios(runFigures, row, subject, other));
        });
  }

  /// Less CPU time than each of some contenders, round by round. Wall time would praise those that
  /// spread over all cores, or leave work to a thread of theirs; it is shown beside.
  public static Bar ahead(String row, String subject, String... others) {
    return new Bar(
        row,
        subject,
        "ahead of " + String.join(", ", others),
        List.of(others),
        runFigures -> {
          String best = best(others, other -> runFigures.cpuRatio(row, subject, other));
          boolean met = runFigures.cpuRatio(row, subject, best) < 1;
          return new Verdict(
              met ? State.MET : State.NOT_MET,
              ratios(runFigures, row, subject, best) + " of the best, " + best);
        });
  }

  /// Less of the row's figure than each of some contenders, round by round.
  public static Bar below(String row, String subject, String... others) {
    return new Bar(
        row,
        subject,
        "below " + String.join(", ", others),
        List.of(others),
        runFigures -> {
          String best = best(others, other -> runFigures.ratio(row, subject, other));
          boolean met = runFigures.ratio(row, subject, best) < 1;
          return new Verdict(
              met ? State.MET : State.NOT_MET,
              ratios(runFigures, row, subject, best) + " of the best, " + best);
        });
  }

  /// At most `limit` of a count per operation.
  public static Bar count(String row, String subject, String name, double limit) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, "<= %s %s per operation", number(limit), name),
        List.of(),
        runFigures -> {
          double value = runFigures.count(row, subject, name);
          return new Verdict(
              value <= limit + COUNT_NOISE ? State.MET : State.NOT_MET,
              String.format(Locale.ROOT, "%.4f %s", value, name));
        });
  }

  /// At most `limit` times the CPU time of another program that it has taken turns with in its JVM.
  public static Bar inTurns(String row, String subject, double limit, String other) {
    return inTurns(row, List.of(subject), limit, other);
  }

  /// The same of some JVMs, by their median: what the compiler of one chose holds for all its
  /// rounds.
  ///
  /// @param subjects a contender for each JVM
  public static Bar inTurns(String row, List<String> subjects, double limit, String other) {
    String by = subjects.size() == 1 ? "" : ", by the median of " + subjects.size();
    return new Bar(
        row,
        subjects.getFirst(),
        String.format(Locale.ROOT, "<= %.2f x %s in the same JVM%s", limit, other, by),
        subjects,
        runFigures -> inTurns(runFigures, row, subjects, limit));
  }

  private static Verdict inTurns(
      RunFigures runFigures, String row, List<String> subjects, double limit) {
    double[] ratios =
        subjects.stream()
            .mapToDouble(subject -> runFigures.count(row, subject, PairedRun.RATIO))
            .sorted()
            .toArray();
    double ratio = ratios[ratios.length / 2];
    State state =
        ratio < LEAST_IN_TURNS ? State.INVALID : ratio <= limit ? State.MET : State.NOT_MET;
    String found = String.format(Locale.ROOT, "CPU %.2f x", ratio);
    String range =
        ratios.length == 1
            ? ""
            : String.format(Locale.ROOT, " (%.2f to %.2f)", ratios[0], ratios[ratios.length - 1]);
    return new Verdict(state, found + range);
  }

  /// At most a number in the row's unit.
  public static Bar atMost(String row, String subject, double limit, String unit) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, "<= %s %s", number(limit), unit),
        List.of(),
        runFigures -> {
          double value = runFigures.median(row, subject);
          return new Verdict(
              value <= limit ? State.MET : State.NOT_MET, number(value) + " " + unit);
        });
  }

  /// At least a number in the row's unit.
  public static Bar reaching(String row, String subject, double limit, String unit) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, ">= %s %s", number(limit), unit),
        List.of(),
        runFigures -> {
          double value = runFigures.median(row, subject);
          return new Verdict(
              value >= limit ? State.MET : State.NOT_MET, number(value) + " " + unit);
        });
  }

  /// At most `limit` above another contender, in the row's unit.
  public static Bar above(String row, String subject, double limit, String unit, String other) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, "<= %s + %s %s", other, number(limit), unit),
        List.of(other),
        runFigures -> {
          double value = runFigures.median(row, subject) - runFigures.median(row, other);
          return new Verdict(
              value <= limit ? State.MET : State.NOT_MET,
              String.format(Locale.ROOT, "%s %+.0f %s", other, value, unit));
        });
  }

  /// At most `limit` times its own figure in another row: what a larger size may cost.
  public static Bar growth(String row, String subject, double limit, String smaller) {
    return new Bar(
        row,
        subject,
        String.format(Locale.ROOT, "<= %.2f x %s", limit, smaller),
        List.of(),
        runFigures -> {
          if (!runFigures.has(smaller, subject)) {
            return new Verdict(State.CONTENDER_MISSING, subject + " in " + smaller);
          }
          double ratio = runFigures.median(row, subject) / runFigures.median(smaller, subject);
          return new Verdict(
              ratio <= limit ? State.MET : State.NOT_MET,
              String.format(Locale.ROOT, "%.2f x", ratio));
        });
  }

  /// Judges a run.
  public Verdict judge(RunFigures runFigures) {
    List<String> absent = new ArrayList<>();
    for (String contender : needs) {
      if (!runFigures.has(row, contender)) {
        absent.add(contender);
      }
    }
    if (!needs.contains(subject) && !runFigures.has(row, subject)) {
      absent.add(subject);
    }
    return absent.isEmpty()
        ? rule.apply(runFigures)
        : new Verdict(State.CONTENDER_MISSING, String.join(", ", absent));
  }

  /// Of whose figure the subject has most.
  private static String best(String[] others, ToDoubleFunction<String> ratio) {
    return Arrays.stream(others).max(Comparator.comparingDouble(ratio)).orElseThrow();
  }

  private static String ratios(RunFigures runFigures, String row, String subject, String other) {
    return String.format(
        Locale.ROOT,
        "%.2f x (CPU %.2f x)",
        runFigures.ratio(row, subject, other),
        runFigures.cpuRatio(row, subject, other));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  /// How a bar came out.
  public enum State {
    /// Reached.
    MET("met"),
    /// Not reached.
    NOT_MET("not met"),
    /// Counts as not reached: what was found cannot be.
    INVALID("invalid"),
    /// Counts as not reached: somebody to compare with was not there.
    CONTENDER_MISSING("contender missing");

    private final String words;

    State(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /// A bar's outcome.
  ///
  /// @param state met or not
  /// @param found what was measured, for people
  public record Verdict(State state, String found) {}
}
