// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a coroutine binds to its thread must not reach the next one on the same context.
@Tag("T9")
@Tag("trap-43")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ContextResetTest {
  private static final ThreadLocal<String> LOCAL = ThreadLocal.withInitial(() -> "initial");
  private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

  private static HeddleOptions options(boolean reuse) {
    HeddleOptions usual = HeddleOptions.defaults();
    return reuse ? usual.withReuse() : usual.withoutReuse();
  }

  /// Runs `first` to its end in one coroutine and then `second` in the next one.
  private static <T extends @Nullable Object> T after(boolean reuse, Action first, Body<T> second) {
    return Heddle.run(
        options(reuse),
        () -> {
          Thread used =
              Heddle.spawn(
                      () -> {
                        first.run();
                        return Thread.currentThread();
                      })
                  .await();
          return Heddle.spawn(
                  () -> {
                    // else nothing could leak
                    assertThat(Thread.currentThread() == used).isEqualTo(reuse);
                    return second.run();
                  })
              .await();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadLocal_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    assertThat(after(reuse, () -> LOCAL.set("leak"), LOCAL::get)).isEqualTo("initial");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadLocal_acrossSuspensions_staysWithItsCoroutine(boolean reuse) {
    String seen =
        Heddle.run(
            options(reuse),
            () -> {
              LOCAL.set("mine");
              Beside.spawn(() -> LOCAL.set("other"));
              Heddle.yieldNow();
              return LOCAL.get();
            });
    assertThat(seen).isEqualTo("mine");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inheritableThreadLocal_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    assertThat(after(reuse, () -> INHERITABLE.set("leak"), () -> "" + INHERITABLE.get()))
        .isEqualTo("null");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inheritableThreadLocal_isTheSpawnersAtTheSpawn(boolean reuse) {
    String seen =
        Heddle.run(
            options(reuse),
            () -> {
              Heddle.spawn(() -> 1).await();
              INHERITABLE.set("spawner's");
              var child = Heddle.spawn(() -> INHERITABLE.get());
              INHERITABLE.set("later");
              return child.await();
            });
    assertThat(seen).isEqualTo("spawner's");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inheritableThreadLocal_setByTheChild_doesNotReachTheSpawner(boolean reuse) {
    String seen =
        Heddle.run(
            options(reuse),
            () -> {
              INHERITABLE.set("spawner's");
              Beside.spawn(() -> INHERITABLE.set("child's")).await();
              return INHERITABLE.get();
            });
    assertThat(seen).isEqualTo("spawner's");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inheritableThreadLocal_ofTheThreadThatRuns_reachesMain(boolean reuse) {
    INHERITABLE.set("runner's");
    try {
      String seen = Heddle.run(options(reuse), () -> INHERITABLE.get());
      assertThat(seen).isEqualTo("runner's");
    } finally {
      INHERITABLE.remove();
    }
  }

  private static ClassLoader freshLoader() {
    return new URLClassLoader(new URL[0], ContextResetTest.class.getClassLoader());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void contextClassLoader_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    ClassLoader leak = freshLoader();
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    ClassLoader seen =
        after(
            reuse,
            () -> Thread.currentThread().setContextClassLoader(leak),
            () -> Thread.currentThread().getContextClassLoader());
    assertThat(seen).isSameAs(usual);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void contextClassLoader_isTheSpawnersAtTheSpawn(boolean reuse) {
    ClassLoader mine = freshLoader();
    ClassLoader seen =
        Heddle.run(
            options(reuse),
            () -> {
              Heddle.spawn(() -> 1).await();
              Thread.currentThread().setContextClassLoader(mine);
              var child = Heddle.spawn(() -> Thread.currentThread().getContextClassLoader());
              Thread.currentThread().setContextClassLoader(null);
              return child.await();
            });
    assertThat(seen).isSameAs(mine);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void interruptFlag_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    boolean seen = after(reuse, () -> Thread.currentThread().interrupt(), Thread::interrupted);
    assertThat(seen).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("trap-62")
  void parkPermit_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    long parked =
        after(
            reuse,
            () -> LockSupport.unpark(Thread.currentThread()),
            () -> {
              long before = System.nanoTime();
              LockSupport.parkNanos(20_000_000);
              return System.nanoTime() - before;
            });
    assertThat(parked).isGreaterThanOrEqualTo(20_000_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("trap-62")
  void sleep_ofAnEarlierCoroutine_leavesNoParkPermit(boolean reuse) {
    long parked =
        after(
            reuse,
            () -> Thread.sleep(1),
            () -> {
              long before = System.nanoTime();
              LockSupport.parkNanos(20_000_000);
              return System.nanoTime() - before;
            });
    assertThat(parked).isGreaterThanOrEqualTo(20_000_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadName_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    String seen =
        after(
            reuse,
            () -> Thread.currentThread().setName("leak"),
            () -> Thread.currentThread().getName());
    assertThat(seen).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadName_ofANamedCoroutine_isItsNameAndOnlyIts(boolean reuse) {
    Heddle.run(
        options(reuse),
        () -> {
          Body<String> threadName = () -> Thread.currentThread().getName();
          assertThat(Heddle.spawn("named", threadName).await()).isEqualTo("named");
          assertThat(Heddle.spawn(threadName).await()).isEmpty();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void uncaughtExceptionHandler_ofAnEarlierCoroutine_isNotSeen(boolean reuse) {
    Thread.UncaughtExceptionHandler leak = (thread, failure) -> {};
    Thread.UncaughtExceptionHandler seen =
        after(
            reuse,
            () -> Thread.currentThread().setUncaughtExceptionHandler(leak),
            () -> Thread.currentThread().getUncaughtExceptionHandler());
    assertThat(seen).isNotSameAs(leak);
  }
}
