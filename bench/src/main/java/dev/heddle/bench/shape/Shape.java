// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.List;
import java.util.Optional;

/// A kind of work, who does it, and what Heddle has to reach.
///
/// @param name as given on the command line
/// @param what one sentence for people
/// @param cases its sizes
/// @param contenders who takes part, in the order of printing
/// @param bars what to reach
public record Shape(
    String name, String what, List<Case> cases, List<Contender> contenders, List<Bar> bars) {
  /// Copies the lists.
  public Shape {
    cases = List.copyOf(cases);
    contenders = List.copyOf(contenders);
    bars = List.copyOf(bars);
  }

  /// A case by name.
  public Case caseNamed(String name) {
    return cases.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
  }

  /// The shape with one of its cases, the case of which that is a part, and the bars that need no
  /// other; empty if it has none of this name.
  public Optional<Shape> only(String caseName) {
    return cases.stream()
        .filter(size -> size.name().equals(caseName))
        .findFirst()
        .map(size ->
            new Shape(
                name,
                what,
                cases.stream().filter(other -> size.needs(other)).toList(),
                contenders.stream().filter(contender -> contender.isIn(size)).toList(),
                bars.stream().filter(bar -> size.hasRow(bar.row())).toList()));
  }

  /// A contender by name.
  public Contender contender(String name) {
    return contenders.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
  }
}
