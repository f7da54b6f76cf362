// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.PairedRun;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Bar;
import dev.heddle.bench.shape.Bar.State;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Lines, ratios and bars from samples made up here.
class ShapeResultTest {
  private static final String ROW = "row";

  @Test
  void spread_tenRounds_interpolatesPercentiles() {
    Spread spread = Spread.of(10, 1, 9, 2, 8, 3, 7, 4, 6, 5);

    assertThat(spread.median()).isEqualTo(5.5);
    assertThat(spread.low()).isEqualTo(1.9);
    assertThat(spread.high()).isEqualTo(9.1);
  }

  @Test
  void ratio_slowRound_isPairedWithinTheRound() {
    ShapeResult result = result(samples(100, 400, 100), samples(200, 800, 200));

    assertThat(result.ratio(ROW, "peer", Contender.HEDDLE)).isEqualTo(2.0);
    assertThat(result.lines().get(1).text()).isEqualTo("row\tpeer\t200\t200\t680\tns\t2.00");
  }

  @Test
  void line_missingContender_saysMissing() {
    ShapeResult result = result(samples(100), Figures.missing("not installed"));

    assertThat(result.lines().get(1).text()).isEqualTo("row\tpeer\tmissing\t-\t-\tns\t-");
    assertThat(result.lines().get(1).missing()).isEqualTo("not installed");
  }

  @Test
  void bar_missingContender_isNotMet() {
    ShapeResult result = result(samples(100), Figures.missing("not installed"));

    Bar.Verdict verdict = Bar.ratio(ROW, Contender.HEDDLE, 1.15, "peer").judge(result);

    assertThat(verdict).isEqualTo(new Bar.Verdict(State.CONTENDER_MISSING, "peer"));
  }

  @Test
  void inTurnsBar_judgesTheMedianOfTheRatiosInTheJvm() {
    ShapeResult result = result(besides(1.02, 1.11, 1.04), samples(100, 100, 100));

    assertThat(Bar.inTurns(ROW, Contender.HEDDLE, 1.10, "bare").judge(result))
        .isEqualTo(new Bar.Verdict(State.MET, "CPU 1.04 x"));
    assertThat(Bar.inTurns(ROW, Contender.HEDDLE, 1.03, "bare").judge(result).state())
        .isEqualTo(State.NOT_MET);
  }

  @Test
  void inTurnsBar_ofSeveralJvms_judgesTheirMedian_andTellsTheRange() {
    List<String> all = List.of("first", "second", "third");
    ShapeResult result =
        result(
            all, Map.of("first", besides(1.3), "second", besides(0.7), "third", besides(1.1, 1.1)));

    assertThat(Bar.inTurns(ROW, all, 1.10, "bare").judge(result))
        .isEqualTo(new Bar.Verdict(State.MET, "CPU 1.10 x (0.70 to 1.30)"));
    assertThat(Bar.inTurns(ROW, all, 1.09, "bare").judge(result).state()).isEqualTo(State.NOT_MET);
  }

  @Test
  void inTurnsBar_programThatTakesLessThanWithoutItsExtraWork_isInvalid() {
    ShapeResult result = result(besides(0.69), samples(100));

    assertThat(Bar.inTurns(ROW, Contender.HEDDLE, 1.10, "bare").judge(result))
        .isEqualTo(new Bar.Verdict(State.INVALID, "CPU 0.69 x"));
  }

  @Test
  void ratioBar_justAboveItsLimit_isNotMet() {
    ShapeResult result = result(samples(116), samples(100));

    assertThat(Bar.ratio(ROW, Contender.HEDDLE, 1.15, "peer").judge(result).state())
        .isEqualTo(State.NOT_MET);
    assertThat(Bar.ratio(ROW, Contender.HEDDLE, 1.16, "peer").judge(result).state())
        .isEqualTo(State.MET);
  }

  @Test
  void aheadBar_lessWallButMoreCpu_isNotMet() {
    Figures twoCores = Figures.of(List.of(sample(50, 90)));
    ShapeResult result = result(samples(100), twoCores);

    assertThat(Bar.ahead(ROW, Contender.HEDDLE, "peer").judge(result).state())
        .isEqualTo(State.NOT_MET);
    assertThat(Bar.ahead(ROW, "peer", Contender.HEDDLE).judge(result).state()).isEqualTo(State.MET);
  }

  @Test
  void barsOfSeveral_areJudgedBesideTheOneThatIsBest() {
    ShapeResult result =
        result(
            List.of(Contender.HEDDLE, "a", "b"),
            Map.of(
                Contender.HEDDLE,
                samples(100, 100, 100),
                "a",
                samples(101, 101, 50),
                "b",
                samples(150, 90, 90)));

    for (Bar bar :
        List.of(
            Bar.below(ROW, Contender.HEDDLE, "a", "b"),
            Bar.ahead(ROW, Contender.HEDDLE, "a", "b"))) {
      assertThat(bar.judge(result))
          .isEqualTo(new Bar.Verdict(State.NOT_MET, "1.11 x (CPU 1.11 x) of the best, b"));
    }
  }

  @Test
  void countBar_oneTooMany_isNotMet() {
    ShapeResult result = result(Figures.of(List.of(sample(1, 1).with("switches", 2))), samples(1));

    assertThat(Bar.count(ROW, Contender.HEDDLE, "switches", 1).judge(result).state())
        .isEqualTo(State.NOT_MET);
    assertThat(Bar.count(ROW, Contender.HEDDLE, "switches", 2).judge(result).state())
        .isEqualTo(State.MET);
  }

  @Test
  void aboveBar_differenceBeyondItsLimit_isNotMet() {
    ShapeResult result = result(samples(161), samples(100));

    assertThat(Bar.above(ROW, Contender.HEDDLE, 60, "ns", "peer").judge(result).state())
        .isEqualTo(State.NOT_MET);
    assertThat(Bar.above(ROW, Contender.HEDDLE, 61, "ns", "peer").judge(result).state())
        .isEqualTo(State.MET);
  }

  private static ShapeResult result(Figures heddle, Figures peer) {
    return result(
        List.of(Contender.HEDDLE, "peer"), Map.of(Contender.HEDDLE, heddle, "peer", peer));
  }

  private static ShapeResult result(List<String> contenders, Map<String, Figures> figures) {
    Case size = Case.of(ROW, "made up", 1, RoundSize.fixed(1, 1), Metric.WALL);
    Shape shape =
        new Shape(
            ROW,
            "made up",
            List.of(size),
            contenders.stream().map(ShapeResultTest::contender).toList(),
            List.of());
    return new ShapeResult(shape, Map.of(), Map.of(ROW, figures));
  }

  private static Contender contender(String name) {
    return Contender.of(
        name,
        "made up",
        List.of(),
        _ -> {
          throw new UnsupportedOperationException();
        });
  }

  private static Figures besides(double... ratios) {
    return Figures.of(
        Arrays.stream(ratios).mapToObj(r -> sample(100, 100).with(PairedRun.RATIO, r)).toList());
  }

  private static Figures samples(long... nanos) {
    return Figures.of(Arrays.stream(nanos).mapToObj(n -> sample(n, n)).toList());
  }

  private static Sample sample(long wallNanos, long cpuNanos) {
    return new Sample(1, wallNanos, cpuNanos, Map.of(Meter.ALLOCATED, 0.0));
  }
}
