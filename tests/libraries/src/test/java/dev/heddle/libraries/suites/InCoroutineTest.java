// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;

/// The means by which others' suites run: that they say what they should.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InCoroutineTest {

  /// Passes in coroutines only; it is run by the tests below.
  static class ForCoroutines {
    @Test
    void delays() {
      Heddle.delay(Duration.ofMillis(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void delays(int millis) {
      Heddle.delay(Duration.ofMillis(millis));
    }

    @TestFactory
    Stream<DynamicTest> factory() {
      return Stream.of(DynamicTest.dynamicTest("delays, too", () -> Heddle.yieldNow()));
    }
  }

  /// Passes on threads of the platform only.
  static class ForThreads {
    @Test
    void isOnAPlatformThread() {
      assertThat(Thread.currentThread().isVirtual()).isFalse();
    }
  }

  private static Outcomes run(Class<?> tests, boolean inCoroutines) {
    return PlatformSuite.run(List.of(DiscoverySelectors.selectClass(tests)), inCoroutines);
  }

  @Test
  void testsOfEveryKind_runInACoroutineWhenTheRunSaysSo() {
    assertThat(run(ForCoroutines.class, true).passed()).hasSize(4);
    assertThat(run(ForCoroutines.class, false).passed()).isEmpty();
    assertThat(run(ForThreads.class, false).passed()).hasSize(1);
  }

  @Test
  void testThatPassesOnAThreadAndFailsInACoroutine_isNamed() {
    Outcomes control = run(ForThreads.class, false);
    Outcomes coroutines = run(ForThreads.class, true);
    assertThatThrownBy(
            () -> Outcomes.assertAllOf(control, coroutines, _ -> run(ForThreads.class, true)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("isOnAPlatformThread");
  }

  @Test
  void testThatIsMissingInCoroutines_isNamed() {
    assertThatThrownBy(() ->
            Outcomes.assertAllOf(run(ForThreads.class, false), new Outcomes(), _ -> new Outcomes()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("isOnAPlatformThread");
  }
}
