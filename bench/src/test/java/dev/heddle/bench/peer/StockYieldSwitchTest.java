// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.fork.ContenderProcess;
import dev.heddle.bench.fork.ForkFailedException;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Virtual threads that yield to each other are all there while they are measured.
class StockYieldSwitchTest {
  private static final Duration GUARD = Duration.ofMinutes(5);
  private static final long LAPS = 10;

  @ParameterizedTest
  @ValueSource(strings = {"stock-yield", "stock-yield-1"})
  void round_isMeasuredWhileAllYield(String contender) throws ForkFailedException {
    Shape shape = Shapes.find("switch").orElseThrow();
    long asked = LAPS * shape.caseNamed("switch-1000").size();

    try (ContenderProcess process = ContenderProcess.start(shape, shape.contender(contender))) {
      process.open(shape.caseNamed("switch-1000"), GUARD);
      process.begin(asked);

      assertThat(process.end(GUARD).operations()).isGreaterThanOrEqualTo(asked / 2);
    }
  }
}
