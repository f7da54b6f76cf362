// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TimeoutPoolTest {
  @Test
  void pool_jobsOverTheirLimit_areCutAndCleanedUp() throws Exception {
    try (var pool = ExampleProcess.start("TimeoutPool")) {
      assertThat(pool.awaitExit()).isZero();
      String table = pool.text();
      // every third waits for something that never comes
      assertThat(table).containsPattern("(?m)^  1  waits for ever  cut .* yes$");
      assertThat(table.lines().filter(line -> line.matches(".* waits for ever +cut .* yes")))
          .hasSize(17);
      assertThat(table).doesNotContain(" NO").containsPattern("; 8 at a time; 0 still running");
      assertThat(table.lines().filter(line -> line.matches(" *\\d+ .*(done|cut) .*"))).hasSize(50);
    }
  }
}
