// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.TestsForListsInJavaUtil;
import com.google.common.collect.testing.TestsForMapsInJavaUtil;
import com.google.common.collect.testing.TestsForQueuesInJavaUtil;
import com.google.common.collect.testing.TestsForSetsInJavaUtil;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Guava's suites for collections and futures, each of whose tests is a coroutine, all of them at
/// once in one loop. Those of collections hardly wait: they show that a collection of the JDK's is
/// the same whichever stack it is used from. Those of futures wait for threads of their own.
@Tag("full")
@Tag("T16")
@Timeout(value = 20 * 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GuavaSuitesTest {

  enum Suite {
    QUEUES(TestsForQueuesInJavaUtil::suite, 1_000),
    LISTS(() -> new TestsForListsInJavaUtil().testsForCopyOnWriteArrayList(), 500),
    SETS(() -> new TestsForSetsInJavaUtil().testsForConcurrentSkipListSetNatural(), 400),
    MAPS(() -> new TestsForMapsInJavaUtil().testsForConcurrentHashMap(), 500),
    SORTED_MAPS(() -> new TestsForMapsInJavaUtil().testsForConcurrentSkipListMapNatural(), 10_000),
    CAFFEINE(Suite::caffeine, 500),
    FUTURES(Suite::futures, 15);

    @SuppressWarnings("ImmutableEnumChecker") // makes a suite anew each time
    private final Supplier<Test> suite;

    /// Fewer tests than this, and something is amiss with the suite.
    private final int atLeast;

    Suite(Supplier<Test> suite, int atLeast) {
      this.suite = suite;
      this.atLeast = atLeast;
    }

    private static Test caffeine() {
      return ConcurrentMapTestSuiteBuilder.using(
              new TestStringMapGenerator() {
                @Override
                protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                  Map<String, String> map = Caffeine.newBuilder().<String, String>build().asMap();
                  for (Map.Entry<String, String> entry : entries) {
                    map.put(entry.getKey(), entry.getValue());
                  }
                  return map;
                }
              })
          .named("a cache of Caffeine's")
          .withFeatures(
              MapFeature.GENERAL_PURPOSE,
              CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
              CollectionSize.ANY)
          .createTestSuite();
    }

    private static Test futures() {
      TestSuite all = new TestSuite();
      all.addTestSuite(FutureSuites.OfSettable.class);
      all.addTestSuite(FutureSuites.OfTask.class);
      all.addTestSuite(FutureSuites.OfExecutor.class);
      return all;
    }

    List<TestCase> tests() {
      List<TestCase> tests = new ArrayList<>();
      flatten(suite.get(), tests);
      return tests;
    }

    private static void flatten(Test test, List<TestCase> into) {
      switch (test) {
        case TestCase one -> into.add(one);
        case TestSuite suite -> suite.tests().asIterator().forEachRemaining(t -> flatten(t, into));
        default -> throw new IllegalArgumentException("neither test nor suite: " + test);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void tests_thatPassOnAThread_passAsCoroutinesOfOneLoop(Suite suite) {
    Outcomes control = onAThread(suite.tests());
    Outcomes coroutines = inOneLoop(suite.tests());
    int passed = Outcomes.assertAllOf(control, coroutines, names -> inOneLoop(named(suite, names)));
    System.out.printf(
        "Guava's suite of %s: %d of %d tests pass both ways%n", suite, passed, control.count());
    assertThat(passed).isGreaterThanOrEqualTo(suite.atLeast);
  }

  private static List<TestCase> named(Suite suite, Collection<String> names) {
    return suite.tests().stream().filter(test -> names.contains(name(test))).toList();
  }

  private static Outcomes onAThread(List<TestCase> tests) {
    Outcomes outcomes = new Outcomes();
    tests.forEach(test -> outcomes.add(name(test), failureOf(test)));
    return outcomes;
  }

  private static Outcomes inOneLoop(List<TestCase> tests) {
    Outcomes outcomes = new Outcomes();
    // some of the tests compute for long
    HeddleOptions options = HeddleOptions.defaults().withHoldLimit(Duration.ofMinutes(1));
    Heddle.run(
        options,
        () ->
            Heddle.scope(scope -> {
              for (TestCase test : tests) {
                scope.launch(name(test), () -> outcomes.add(name(test), failureOf(test)));
              }
              return null;
            }));
    return outcomes;
  }

  private static Throwable failureOf(TestCase test) {
    try {
      test.runBare();
      return null;
    } catch (Throwable failure) {
      return failure;
    }
  }

  private static String name(TestCase test) {
    return test.getClass().getSimpleName() + "." + test;
  }
}
