// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Bar;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every program of every shape, one tiny round each, in a process of its own. Those of other
/// languages have a test of their own, for their toolchains may be missing.
@Execution(ExecutionMode.CONCURRENT)
class DriverTest {
  private static final String LINE =
      "[a-z0-9-]+\t[a-z0-9_-]+\t[0-9.]+\t[0-9.]+\t[0-9.]+\t[^\t]+\t([0-9.]+|-)";

  private static final String NODES = "cluster-";

  static Stream<Shape> shapes() {
    return Shapes.all().stream().filter(shape -> !shape.name().startsWith(NODES));
  }

  static Stream<Shape> shapesOfNodes() {
    return Shapes.all().stream().filter(shape -> shape.name().startsWith(NODES));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyContender_oneTinyRound_printsItsLine(Shape shape) {
    runsOneTinyRound(shape);
  }

  /// Not by default: where a JVM gets no processor for 6 s, beside other tests, its node is lost to
  /// the others, as it has to be, and there is no figure.
  @ParameterizedTest
  @MethodSource("shapesOfNodes")
  @Tag("full")
  @Execution(ExecutionMode.SAME_THREAD)
  void everyContenderOfNodes_oneTinyRound_printsItsLine(Shape shape) {
    runsOneTinyRound(shape);
  }

  private void runsOneTinyRound(Shape shape) {
    List<String> said = new ArrayList<>();
    Shape oneJvmEach = withoutRepeats(shape);

    ShapeResult result = Driver.run(oneJvmEach, Effort.tinyRound(), said::add);

    assertThat(result.lines()).as("%s", said).isNotEmpty();
    assertThat(result.lines().stream().map(Line::text)).as("%s", said).allMatch(this::isLine);
  }

  private boolean isLine(String text) {
    return text.matches(LINE);
  }

  /// Without the contenders that differ by flags or JVM only: their programs are the same.
  private static Shape withoutRepeats(Shape shape) {
    List<Contender> contenders =
        shape.contenders().stream()
            .filter(c -> !c.name().contains("launcher"))
            .filter(c -> !c.name().matches("stock.*-1|.*-100ms|heddle-.*-[2-9]"))
            .filter(c -> c.peer().isEmpty())
            .filter(c -> c.missing().isEmpty()) // a container may refuse io_uring
            .toList();
    List<Bar> noBars = List.of();
    return new Shape(shape.name(), shape.what(), shape.cases(), contenders, noBars);
  }
}
