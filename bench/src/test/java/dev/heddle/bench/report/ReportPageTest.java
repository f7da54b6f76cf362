// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.report.ReportPage.Run;
import dev.heddle.bench.report.ReportPage.When;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Row;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page and the JSON of runs in which hardly anybody took part.
@SuppressWarnings("NullAway.Init") // set before each test
class ReportPageTest {
  private static final When WHEN =
      new When("def", "a machine; Linux", Instant.parse("2026-11-28T05:00:00Z"));

  @TempDir private Path folder;
  private final Shape first = Shapes.all().getFirst();
  private final Shape shape = Made.shape(List.of("a", "b"), "heddle", "go", "stock");
  private RoundLog log;

  @BeforeEach
  void measure() {
    log = RoundLog.inMemory();
    log.started("heddle", "Java 25");
    log.source("heddle", "dev.heddle.bench.ours.HeddleSwitch");
    log.source("stock", "bench/peers/go/work.go");
    log.missing("go", "'go' is not on the PATH");
    for (int i = 0; i < 3; i++) {
      log.add(Made.round("a", HostLoad.NONE, 100, "heddle", "stock"));
    }
    log.add(Made.round("a", Made.BUSY, 300, "heddle", "stock"));
    log.done("a");
  }

  @Test
  void page_nobodyTookPart_saysMissingAndNoBarIsMet() throws IOException {
    var nobody = new ShapeResult(first, Map.of(), Map.of());

    String page = page(List.of(first), nobody);

    assertThat(page).contains("a machine", "**missing**: it never ran", "**contender missing**");
    assertThat(page).doesNotContain("| met |");
    assertThat(folder.resolve("charts").resolve(first.name() + ".svg")).exists();
  }

  @Test
  void page_namesCommitAndMachine_andTheMissingBeforeAnyFigure() throws IOException {
    String page = page(List.of(shape, first), log.result(shape));

    assertThat(page)
        .contains(
            "Written at commit abc;",
            "Measured at def, 2026-11-28, on a machine; Linux. Some effort.");
    assertThat(page.indexOf("- go: 'go' is not on the PATH (a)"))
        .isPositive()
        .isLessThan(page.indexOf("## Beside the best other runtime"));
    assertThat(page.indexOf("| go | **missing**"))
        .isPositive()
        .isLessThan(page.indexOf("| heddle | 100 |"));
    assertThat(page).contains("Not measured yet: switch.");
  }

  @Test
  void page_namesTheMachineOfTheNewestRun_andThatOfEach() throws IOException {
    var older = new When("abc", "another machine", WHEN.end().minusSeconds(100_000));
    var runs =
        List.of(
            new Run(new ShapeResult(first, Map.of(), Map.of()), older, "", ""),
            new Run(log.result(shape), WHEN, "", ""));

    String page =
        Files.readString(ReportPage.write(folder, "commit abc", List.of(first, shape), runs));

    assertThat(page)
        .contains("The newest figures are of 2026-11-28, on a machine; Linux.")
        .contains("Measured at abc, 2026-11-27, on another machine.");
  }

  @Test
  void page_eachCase_hasTheCommandThatRepeatsIt_andItsConditions() throws IOException {
    String page = page(List.of(shape), log.result(shape));

    assertThat(page)
        .contains("```\n./heddle bench --quick a\n```", "```\n./heddle bench --quick b\n```")
        .contains("3 rounds; 1 beside load do not count.", "| a | quick, 3 |")
        .contains("### b\n\nNot measured yet.");
  }

  @Test
  void page_linksTheSourceOfEachContender() throws IOException {
    assertThat(page(List.of(shape), log.result(shape)))
        .contains(
            "[HeddleSwitch](../../bench/src/main/java/dev/heddle/bench/ours/HeddleSwitch.java)",
            "[work.go](../../bench/peers/go/work.go)");
    assertThat(ReportPage.link("dev.heddle.bench.A$B")).contains("(../../").endsWith("A.java)");
  }

  @Test
  void page_chartsOfRowsThatAreGone_goToo() throws IOException {
    Path old = Files.createDirectories(folder.resolve("charts")).resolve("old.svg");
    Files.writeString(old, "<svg/>");

    page(List.of(shape), log.result(shape));

    assertThat(old).doesNotExist();
    assertThat(folder.resolve("charts").resolve("a.svg")).exists();
    assertThat(folder.resolve("charts").resolve("b.svg")).doesNotExist();
    assertThat(folder.resolve("charts").resolve("summary.svg")).exists();
  }

  @Test
  void page_rowInWhichAllAreGivenTheSame_hasFiguresAndNoChart() throws IOException {
    var given = new Row("a-offered", Metric.WALL, false);
    var size =
        new Case(
            "a", "made up", 1, RoundSize.fixed(1, 1), List.of(new Row("a", Metric.WALL), given));
    var offered = new Shape("made-up", "Made up.", List.of(size), shape.contenders(), List.of());

    String page = page(List.of(offered), log.result(offered));

    assertThat(page).contains("### a-offered\n\n| contender |", "![a](charts/a.svg)");
    assertThat(folder.resolve("charts").resolve("a-offered.svg")).doesNotExist();
  }

  @Test
  void json_quotesAndControls_areEscaped() {
    var nobody = new ShapeResult(first, Map.of(), Map.of());
    String json = JsonFile.text("a \"machine\"\n\t\\", List.of(nobody));

    assertThat(json).startsWith("{\"machine\": \"a \\\"machine\\\"\\n\\t\\\\\"");
    assertThat(json).contains("\"missing\": \"it never ran\"");
  }

  private String page(List<Shape> shapes, ShapeResult result) throws IOException {
    return Files.readString(
        ReportPage.write(
            folder,
            "commit abc",
            shapes,
            List.of(new Run(result, WHEN, "Some effort.", " --quick"))));
  }
}
