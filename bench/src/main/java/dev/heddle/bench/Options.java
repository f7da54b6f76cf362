// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.result.Change;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the command line asks for.
///
/// @param shapes to run, in the given order
/// @param effort how thoroughly
/// @param json where to write the run for programs
/// @param list true to name shapes and contenders and run nothing
/// @param report true to write the page of the docs
/// @param against the build of another commit to compare with
/// @param starts how often each of the two is started for that
record Options(
    List<Shape> shapes,
    Effort effort,
    Optional<Path> json,
    boolean list,
    boolean report,
    Optional<Build> against,
    int starts) {
  static final String USAGE =
      """
      Usage: heddle bench [--quick] [--json FILE] [--report] NAME...
             heddle bench [--quick] --against REV [--starts N] NAME...
             heddle bench --list
        NAME           a shape, one of its cases, or "all"; about 4 minutes a shape, more where
                       rounds last a fixed time: each case has three rounds at least
        --quick        a first look, under 60 s a shape
        --json FILE    also write everything that was measured to FILE
        --report       write docs/reference/benchmarks.md (all shapes when none is named);
                       goes on where an earlier run of the same commit was interrupted
        --against REV  compare this commit with another one, in turns, and say what changed
                       beyond noise (takes as long as two runs)
        --starts N     start each of the two commits N times, not 8 (best an even number): the
                       more, the smaller the changes that are told from noise; the time grows
                       with N
        --list         name the shapes, how long each takes, and who takes part
      """;

  /// Reads the command line.
  ///
  /// @throws IllegalArgumentException with a message for people
  static Options of(String... arguments) {
    List<Shape> shapes = new ArrayList<>();
    Effort effort = Effort.full();
    Path json = null;
    boolean list = false;
    boolean report = false;
    String against = null;
    String classPath = null;
    Integer starts = null;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--quick" -> effort = Effort.quick();
        case "--list" -> list = true;
        case "--report" -> report = true;
        case "--json" -> json = Path.of(after(arguments, i++, "a file name"));
        case "--against" -> against = after(arguments, i++, "a commit");
        case "--starts" -> starts = starts(after(arguments, i++, "a number"));
        case "--against-class-path" -> classPath = after(arguments, i++, "a class path");
        case "all" -> shapes.addAll(Shapes.all());
        default -> shapes.add(shape(arguments[i]));
      }
    }
    if (shapes.isEmpty() && report) {
      shapes.addAll(Shapes.all());
    }
    if (shapes.isEmpty() && !list) {
      throw new IllegalArgumentException("Name a shape, or \"all\"");
    }
    if (json != null && against != null) {
      throw new IllegalArgumentException("--json and --against do not go together");
    }
    if (starts != null && against == null) {
      throw new IllegalArgumentException("--starts is for --against REV");
    }
    return new Options(
        List.copyOf(shapes),
        effort,
        Optional.ofNullable(json),
        list,
        report,
        build(against, classPath, report),
        Objects.requireNonNullElse(starts, Against.STARTS));
  }

  private static int starts(String number) {
    int starts;
    try {
      starts = Integer.parseInt(number);
    } catch (NumberFormatException _) {
      starts = 0; // as wrong as any
    }
    if (starts < Change.LEAST_STARTS) {
      throw new IllegalArgumentException(
          "--starts needs a number of "
              + Change.LEAST_STARTS
              + " or more, not '"
              + number
              + "': fewer starts tell nothing from noise");
    }
    return starts;
  }

  private static String after(String[] arguments, int option, String what) {
    if (option + 1 == arguments.length) {
      throw new IllegalArgumentException(arguments[option] + " needs " + what + " after it");
    }
    return arguments[option + 1];
  }

  private static Optional<Build> build(
      @Nullable String against, @Nullable String classPath, boolean report) {
    if (against == null) {
      return Optional.empty();
    }
    if (classPath == null) {
      throw new IllegalArgumentException("--against needs the launcher, which builds " + against);
    }
    if (report) {
      throw new IllegalArgumentException("--report and --against do not go together");
    }
    return Optional.of(new Build(against, classPath));
  }

  private static Shape shape(String name) {
    if (name.startsWith("-")) {
      throw new IllegalArgumentException("Unknown option " + name);
    }
    return Shapes.select(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "No shape '"
                    + name
                    + "'; there are "
                    + Shapes.all().stream().map(Shape::name).collect(Collectors.joining(", "))));
  }
}
