// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Rounds and shapes that nobody measured.
public final class Made {
  /// Another program uses half a processor.
  public static final HostLoad BUSY = new HostLoad(0.5, 0, 2);

  private Made() {}

  /// A shape whose contenders are named, with cases of one row.
  public static Shape shape(List<String> cases, String... contenders) {
    return new Shape(
        "made-up",
        "Made up.",
        cases.stream()
            .map(name -> Case.of(name, "made up", 1, RoundSize.fixed(1, 1), Metric.WALL))
            .toList(),
        Arrays.stream(contenders).map(Made::contender).toList(),
        List.of());
  }

  /// One that cannot run.
  public static Contender contender(String name) {
    return Contender.of(
        name,
        "made up",
        List.of(),
        _ -> {
          throw new UnsupportedOperationException();
        });
  }

  /// A round in which everyone took as long.
  public static Round round(String size, HostLoad load, long nanos, String... contenders) {
    Map<String, Sample> samples = new LinkedHashMap<>();
    for (String contender : contenders) {
      samples.put(contender, new Sample(1, nanos, nanos, Map.of(Meter.ALLOCATED, 16.5)));
    }
    return new Round(size, Instant.parse("2026-11-28T05:00:00Z"), load, samples);
  }
}
