// SPDX-License-Identifier: Apache-2.0
package simulators;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

/// The programs under Lincheck, 1,000 schedules each.
class LincheckBugsTest {
  private static final int SCHEDULES = 1_000;

  @Test
  void lostUpdate() {
    check(Bugs::lostUpdate);
  }

  @Test
  void forgottenTimeout() {
    check(Bugs::forgottenTimeout);
  }

  @Test
  void lockOrder() {
    check(Bugs::lockOrder);
  }

  @Test
  void expiredEntry() {
    check(Bugs::expiredEntry);
  }

  @Test
  void race() {
    check(Bugs::race);
  }

  @Test
  void reordering() {
    check(Bugs::reordering);
  }

  private static void check(Bugs.Code program) {
    Lincheck.runConcurrentTest(
        SCHEDULES,
        () -> {
          try {
            program.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
