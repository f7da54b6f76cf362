// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Two commits side by side.
class ComparisonTest {
  private static final Contender NOW = Made.contender(Contender.HEDDLE);
  private static final Contender BEFORE = NOW.at(new Build("abc", "there/*"));
  private static final Shape SHAPE =
      new Shape(
          "made-up",
          "Made up.",
          Made.shape(List.of("a"), "heddle").cases(),
          List.of(NOW, BEFORE),
          List.of());

  @Test
  void slowerInEveryStart_isWorse_andBytesStayTheSame() {
    List<Comparison> all = Comparison.of(starts(110, 100, 16, 16));

    assertThat(all).extracting(Comparison::figure).containsExactly("ns", "CPU ns/op", "B/op");
    assertThat(all)
        .extracting(Comparison::verdict)
        .containsExactly("worse", "worse", "within noise");
    assertThat(all.getFirst().text())
        .isEqualTo("a\theddle\t100\t110\tns\t1.100 [1.100, 1.100]\tworse");
  }

  @Test
  void lessThanAByte_isTheMetersOwn() {
    assertThat(Comparison.of(starts(100, 100, 0.001, 0.002))).noneMatch(Comparison::isChanged);
  }

  @Test
  void clockThatSawNothing_saysNothing() {
    List<Comparison> all = Comparison.of(starts(100, 0, 16, 16));

    assertThat(all).noneMatch(Comparison::isChanged);
    assertThat(all.getFirst().text()).doesNotContain("NaN", "Infinity, ");
  }

  @Test
  void commitWithoutTheCase_isNotCompared() {
    ShapeResult alone =
        new ShapeResult(
            SHAPE,
            Map.of(),
            Map.of(
                "a",
                Map.of(
                    "heddle", figures(100, 0), BEFORE.name(), Figures.missing("no such shape"))));

    assertThat(Comparison.of(List.of(alone))).isEmpty();
  }

  @Test
  void otherCommitsContender_isCalledByItsOwnNameThere() {
    assertThat(BEFORE.name()).isEqualTo("heddle@abc");
    assertThat(BEFORE.programName()).isEqualTo("heddle");
  }

  private static List<ShapeResult> starts(
      long now, long before, double bytesNow, double bytesBefore) {
    List<ShapeResult> starts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      starts.add(
          new ShapeResult(
              SHAPE,
              Map.of(),
              Map.of(
                  "a",
                  Map.of(
                      "heddle",
                      figures(now, bytesNow),
                      BEFORE.name(),
                      figures(before, bytesBefore)))));
    }
    return starts;
  }

  private static Figures figures(long nanos, double bytes) {
    return Figures.of(List.of(new Sample(1, nanos, nanos, Map.of(Meter.ALLOCATED, bytes))));
  }
}
