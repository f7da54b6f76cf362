// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RefusedCommandsTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final long BEGIN = -5_000_000_000L; // nanoTime may be negative

  private final RefusedCommands refused = new RefusedCommands();

  @Test
  void reason_isLoggedOnceAMinute_withTheNumberOfThoseThatWereNot() {
    assertThat(refused.line("too large", BEGIN)).isEqualTo("too large");
    assertThat(refused.line("too large", BEGIN + 1)).isNull();
    assertThat(refused.line("too large", BEGIN + MINUTE - 1)).isNull();
    assertThat(refused.line("unknown", BEGIN + MINUTE - 1))
        .isEqualTo("unknown; 2 more were not logged");
    assertThat(refused.line("too large", BEGIN + MINUTE)).isEqualTo("too large");
  }

  /// Nothing more was said of them, whatever came later.
  @Test
  void reasonsBeyondTheFirstHundred_areCounted_andLoggedInTheNextMinute() {
    for (int i = 0; i < 250; i++) {
      String line = refused.line("reason " + i, BEGIN + i);
      assertThat(line != null).isEqualTo(i < RefusedCommands.MOST);
    }
    assertThat(refused.line("later", BEGIN + MINUTE)).isEqualTo("later; 150 more were not logged");
  }
}
