// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.Monitor;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.RateLimiter;
import com.google.common.util.concurrent.SettableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Guava: caches, monitors, futures and rate limiters wait by the JDK's means, some of them deaf to
/// interrupts.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GuavaTest {

  @Test
  void loadingCache_asked100TimesForOneKey_loadsOnceAndSuspendsOnlyThem() {
    Watched.run(() -> {
      Promise<Boolean> released = Heddle.promise("released");
      int[] loads = {0};
      LoadingCache<Integer, String> cache =
          CacheBuilder.newBuilder()
              .build(
                  CacheLoader.from(key -> {
                    loads[0]++;
                    released.future().await();
                    return "value " + key;
                  }));
      List<Coroutine<String>> getters = crowd(100, () -> cache.get(1));
      assertOnlyTheyWait(getters, () -> getters.stream().allMatch(Coroutine::isSuspended));
      released.complete(true);
      assertThat(getters).extracting(Coroutine::await).containsOnly("value 1");
      assertThat(loads[0]).isEqualTo(1);
    });
  }

  @Test
  void monitor_withAGuard_letsCoroutinesInAsItsGuardSays() {
    Watched.run(() -> {
      Monitor monitor = new Monitor();
      boolean[] open = {false};
      Monitor.Guard isOpen = monitor.newGuard(() -> open[0]);
      List<Coroutine<Integer>> entering =
          crowd(
              50,
              () -> {
                monitor.enterWhen(isOpen);
                try {
                  return 1;
                } finally {
                  monitor.leave();
                }
              });
      assertOnlyTheyWait(entering, () -> monitor.getWaitQueueLength(isOpen) == 50);
      monitor.enter();
      try {
        open[0] = true;
      } finally {
        monitor.leave();
      }
      assertThat(entering.stream().mapToInt(Coroutine::await).sum()).isEqualTo(50);
    });
  }

  @Test
  void futures_ofAnExecutorAndOfAPromise_suspendOnlyWhoGetsThem() {
    CountDownLatch released = new CountDownLatch(1);
    ListeningExecutorService threads =
        MoreExecutors.listeningDecorator(Executors.newFixedThreadPool(2));
    SettableFuture<String> settable = SettableFuture.create();
    try {
      Watched.run(() -> {
        List<Coroutine<String>> getters =
            crowd(
                20,
                () ->
                    threads
                        .submit(() -> {
                          released.await();
                          return "done";
                        })
                        .get());
        List<Coroutine<String>> others = crowd(20, settable::get);
        assertOnlyTheyWait(getters, () -> getters.stream().allMatch(Coroutine::isSuspended));
        assertOnlyTheyWait(others, () -> others.stream().allMatch(Coroutine::isSuspended));
        released.countDown();
        settable.set("set");
        assertThat(getters).extracting(Coroutine::await).containsOnly("done");
        assertThat(others).extracting(Coroutine::await).containsOnly("set");
      });
    } finally {
      threads.shutdownNow();
    }
  }

  /// The second permit of this limiter comes after a second, and the cut long before, unless the
  /// machine stands still so long: then there is nothing to wait for, and it is tried again.
  @Test
  void rateLimiter_thatIsCancelled_ignoresThatAndGivesItsPermitFirst() {
    Watched.run(() -> {
      double[] slept = {0};
      Throwable thrown;
      do {
        RateLimiter limiter = RateLimiter.create(1);
        limiter.acquire();
        thrown = catchThrowable(() -> acquireAndCut(limiter, slept));
      } while (thrown == null);
      assertThat(thrown).isInstanceOf(WaitCancelledException.class);
      assertThat(slept[0]).isPositive();
      assertUndisturbed();
    });
  }

  private static void acquireAndCut(RateLimiter limiter, double[] slept) {
    Coroutine<?> main = Heddle.current();
    Watched.cutWhen(
        main::isSuspended,
        () -> {
          slept[0] = limiter.acquire();
          return slept[0];
        });
  }

  /// What Guava calls uninterruptible goes on to its end, and the block fails only then.
  @Test
  void takeUninterruptibly_thatIsCancelled_goesOnToItsEnd() {
    Watched.run(() -> {
      CountDownLatch released = new CountDownLatch(1);
      boolean[] wasReleased = {false};
      Coroutine<?> main = Heddle.current();
      Promise<Boolean> cut = Heddle.promise("cut");
      Heddle.background(
          "cutter",
          () -> {
            Watched.until(main::isSuspended);
            cut.complete(true);
            for (int i = 0; i < Watched.TURNS; i++) {
              Heddle.yieldNow();
            }
            released.countDown();
          });
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  cut.future(),
                  () -> {
                    Uninterruptibles.awaitUninterruptibly(released);
                    wasReleased[0] = true;
                    return 1;
                  }))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(wasReleased[0]).isTrue();
      assertUndisturbed();
    });
  }
}
