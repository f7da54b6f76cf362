// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.result.Spread;
import dev.heddle.bench.shape.Bar;
import java.util.ArrayList;
import java.util.List;

/// A run as JSON, for programs.
public final class JsonFile {
  private JsonFile() {}

  /// The whole document.
  ///
  /// @param machine one line about where and when
  /// @param results the shapes that ran
  public static String text(String machine, List<ShapeResult> results) {
    List<String> shapes = results.stream().map(JsonFile::shape).toList();
    return object(field("machine", string(machine)), field("shapes", array(shapes))) + "\n";
  }

  private static String shape(ShapeResult result) {
    return object(
        field("shape", string(result.shape().name())),
        field("contenders", array(contenders(result))),
        field("lines", array(result.lines().stream().map(JsonFile::line).toList())),
        field("bars", array(result.shape().bars().stream().map(bar -> bar(bar, result)).toList())));
  }

  private static List<String> contenders(ShapeResult result) {
    return result.shape().contenders().stream()
        .map(contender ->
            object(
                field("name", string(contender.name())),
                field("what", string(contender.what())),
                field("flags", string(result.flagsOf(contender))),
                field("runtime", string(result.runtimes().getOrDefault(contender.name(), "")))))
        .toList();
  }

  private static String line(Line line) {
    List<String> fields = new ArrayList<>();
    fields.add(field("row", string(line.row().name())));
    fields.add(field("contender", string(line.contender().name())));
    fields.add(field("unit", string(line.row().metric().unit())));
    Spread spread = line.spread();
    Spread cpu = line.cpuNanos();
    if (spread == null || cpu == null) {
      fields.add(field("missing", string(String.valueOf(line.missing()))));
    } else {
      fields.addAll(spread(spread));
      fields.add(field("cpuNanosPerOperation", object(spread(cpu).toArray(String[]::new))));
      line.allocatedBytes()
          .ifPresent(
              bytes -> fields.add(field("allocatedBytesPerOperation", Double.toString(bytes))));
      line.ratio().ifPresent(ratio -> fields.add(field("ratioToHeddle", Double.toString(ratio))));
    }
    return object(fields.toArray(String[]::new));
  }

  private static List<String> spread(Spread spread) {
    return List.of(
        field("median", Double.toString(spread.median())),
        field("p10", Double.toString(spread.low())),
        field("p90", Double.toString(spread.high())));
  }

  private static String bar(Bar bar, ShapeResult result) {
    Bar.Verdict verdict = bar.judge(result);
    return object(
        field("row", string(bar.row())),
        field("subject", string(bar.subject())),
        field("reach", string(bar.text())),
        field("state", string(verdict.state().toString())),
        field("found", string(verdict.found())));
  }

  private static String object(String... fields) {
    return "{" + String.join(", ", fields) + "}";
  }

  private static String array(List<String> elements) {
    return "[\n" + String.join(",\n", elements) + "]";
  }

  private static String field(String name, String json) {
    return string(name) + ": " + json;
  }

  private static String string(String text) {
    var json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '\n' -> json.append("\\n");
        case '\t' -> json.append("\\t");
        default -> json.append(c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
      }
    }
    return json.append('"').toString();
  }
}
