// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GcPausesTest {
  private static final long ROUNDED = 2_000_000; // nanoseconds: each end is rounded off

  @Test
  void pauses_areThoseThatTheCollectorsHaveCounted_withTheirCauses() {
    List<Map<String, String>> rows;
    long began = System.nanoTime();
    try (GcPauses pauses = new GcPauses(Duration.ofMinutes(4).toNanos())) {
      System.gc();
      System.gc();
      rows = pauses.stop();
    }
    long ended = System.nanoTime();

    assertThat(rows.getFirst())
        .containsEntry("row", "pauses")
        .containsEntry("counted", Integer.toString(rows.size() - 1));
    List<Map<String, String>> asked =
        rows.stream().filter(row -> "System.gc()".equals(row.get("cause"))).toList();
    assertThat(asked).hasSizeGreaterThanOrEqualTo(2);
    long last = began;
    for (Map<String, String> row : asked) {
      long from = Long.parseLong(row.get("fromNanos"));
      long to = Long.parseLong(row.get("toNanos"));
      assertThat(from).isBetween(last - ROUNDED, to);
      assertThat(to).isLessThanOrEqualTo(ended);
      last = to;
    }
  }

  @Test
  void pausesAfterTheEnd_areNotTold() {
    GcPauses pauses = new GcPauses();
    List<Map<String, String>> before = pauses.stop();
    System.gc();
    assertThat(pauses.stop()).isEqualTo(before);
    pauses.close();
  }
}
