// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine.Address;
import org.junit.jupiter.api.Test;

final class LogLimitTest {
  private static final long MINUTE = 60_000_000_000L;

  private record At(int number) implements Address {}

  private final LogLimit limit = new LogLimit();

  @Test
  void linesOfOneAddress_areOneAMinute_withTheCountOfTheOthers() {
    assertThat(limit.line(new At(1), "x", 0)).isEqualTo("x");
    for (int i = 0; i < 1_000; i++) {
      assertThat(limit.line(new At(1), "y", MINUTE - 1)).isNull();
    }
    assertThat(limit.line(new At(2), "y", MINUTE - 1)).isEqualTo("y");
    assertThat(limit.line(new At(1), "z", MINUTE)).isEqualTo("z; 1000 more were not logged");
    assertThat(limit.line(new At(1), "z", 2 * MINUTE)).isEqualTo("z");
  }

  @Test
  void addresses_areForgotten_theOldestFirst() {
    for (int i = 0; i < 257; i++) {
      assertThat(limit.line(new At(i), "x", 0)).isEqualTo("x");
    }
    assertThat(limit.line(new At(256), "x", 0)).isNull();
    assertThat(limit.line(new At(0), "x", 0)).isEqualTo("x");
  }
}
