// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the command line asks for.
///
/// @param shapes to run, in the given order
/// @param effort how thoroughly
/// @param json where to write the run for programs
/// @param list true to name shapes and contenders and run nothing
/// @param report true to write the page of the docs
record Options(
    List<Shape> shapes, Effort effort, Optional<Path> json, boolean list, boolean report) {
  static final String USAGE =
      """
      Usage: heddle bench [--quick] [--json FILE] [--report] NAME...
             heddle bench --list
        NAME         a shape, or "all"
        --quick      a first look, under 60 s a shape
        --json FILE  also write everything that was measured to FILE
        --report     also write docs/reference/benchmarks.md (all shapes when none is named)
        --list       name the shapes and who takes part
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
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--quick" -> effort = Effort.quick();
        case "--list" -> list = true;
        case "--report" -> report = true;
        case "--json" -> {
          if (++i == arguments.length) {
            throw new IllegalArgumentException("--json needs a file name after it");
          }
          json = Path.of(arguments[i]);
        }
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
    return new Options(List.copyOf(shapes), effort, Optional.ofNullable(json), list, report);
  }

  private static Shape shape(String name) {
    if (name.startsWith("-")) {
      throw new IllegalArgumentException("Unknown option " + name);
    }
    return Shapes.find(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "No shape '"
                    + name
                    + "'; there are "
                    + Shapes.all().stream().map(Shape::name).collect(Collectors.joining(", "))));
  }
}
