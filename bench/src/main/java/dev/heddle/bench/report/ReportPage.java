// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.result.Spread;
import dev.heddle.bench.shape.Bar;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Row;
import dev.heddle.bench.shape.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `docs/reference/benchmarks.md` and its charts, written whole from the results of a commit and of
/// those before it.
public final class ReportPage {
  /// The folder of the rounds, beside the page.
  public static final String ROUNDS = "rounds";

  private static final String CHARTS = "charts";
  private static final String SVG = ".svg";
  private static final String SUMMARY = "summary.svg";
  private static final String PROJECT = "../../"; // from the page
  private static final String CLASSES = "bench/src/main/java/";

  private final String revision;
  private final List<Shape> shapes;
  private final List<Run> runs;
  private final StringBuilder page = new StringBuilder();

  private ReportPage(String revision, List<Shape> shapes, List<Run> runs) {
    this.revision = revision;
    this.shapes = shapes;
    this.runs = runs;
  }

  /// Which run it was.
  ///
  /// @param revision of which commit, short
  /// @param machine where, in one line
  /// @param end when its last round ended
  public record When(String revision, String machine, Instant end) {
    private String date() {
      return LocalDate.ofInstant(end, ZoneOffset.UTC).toString();
    }

    /// The first words about the machine.
    private String place() {
      return machine.split(";", 2)[0];
    }
  }

  /// A shape as it was measured.
  ///
  /// @param effort how long the run took its time, for people
  /// @param option of `heddle bench` that asks for this effort, with a space before it, or empty
  public record Run(ShapeResult result, When when, String effort, String option) {
    private String mark() {
      return option.isEmpty() ? "full" : "quick";
    }

    /// The file of its rounds, from the page.
    private String file() {
      return String.join("/", ROUNDS, when.revision(), mark(), result.shape().name() + ".tsv");
    }

    private boolean hasRow(String row) {
      return sizeOf(row).isPresent();
    }

    private Optional<Case> sizeOf(String row) {
      return result.shape().cases().stream()
          .filter(size -> size.rows().stream().anyMatch(known -> known.name().equals(row)))
          .findFirst();
    }

    private String rounds(String row) {
      int rounds = sizeOf(row).map(size -> result.conditionsOf(size).rounds()).orElse(0);
      return mark() + ", " + rounds;
    }
  }

  /// Writes the page, a chart for each row, and one of six rows.
  ///
  /// @param folder the reference folder of the docs
  /// @param revision the commit that writes it
  /// @param shapes all that there are: the page names those without results
  /// @return the page's path
  public static Path write(Path folder, String revision, List<Shape> shapes, List<Run> runs)
      throws IOException {
    List<ShapeResult> results = runs.stream().map(Run::result).toList();
    Map<String, String> charts = new TreeMap<>();
    for (ShapeResult result : results) {
      rows(result)
          .forEach((row, lines) -> {
            if (row.charted()) {
              charts.put(row.name() + SVG, BarChart.svg(lines));
            }
          });
    }
    String place = newest(runs).map(when -> "; " + when.place() + "; " + when.date()).orElse("");
    charts.put(SUMMARY, SummaryChart.svg(Standing.all(results), revisions(runs) + place));
    replace(Files.createDirectories(folder.resolve(CHARTS)), charts);
    String text = new ReportPage(revision, shapes, runs).text();
    return Files.writeString(folder.resolve("benchmarks.md"), text);
  }

  /// The commits behind the picture.
  private static String revisions(List<Run> runs) {
    return runs.stream()
        .filter(run -> SummaryChart.ROWS.stream().anyMatch(row -> run.hasRow(row)))
        .map(run -> run.when().revision())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static Optional<When> newest(List<Run> runs) {
    return runs.stream().map(Run::when).max(Comparator.comparing(When::end));
  }

  /// A chart whose row is gone goes, too.
  private static void replace(Path folder, Map<String, String> charts) throws IOException {
    try (Stream<Path> old = Files.list(folder)) {
      for (Path file : old.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(SVG) && !charts.containsKey(name)) {
          Files.delete(file);
        }
      }
    }
    for (Map.Entry<String, String> chart : charts.entrySet()) {
      Files.writeString(folder.resolve(chart.getKey()), chart.getValue());
    }
  }

