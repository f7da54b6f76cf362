// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Runs the classes of this package's tests, in its three ways.
@Tag("T16")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrowdTest {
  /// Of each test, in the crowd.
  private static final int COPIES = 5;

  enum Tests {
    PARKS(Parks.class),
    MONITORS(Monitors.class),
    LOCKS(Locks.class),
    CONDITIONS(Conditions.class),
    SYNCHRONIZERS(Synchronizers.class),
    BARRIERS(Barriers.class),
    QUEUES(Queues.class),
    FUTURES(Futures.class);

    private final Class<?> type;

    Tests(Class<?> type) {
      this.type = type;
    }

    /// In an order of their names, so that a seed says what runs when.
    private List<Method> all() {
      List<Method> tests =
          Arrays.stream(type.getDeclaredMethods())
              .filter(method -> method.isAnnotationPresent(Together.class))
              .sorted(Comparator.comparing(Method::getName))
              .toList();
      assertThat(tests).isNotEmpty();
      return tests;
    }
  }

  /// What failed, by the name of the test.
  private static final class Failures {
    private final Map<String, Throwable> failures = Collections.synchronizedMap(new TreeMap<>());

    private void run(Method test, Crew crew) {
      @Nullable Throwable failure = failureOf(test, crew);
      if (failure != null) {
        failures.putIfAbsent(test.getName(), failure);
      }
    }

    private static @Nullable Throwable failureOf(Method test, Crew crew) {
      try {
        var constructor = test.getDeclaringClass().getDeclaredConstructor();
        test.invoke(constructor.newInstance(), crew);
        return null;
      } catch (InvocationTargetException e) {
        return e.getCause();
      } catch (ReflectiveOperationException e) {
        return e;
      }
    }

    private void assertNone(String how) {
      failures.values().forEach(Throwable::printStackTrace);
      assertThat(failures).as("tests that failed, %s", how).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void tests_eachOnAVirtualThreadOfTheJdks_pass(Tests tests) throws InterruptedException {
    Failures failures = new Failures();
    Crew crew = new Crew(Thread.ofVirtual()::start);
    for (Method test : tests.all()) {
      Thread.ofVirtual().start(() -> failures.run(test, crew)).join();
    }
    failures.assertNone("each on a virtual thread");
  }

  @ParameterizedTest
  @EnumSource
  void tests_eachAsMainCoroutine_pass(Tests tests) {
    Failures failures = new Failures();
    for (Method test : tests.all()) {
      Heddle.run(() -> failures.run(test, new Crew(CrowdTest::launch)));
    }
    failures.assertNone("each as main coroutine");
  }

  @ParameterizedTest
  @EnumSource
  void tests_allAtOnceInOneLoop_pass(Tests tests) {
    long seed = Long.getLong("heddle.seed", new Random().nextLong());
    List<Method> crowd = new ArrayList<>();
    for (int i = 0; i < COPIES; i++) {
      crowd.addAll(tests.all());
    }
    Collections.shuffle(crowd, new Random(seed));
    Failures failures = new Failures();
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Heddle.run(() ->
        Heddle.scope(scope -> {
          for (Method test : crowd) {
            scope.launch(
                test.getName(),
                () -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  // a scope for each: its helpers end with it
                  Heddle.scope(() -> failures.run(test, new Crew(CrowdTest::launch)));
                  now.decrementAndGet();
                });
          }
          return null;
        }));
    failures.assertNone("all at once, -Dheddle.seed=" + seed);
    assertThat(most.get()).as("coroutines that were in a test at once").isGreaterThan(COPIES);
  }

  private static void launch(Runnable helper) {
    Heddle.launch("helper", helper::run);
  }
}
