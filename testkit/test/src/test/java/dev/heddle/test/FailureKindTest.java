// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Failures are the same for a reader when the same line of the program has failed.
class FailureKindTest {
  @Test
  @Tag("sim-4")
  void assertionsOfTwoLines_areTwoKinds() {
    FailureKind one = kind(() -> assertThat(1).isEqualTo(2));
    FailureKind other = kind(() -> assertThat(3).isEqualTo(4));
    assertThat(one).isNotEqualTo(other);
    assertThat(String.valueOf(one.thrownAt())).contains("FailureKindTest.java");
  }

  @Test
  @Tag("sim-4")
  void assertionOfOneLine_isOneKind_whateverItsValues() {
    assertThat(kind(() -> assertSame(1))).isEqualTo(kind(() -> assertSame(2)));
  }

  @Test
  @Tag("sim-4")
  void framesOfHeddle_areNotTheProgram() {
    FailureKind kind = kind(() -> SimulationOptions.defaults().withSeeds(0));
    assertThat(String.valueOf(kind.thrownAt())).contains("FailureKindTest.java");
  }

  @Test
  @Tag("sim-4")
  void failureWithoutAFrame_isToldByWhatItHasObserved() {
    assertThat(kindOfNothing(new IllegalStateException()))
        .isNotEqualTo(kindOfNothing(new IllegalArgumentException()))
        .isEqualTo(kindOfNothing(new IllegalStateException()));
  }

  private static FailureKind kindOfNothing(RuntimeException observed) {
    AssertionError failure = new AssertionError("left behind");
    failure.setStackTrace(new StackTraceElement[0]);
    observed.setStackTrace(new StackTraceElement[0]);
    failure.addSuppressed(observed);
    return FailureKind.of(failure);
  }

  private static void assertSame(int value) {
    Assertions.assertEquals(0, value);
  }

  private static FailureKind kind(org.assertj.core.api.ThrowableAssert.ThrowingCallable code) {
    return FailureKind.of(catchThrowable(code));
  }
}