  private String text() {
    page.append(
        """
        <!-- Generated by ./heddle bench --report -->
        # Benchmarks

        [Run the benchmarks](../how-to/run-the-benchmarks.md) says how to run them and how to read this page.

        """);
    page.append("Written at ").append(revision);
    page.append("; each shape names the commit that was measured, the day and the machine.\n\n");
    newest(runs)
        .ifPresent(when ->
            page.append("The newest figures are of ")
                .append(when.date())
                .append(", on ")
                .append(when.machine())
                .append(".\n\n"));
    page.append(
        """
        - `heddle` is a program with the flags that Heddle needs, `heddle-launcher` the same under `./heddle run`.
        - `raw` is the JDK's internal continuation, `floor` a bare virtual thread on an executor of its own:
          limits that no program can use as they are.
        - `stock` is the JDK's virtual threads as they come, `stock-1` the same on one carrier thread.

        """);
    absent();
    page.append("![Heddle beside the best other runtime, in six rows](")
        .append(CHARTS + "/" + SUMMARY)
        .append(")\n\n");
    standings();
    bars();
    runs.forEach(this::section);
    return page.toString();
  }

  /// Who and what is missing comes before any figure.
  private void absent() {
    Map<String, String> missing = new TreeMap<>();
    for (ShapeResult result : results()) {
      for (Line line : result.lines()) {
        if (line.missing() != null && result.isMeasured(line.size())) {
          missing.merge(
              line.contender().name() + ": " + line.missing(),
              line.row().name(),
              (rows, row) -> rows + ", " + row);
        }
      }
    }
    if (!missing.isEmpty()) {
      page.append("Missing contenders:\n\n");
      missing.forEach(
          (who, rows) -> page.append("- ").append(who).append(" (").append(rows).append(")\n"));
      page.append('\n');
    }
    List<String> known = results().stream().map(result -> result.shape().name()).toList();
    String unknown =
        shapes.stream()
            .map(Shape::name)
            .filter(name -> !known.contains(name))
            .collect(Collectors.joining(", "));
    if (!unknown.isEmpty()) {
      page.append("Not measured yet: ").append(unknown).append(".\n\n");
    }
  }

  private void standings() {
    page.append(
        """
        ## Beside the best other runtime

        The first row of each case, the one furthest behind first.

        - *Heddle* is the program with library flags, `heddle`.
          In the rows of timers it is a callback inside the loop, for which there is no public API, beside the callbacks
          of wheels; the bars say how a coroutine for each timer, `heddle-delay`, compares with tasks and threads.
        - *Best other* is the runtime with the best median, whatever its flags.
          Limits that no program can use as they are (raw, floor, fio) are left out.
        - *Run* says how many rounds count: three or four say little.
          A quick run ends before JVMs are warm.
        - *Round by round* is how many times better Heddle is than this one: the median of the quotients of each
          round, and their p10 and p90.
          What slows the machine in a round slows both, so the bars are judged by this median, too.
          It may differ from the quotient of the two medians beside it.
        - *Heddle is* the same in words: *level* where the range includes 1.
          No ratio follows where the two medians say the opposite.
        - *With `./heddle run`* is `heddle-launcher` beside the same other one.

        | row | run | Heddle | best other | its figure | unit | round by round | Heddle is | with `./heddle run` |
        |---|---|--:|---|--:|---|--:|--:|--:|
        """);
    for (Standing standing : Standing.all(results())) {
      cells(
          standing.row().name(),
          runOf(standing).rounds(standing.row().name()),
          Line.number(standing.heddle()),
          standing.peer().name(),
          Line.number(standing.other()),
          standing.row().metric().unit(),
          standing.rounds(),
          words(standing),
          launcher(standing));
    }
    page.append('\n');
  }

  private static String words(Standing standing) {
    return standing.isLevel() || standing.isAhead()
        ? standing.words()
        : "**" + standing.words() + "**";
  }

  private String launcher(Standing library) {
    if (!library.subject().name().equals(Contender.HEDDLE)) {
      return "-";
    }
    Run run = runOf(library);
    Case size = run.sizeOf(library.row().name()).orElseThrow();
    return Standing.of(run.result(), size, Contender.HEDDLE_LAUNCHER)
        .map(ReportPage::words)
        .orElse("-");
  }

  private Run runOf(Standing standing) {
    return runs.stream().filter(run -> run.hasRow(standing.row().name())).findFirst().orElseThrow();
  }

  private List<ShapeResult> results() {
    return runs.stream().map(Run::result).toList();
  }

  private void bars() {
    page.append(
        """
        ## Bars

        *Run* says how many rounds count: a bar that is met by three or four may be missed by the next.
        A ratio is the median of the quotients of each round; behind it is that of CPU time.

        """);
    page.append("| row | run | who | to reach | found | |\n|---|---|---|---|---|---|\n");
    for (Run run : runs) {
      ShapeResult result = run.result();
      for (Bar bar : result.shape().bars()) {
        Bar.Verdict verdict = bar.judge(result);
        boolean met = verdict.state() == Bar.State.MET;
        cells(
            bar.row(),
            run.rounds(bar.row()),
            bar.subject(),
            bar.text(),
            verdict.found(),
            met ? "met" : "**" + verdict.state() + "**");
      }
    }
  }

