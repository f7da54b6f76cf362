// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.result.Spread;
import dev.heddle.bench.shape.Bar;
import dev.heddle.bench.shape.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// `docs/reference/benchmarks.md` and its charts.
public final class ReportPage {
  private static final String CHARTS = "charts";

  private ReportPage() {}

  /// Writes the page and a chart per row.
  ///
  /// @param folder the reference folder of the docs
  /// @param machine one line about where and when
  /// @param effort how long the run took its time, for people
  public static void write(Path folder, String machine, String effort, List<ShapeResult> results)
      throws IOException {
    Files.createDirectories(folder.resolve(CHARTS));
    var page = new StringBuilder();
    page.append(
        """
        # Benchmarks

        Written by `./heddle bench --report`; do not edit. How to run and read it:
        [Run the benchmarks](../how-to/run-the-benchmarks.md).

        """);
    page.append("Machine: ").append(machine).append(". ").append(effort).append("\n\n");
    page.append("## Bars\n\n");
    page.append("| row | who | to reach | found | |\n|---|---|---|---|---|\n");
    results.forEach(result -> page.append(bars(result)));
    for (ShapeResult result : results) {
      page.append(section(result));
      for (Map.Entry<String, List<Line>> row : rows(result).entrySet()) {
        Files.writeString(
            folder.resolve(CHARTS).resolve(row.getKey() + ".svg"), BarChart.svg(row.getValue()));
      }
    }
    Files.writeString(folder.resolve("benchmarks.md"), page);
  }

  private static String bars(ShapeResult result) {
    var text = new StringBuilder();
    for (Bar bar : result.shape().bars()) {
      Bar.Verdict verdict = bar.judge(result);
      text.append("| ").append(bar.row());
      text.append(" | ").append(bar.subject());
      text.append(" | ").append(bar.text());
      text.append(" | ").append(verdict.found());
      text.append(" | ")
          .append(verdict.state() == Bar.State.MET ? "met" : "**" + verdict.state() + "**");
      text.append(" |\n");
    }
    return text.toString();
  }

  private static String section(ShapeResult result) {
    var text = new StringBuilder();
    text.append("\n## ").append(result.shape().name()).append("\n\n");
    text.append(result.shape().what()).append("\n");
    rows(result)
        .forEach((name, lines) -> {
          text.append("\n### ").append(name).append("\n\n");
          text.append("![").append(name).append("](").append(CHARTS + "/").append(name);
          text.append(".svg)\n\n").append(table(lines));
        });
    text.append("\n| contender | what | runtime | flags |\n|---|---|---|---|\n");
    for (Contender contender : result.shape().contenders()) {
      text.append("| ").append(contender.name());
      text.append(" | ").append(contender.what());
      text.append(" | ").append(result.runtimes().getOrDefault(contender.name(), "-"));
      text.append(" | `").append(String.join(" ", contender.flags())).append("` |\n");
    }
    return text.toString().replace("| `` |", "| none |");
  }

  private static String table(List<Line> lines) {
    var text = new StringBuilder();
    text.append("| contender | median | p10 | p90 | unit | ratio to heddle | CPU ns/op | B/op |\n");
    text.append("|---|--:|--:|--:|---|--:|--:|--:|\n");
    for (Line line : lines) {
      Spread spread = line.spread();
      Spread cpu = line.cpuNanos();
      if (spread == null || cpu == null) {
        text.append("| ").append(line.contender().name());
        text.append(" | missing: ").append(line.missing()).append(" | | | | | | |\n");
        continue;
      }
      text.append("| ")
          .append(line.text().substring(line.row().name().length() + 1).replace("\t", " | "));
      text.append(" | ").append(Line.number(cpu.median()));
      OptionalDouble bytes = line.allocatedBytes();
      text.append(" | ").append(bytes.isPresent() ? Line.number(bytes.getAsDouble()) : "-");
      text.append(" |\n");
    }
    return text.toString();
  }

  private static Map<String, List<Line>> rows(ShapeResult result) {
    Map<String, List<Line>> rows = new LinkedHashMap<>();
    for (Line line : result.lines()) {
      rows.computeIfAbsent(line.row().name(), _ -> new ArrayList<>()).add(line);
    }
    return rows;
  }
}
