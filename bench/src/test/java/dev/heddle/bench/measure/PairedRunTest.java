// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Turns of two programs that say what they cost.
class PairedRunTest {
  private final List<String> turns = new ArrayList<>();
  private double noise = 1;

  private Program costing(String name, long nanos) {
    return operations -> {
      turns.add(name);
      return new Sample(
          operations,
          2 * nanos * operations,
          (long) (nanos * operations * noise),
          Map.of(Meter.ALLOCATED, 8.0));
    };
  }

  @Test
  void round_givesTheRatioOfCpuTimes_andTheSubjectsSample() throws Exception {
    Sample sample = new PairedRun(costing("subject", 110), costing("other", 100)).round(1_600);

    assertThat(sample.count(PairedRun.RATIO)).isEqualTo(1.1);
    assertThat(sample.operations()).isEqualTo(1_600);
    assertThat(sample.cpuPerOperation()).isEqualTo(110);
    assertThat(sample.wallPerOperation()).isEqualTo(220);
    assertThat(sample.count(Meter.ALLOCATED)).isEqualTo(8);
  }

  @Test
  void round_lettingEachGoFirstAsOften_takesTurns() throws Exception {
    new PairedRun(costing("subject", 1), costing("other", 1)).round(1_600);

    assertThat(turns.subList(0, 4)).containsExactly("other", "subject", "subject", "other");
    assertThat(turns).filteredOn("subject"::equals).hasSize(turns.size() / 2);
  }

  @Test
  void round_disturbedInAFewTurns_keepsTheRatio() throws Exception {
    Program other = costing("other", 100);
    Program disturbed =
        operations -> {
          noise = turns.size() < 8 ? 50 : 1;
          Sample sample = costing("subject", 105).round(operations);
          noise = 1;
          return sample;
        };

    assertThat(new PairedRun(disturbed, other).round(16_000).count(PairedRun.RATIO))
        .isEqualTo(1.05);
  }
}