  private void section(Run run) {
    ShapeResult result = run.result();
    page.append("\n## ").append(result.shape().name()).append("\n\n");
    page.append(result.shape().what()).append("\n\nMeasured at ").append(run.when().revision());
    page.append(", ").append(run.when().date()).append(", on ").append(run.when().machine());
    page.append(". ").append(run.effort());
    page.append(" [Each round](").append(run.file()).append(").\n");
    Map<Row, List<Line>> rows = rows(result);
    for (Case size : result.shape().cases()) {
      if (!result.isMeasured(size)) {
        page.append("\n### ").append(size.name()).append("\n\n");
        page.append("Not measured yet.\n");
        command(run, size);
        continue;
      }
      size.rows().forEach(row -> row(row, rows.getOrDefault(row, List.of())));
      page.append("\n").append(sentence(result.conditionsOf(size).text())).append("\n");
      command(run, size);
    }
    contenders(result);
  }

  private void row(Row row, List<Line> lines) {
    String name = row.name();
    page.append("\n### ").append(name).append("\n\n");
    if (row.charted()) {
      page.append("![").append(name).append("](").append(CHARTS + "/").append(name);
      page.append(".svg)\n\n");
    }
    page.append("| contender | median | p10 | p90 | unit | ratio to heddle | CPU ns/op | B/op |\n");
    page.append("|---|--:|--:|--:|---|--:|--:|--:|\n");
    lines.stream().sorted(Comparator.comparing(line -> line.missing() == null)).forEach(this::line);
  }

  private void line(Line line) {
    Spread spread = line.spread();
    Spread cpu = line.cpuNanos();
    if (spread == null || cpu == null) {
      cells(line.contender().name(), "**missing**: " + line.missing(), "", "", "", "", "", "");
      return;
    }
    OptionalDouble bytes = line.allocatedBytes();
    OptionalDouble ratio = line.ratio();
    cells(
        line.contender().name(),
        Line.number(spread.median()),
        Line.number(spread.low()),
        Line.number(spread.high()),
        line.row().metric().unit(),
        ratio.isPresent() ? Line.number(ratio.getAsDouble()) : "-",
        Line.number(cpu.median()),
        bytes.isPresent() ? Line.number(bytes.getAsDouble()) : "-");
  }

  /// The one command that repeats what stands above it.
  private void command(Run run, Case size) {
    page.append("\n```\n./heddle bench").append(run.option()).append(' ').append(size.name());
    page.append("\n```\n");
  }

  private void contenders(ShapeResult result) {
    page.append("\n| contender | what | source | runtime | flags |\n|---|---|---|---|---|\n");
    for (Contender contender : result.shape().contenders()) {
      String flags = result.flagsOf(contender);
      cells(
          contender.name(),
          contender.what(),
          sources(result.sources().getOrDefault(contender.name(), List.of())),
          result.runtimes().getOrDefault(contender.name(), "-"),
          flags.isEmpty() ? "none" : "`" + flags + "`");
    }
  }

  private static String sources(List<String> sources) {
    return sources.isEmpty()
        ? "-"
        : sources.stream().map(ReportPage::link).distinct().collect(Collectors.joining(", "));
  }

  /// A class, or a file below the project's folder.
  static String link(String source) {
    boolean isFile = source.indexOf('/') >= 0;
    String outer = source.indexOf('$') < 0 ? source : source.substring(0, source.indexOf('$'));
    String path = isFile ? source : CLASSES + outer.replace('.', '/') + ".java";
    String name = outer.substring(outer.lastIndexOf(isFile ? '/' : '.') + 1);
    return "[" + name + "](" + PROJECT + path + ")";
  }

  private void cells(String... cells) {
    for (String cell : cells) {
      page.append("| ").append(cell.replace("|", "\\|")).append(' ');
    }
    page.append("|\n");
  }

  private static String sentence(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
  }

  private static Map<Row, List<Line>> rows(ShapeResult result) {
    Map<Row, List<Line>> rows = new LinkedHashMap<>();
    for (Line line : result.lines()) {
      if (!result.isMeasured(line.size())) {
        continue;
      }
      rows.computeIfAbsent(line.row(), _ -> new ArrayList<>()).add(line);
    }
    return rows;
  }
}
