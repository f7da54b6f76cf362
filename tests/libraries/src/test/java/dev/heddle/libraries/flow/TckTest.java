// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/// The TCK of Reactive Streams, unmodified, for each bridge. What it skips is listed.
@Tag("full")
@Tag("T16")
@Timeout(value = 20 * 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TckTest {
  /// Rules that the TCK itself cannot check: these tests always skip.
  private static final String UNTESTED = "untested_";

  /// Subscribers of a channel share its items, those of a stream are one at a time.
  private static final Set<String> MULTICAST =
      Set.of(
          "optional_spec111_maySupportMultiSubscribe",
          "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront",
          "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected",
          "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne",
          "optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals");

  enum Suite {
    CHANNEL_AS_PUBLISHER(Verifications.OfChannel.class, 20, MULTICAST),
    STREAM_AS_PUBLISHER(Verifications.OfStream.class, 15, MULTICAST),
    PRODUCER_AS_PUBLISHER(Verifications.OfProducer.class, 20, Set.of()),
    CHANNEL_OF_PUBLISHER(Verifications.ToChannel.class, 10, Set.of()),
    CHANNEL_OF_PUBLISHER_FROM_INSIDE(Verifications.ToChannelFromInside.class, 10, Set.of()),
    STREAM_OF_PUBLISHER(Verifications.ToStream.class, 10, Set.of());

    private final Class<?> verification;

    /// Fewer passed tests than this, and something is amiss with the suite.
    private final int atLeast;

    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    private final Set<String> skipped;

    Suite(Class<?> verification, int atLeast, Set<String> skipped) {
      this.verification = verification;
      this.atLeast = atLeast;
      this.skipped = skipped;
    }
  }

  @AfterAll
  static void end() {
    Verifications.LOOP.close();
  }

  @ParameterizedTest
  @EnumSource
  void tck_passes(Suite suite) {
    TestListenerAdapter results = run(suite.verification);
    results.getFailedTests().forEach(failed -> failed.getThrowable().printStackTrace());
    assertThat(names(results.getFailedTests())).isEmpty();
    assertThat(names(results.getConfigurationFailures())).isEmpty();
    assertThat(names(results.getSkippedTests()))
        .as("skipped tests of %s", suite)
        .allMatch(name -> name.startsWith(UNTESTED) || suite.skipped.contains(name));
    assertThat(results.getPassedTests()).hasSizeGreaterThanOrEqualTo(suite.atLeast);
    System.out.printf(
        "TCK, %s: %d passed, %d skipped%n",
        suite, results.getPassedTests().size(), results.getSkippedTests().size());
  }

  private static TestListenerAdapter run(Class<?> verification) {
    TestNG testng = new TestNG(false);
    TestListenerAdapter results = new TestListenerAdapter();
    testng.setUseDefaultListeners(false);
    testng.setVerbose(0);
    testng.setTestClasses(new Class<?>[] {verification});
    testng.addListener(results);
    testng.run();
    return results;
  }

  private static Set<String> names(List<ITestResult> results) {
    Set<String> names = new TreeSet<>();
    results.forEach(result -> names.add(result.getMethod().getMethodName()));
    return names;
  }
}
