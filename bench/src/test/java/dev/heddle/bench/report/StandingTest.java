// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.result.Figures;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Who is ahead of whom.
class StandingTest {
  @Test
  void best_isTheFastestRuntime_notTheLimit() {
    ShapeResult result = result("a", Metric.WALL, "heddle", 100, "raw", 20, "go", 80, "stock", 90);

    Standing standing = standing(result);

    assertThat(standing.peer().name()).isEqualTo("go");
    assertThat(standing.words()).isEqualTo("1.25 x behind");
  }

  @Test
  void best_isThePeerWithTheBestMedian_notWithTheWorstQuotients() {
    // tails-pairs-25: two of three rounds were good for us beside tokio, all were bad beside pekko
    ShapeResult result =
        result(
            "a",
            Metric.WALL,
            Map.of(
                "heddle", List.of(1_804, 2_204, 129),
                "tokio", List.of(143, 4_647, 159),
                "pekko", List.of(575, 1_507, 576)));

    assertThat(standing(result).peer().name()).isEqualTo("tokio");
    assertThat(standing(result).words()).isEqualTo("level");
  }

  @Test
  void mediansThatDisagreeWithTheRounds_areLevel() {
    List<Integer> heddle = new ArrayList<>(List.of(1_000));
    List<Integer> go = new ArrayList<>(List.of(1));
    for (int nanos = 10; nanos <= 200; nanos += 10) {
      heddle.add(nanos);
      go.add(nanos + 1); // behind in each round but the first
    }

    Standing standing = standing(result("a", Metric.WALL, Map.of("heddle", heddle, "go", go)));

    assertThat(standing.lead().low()).isGreaterThan(1);
    assertThat(standing.heddle()).isGreaterThan(standing.other());
    assertThat(standing.words()).isEqualTo("level");
  }

  @Test
  void roundsThatAgree_areNotLevel_andTellTheirRange() {
    ShapeResult result =
        result(
            "a",
            Metric.WALL,
            Map.of(
                "heddle", List.of(200, 400, 200),
                "go", List.of(100, 100, 100)));

    assertThat(standing(result).words()).isEqualTo("2.00 x behind");
    assertThat(standing(result).rounds()).isEqualTo("0.50 [0.30, 0.50]");
  }

  @Test
  void launcher_isBesideTheBestOfAnyFlags() {
    ShapeResult result =
        result(
            "a",
            Metric.WALL,
            "heddle",
            80,
            "heddle-launcher",
            90,
            "stock",
            40,
            "stock-poller-1",
            100);

    Standing launcher =
        Standing.of(result, result.shape().cases().getFirst(), Contender.HEDDLE_LAUNCHER)
            .orElseThrow();

    assertThat(launcher.peer().name()).isEqualTo("stock");
    assertThat(launcher.words()).isEqualTo("2.25 x behind");
  }

  @Test
  void roundsThatDisagree_areLevel_andTellTheRatioAllTheSame() {
    ShapeResult result =
        result(
            "a",
            Metric.WALL,
            Map.of("heddle", List.of(150, 150, 90), "go", List.of(100, 100, 100)));

    assertThat(standing(result).words()).isEqualTo("level: 1.50 x behind");
  }

  @Test
  void lead_inARowOfARate_isTheOtherWayRound() {
    ShapeResult result = result("a", Metric.rate("per s"), "heddle", 100, "go", 200, "stock", 400);

    assertThat(standing(result).peer().name()).isEqualTo("go");
    assertThat(standing(result).words()).isEqualTo("2.00 x ahead");
  }

  @Test
  void nobodyToCompareWith_isNoStanding() {
    ShapeResult limits = result("a", Metric.WALL, "heddle", 100, "floor-launcher", 20);

    assertThat(Standing.all(List.of(limits))).isEmpty();
  }

  @Test
  void chart_saysLeadsAndLossesAndWhatIsNotMeasured_inColoursForLightAndDark() {
    List<Standing> standings =
        Standing.all(
            List.of(
                result("spawn-one", Metric.WALL, "heddle", 500, "go", 250),
                result("http", Metric.WALL, "heddle", 400, "netty", 800),
                result("tcp-echo", Metric.WALL, "heddle", 700, "tokio", 700)));

    String svg = SummaryChart.svg(standings, "commit abc; a <machine>");

    assertThat(standings.getFirst().row().name()).isEqualTo("spawn-one");
    assertThat(svg)
        .contains("2.00 x behind go (500 : 250 ns)", "2.00 x ahead of netty (400 : 800 ns)")
        .contains("level with tokio (700 : 700 ns)", "not measured", "a &lt;machine&gt;");
    assertThat(svg).doesNotContain("fill=\"#fff").doesNotContain("NaN");
    for (String colour : List.of(Palette.TEXT, Palette.OURS, Palette.PEERS)) {
      assertThat(contrast(colour, "#ffffff")).as(colour).isGreaterThan(3);
      assertThat(contrast(colour, "#0d1117")).as(colour).isGreaterThan(3);
    }
  }

  private static Standing standing(ShapeResult result) {
    return Standing.all(List.of(result)).getFirst();
  }

  private static ShapeResult result(String row, Metric metric, Object... figures) {
    Map<String, List<Integer>> rounds = new LinkedHashMap<>();
    for (int i = 0; i < figures.length; i += 2) {
      rounds.put((String) figures[i], List.of((Integer) figures[i + 1]));
    }
    return result(row, metric, rounds);
  }

  private static ShapeResult result(String row, Metric metric, Map<String, List<Integer>> rounds) {
    Map<String, Figures> byName = new LinkedHashMap<>();
    rounds.forEach((name, nanos) ->
        byName.put(
            name, Figures.of(nanos.stream().map(n -> new Sample(1, n, n, Map.of())).toList())));
    Shape shape =
        new Shape(
            row,
            "Made up.",
            List.of(Case.of(row, "made up", 1, RoundSize.fixed(1, 1), metric)),
            byName.keySet().stream().map(Made::contender).toList(),
            List.of());
    return new ShapeResult(shape, Map.of(), Map.of(row, byName));
  }

  /// As the guidelines for web content define it.
  private static double contrast(String one, String other) {
    double a = luminance(one) + 0.05;
    double b = luminance(other) + 0.05;
    return Math.max(a, b) / Math.min(a, b);
  }

  private static double luminance(String colour) {
    int rgb = Integer.parseInt(colour.substring(1), 16);
    return 0.2126 * light(rgb >> 16) + 0.7152 * light(rgb >> 8) + 0.0722 * light(rgb);
  }

  private static double light(int channel) {
    double share = (channel & 0xff) / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }
}
