// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.heddle.DeadlockError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Failures of a test with `@HeddleTest`, and of its life-cycle methods: what is reported, and what
/// is called after them, is as JUnit does it.
@Timeout(300)
class LifecycleFailureTest {
  private final List<Throwable> failures = new ArrayList<>();

  @BeforeEach
  void forget() {
    TestClasses.seen.clear();
  }

  private Throwable failure(Class<?> tests) {
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                result.getThrowable().ifPresent(failures::add);
              }
            });
    assertThat(failures).hasSize(1);
    return failures.getFirst();
  }

  @Test
  void failedTest_isReported_whenItsAfterEachDeadlocks() {
    Throwable failure = failure(TestClassesThatFailTwice.AfterDeadlocks.class);
    assertThat(failure).hasMessageContaining("the real reason");
    assertThat(failure.getCause().getSuppressed()).hasSize(1);
    assertThat(failure.getCause().getSuppressed()[0])
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("the missing reply");
  }

  @Test
  @Tag("agent")
  void failedTest_isReported_whenItsAfterEachDeadlocksInTheJdk() {
    Throwable failure = failure(TestClassesThatFailTwice.AfterDeadlocksInTheJdk.class);
    assertThat(failure).hasMessageContaining("the real reason");
    assertThat(failure.getCause().getSuppressed()).hasAtLeastOneElementOfType(DeadlockError.class);
  }

  @Test
  void test_isNotCalled_afterItsBeforeEachHasFailed() {
    Throwable failure = failure(TestClassesThatFailTwice.BeforeFails.class);
    assertThat(failure).hasMessageContaining("not prepared");
    assertThat(TestClasses.seen).isNotEmpty().containsOnly("after");
  }

  @Test
  void test_isNotCalled_afterItsBeforeEachHasDeadlocked() {
    Throwable failure = failure(TestClassesThatFailTwice.BeforeDeadlocks.class);
    assertThat(failure).hasMessageContaining("the missing reply");
    assertThat(failure.getSuppressed()).isEmpty();
    assertThat(TestClasses.seen).isEmpty();
  }

  @Test
  void failureOfAnAfterEach_isSuppressedInThatOfTheTest() {
    Throwable failure = failure(TestClassesThatFailTwice.BothFail.class);
    assertThat(failure).hasMessageContaining("the real reason");
    assertThat(failure.getCause().getSuppressed())
        .extracting(Throwable::getMessage)
        .contains("cannot clean up");
  }

  @Test
  void checkedException_isNotSuppressedInItself() {
    Throwable failure = failure(TestClassesThatFailTwice.Checked.class);
    assertThat(failure).hasMessageContaining("the real reason");
    assertThat(failure.getCause()).hasNoSuppressedExceptions();
    assertThat(failure).hasRootCauseInstanceOf(IOException.class);
  }
}
