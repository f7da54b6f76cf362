// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.result.Comparison;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Ours of this commit and of another one, in turns: each with its own bench, all with the flags of
/// this one.
final class Against {
  /// How often each of the two is started where no other number is given; see Change.
  static final int STARTS = 8;

  private static final Set<String> SUBJECTS = Set.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER);

  private Against() {}

  /// Runs a shape and compares. The number of starts does not make each of them shorter.
  ///
  /// @throws IllegalStateException when nothing can be compared, since one of the two does not run
  static List<Comparison> run(
      Shape shape, Build other, int starts, Effort effort, Consumer<String> progress) {
    List<ShapeResult> results = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (int start = 0; start < starts; start++) {
      progress.accept(shape.name() + ": start " + (start + 1) + " of " + starts);
      boolean otherFirst = start % 2 == 1;
      results.add(
          Driver.run(
              both(shape, other, otherFirst),
              effort.start(STARTS),
              line -> {
                if (line.contains(": missing, ")) {
                  missing.add(line);
                  progress.accept(line);
                }
              }));
      if (Comparison.of(results).isEmpty()) {
        throw new IllegalStateException(
            "nothing of %s can be compared with %s: %s"
                .formatted(shape.name(), other.revision(), String.join("; ", missing)));
      }
    }
    return Comparison.of(results);
  }

  /// The shape with ours alone, each beside the other commit's.
  static Shape both(Shape shape, Build other, boolean otherFirst) {
    List<Contender> contenders = new ArrayList<>();
    for (Contender contender : shape.contenders()) {
      if (SUBJECTS.contains(contender.name())) {
        Contender there = contender.at(other);
        contenders.addAll(otherFirst ? List.of(there, contender) : List.of(contender, there));
      }
    }
    return new Shape(shape.name(), shape.what(), shape.cases(), contenders, List.of());
  }
}
