// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.sync.SelectProgram.Kind;
import dev.heddle.sync.SelectProgram.Met;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs ([SelectProgram]) of coroutines that select among waits of each kind; with
/// `-Dheddle.seed=N` one is repeated.
@Tag("trap-1")
@Tag("trap-4")
@Tag("trap-7")
@Timeout(300)
class SelectModelTest {
  private static final int PROGRAMS = 10_000;

  @Test
  void randomPrograms_performOneBranchAndLoseNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    Met met = new Met();
    for (long seed = first; seed < last; seed++) {
      new SelectProgram(seed, met).run();
    }
    if (only == null) {
      verifyNotVacuous(met);
    }
  }

  private static void verifyNotVacuous(Met met) {
    for (Kind kind : Kind.values()) {
      assertThat(met.performed.get(kind)).as("%s", kind).isGreaterThan(PROGRAMS / 100);
    }
    assertThat(met.handedOn).as("handed on").isGreaterThan(PROGRAMS / 100);
    assertThat(met.sentThoughEnded).as("sent though ended").isGreaterThan(PROGRAMS / 100);
    assertThat(met.endedOtherwise).as("ended otherwise").isGreaterThan(PROGRAMS / 2);
    assertThat(met.stuck).as("stuck").isGreaterThan(PROGRAMS / 10);
    assertThat(met.stopped).as("stopped").isGreaterThan(PROGRAMS / 50);
    assertThat(met.lost).as("lost by slow readers").isGreaterThan(PROGRAMS / 100);
  }
}
