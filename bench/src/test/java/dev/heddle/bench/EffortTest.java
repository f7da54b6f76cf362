// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// How much time a shape gets, and how many rounds a case has at least.
class EffortTest {
  private static final int LEAST = 3;
  private static final int MOST = 5;
  private static final int DAY_MILLIS = 86_400_000;
  private static final String SHORT = "short";
  private static final String LONG = "long";

  private final Effort noTime =
      new Effort(Duration.ZERO, Duration.ZERO, MOST, LEAST, Duration.ZERO, Duration.ZERO, true);

  @Test
  void full_caseOfRoundsOfAFixedTime_hasTimeForThreeOfEachContender() {
    for (Shape shape : Shapes.all()) {
      Duration rounds = Duration.ZERO;
      for (Case size : shape.cases()) {
        if (size.pace().timed()) {
          long turns = size.pace().together() ? 1 : contenders(shape, size);
          rounds = rounds.plus(Duration.ofMillis(size.pace().least()).multipliedBy(3 * turns));
        }
      }
      Duration usual = Effort.full().budget();
      assertThat(Effort.full().budget(shape))
          .as(shape.name())
          .isGreaterThanOrEqualTo(rounds)
          .isGreaterThan(usual.minusSeconds(1));
    }
  }

  @Test
  void full_tails_haveMoreTimeThanOtherShapes() {
    for (String name : List.of("tails-echo", "tails-http", "tails-pairs", "tails-fairness")) {
      assertThat(budget(Effort.full(), name)).as(name).isGreaterThan(Effort.full().budget());
    }
    assertThat(budget(Effort.full(), "switch")).isEqualTo(Effort.full().budget());
  }

  @Test
  void quick_noShapeHasMoreTime() {
    assertThat(Shapes.all())
        .extracting(shape -> Effort.quick().budget(shape))
        .allSatisfy(time -> assertThat(time).isLessThanOrEqualTo(Effort.quick().budget()));
  }

  @Test
  void text_namesRoundsOfAFixedTimeAndTheTimeOfTheShape() {
    Shape tails = Shapes.find("tails-pairs").orElseThrow();

    assertThat(Effort.full().text(tails))
        .startsWith("Full run: up to 21 rounds of 300 ms, some of 2000 ms, per contender")
        .endsWith("at most %d s.".formatted(Effort.full().budget(tails).toSeconds()));
    assertThat(Effort.full().text(Shapes.find("switch").orElseThrow()))
        .isEqualTo(
            "Full run: up to 21 rounds of 300 ms per contender and case after up to 2000 ms of"
                + " warm-up; at most 240 s.");
  }

  @Test
  void run_withoutTime_hasTheLeastRoundsOfEachCase() {
    RoundLog log = run(RoundSize.fixed(1, 1));

    assertThat(log.rounds(SHORT)).hasSize(LEAST);
    assertThat(log.rounds(LONG)).hasSize(LEAST);
  }

  @Test
  void run_caseOfRoundsOfAFixedTime_hasTheTimeThatItNeeds_beyondThatOfTheShape() {
    RoundLog log = run(RoundSize.timed(DAY_MILLIS, 1)); // nobody is there to take it

    assertThat(log.rounds(SHORT)).hasSize(LEAST);
    assertThat(log.rounds(LONG)).hasSize(MOST);
  }

  private RoundLog run(RoundSize pace) {
    Contender absent = Made.contender("absent").needing(() -> Optional.of("not there"));
    List<Case> cases =
        List.of(
            Case.of(SHORT, "made up", 1, RoundSize.fixed(1, 1), Metric.WALL),
            Case.of(LONG, "made up", 1, pace, Metric.WALL));
    RoundLog log = RoundLog.inMemory();
    Driver.run(new Shape("made-up", "", cases, List.of(absent), List.of()), noTime, log, _ -> {});
    return log;
  }

  private static Duration budget(Effort effort, String name) {
    return effort.budget(Shapes.find(name).orElseThrow());
  }

  private static long contenders(Shape shape, Case size) {
    return shape.contenders().stream().filter(contender -> contender.isIn(size)).count();
  }
}
