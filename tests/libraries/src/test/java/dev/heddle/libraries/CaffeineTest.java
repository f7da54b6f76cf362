// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Caffeine: a load waits inside a monitor of the map, and so does everybody else who wants the
/// key.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaffeineTest {

  @Test
  void get_of100CoroutinesForOneKey_loadsOnceAndSuspendsOnlyThem() {
    Watched.run(() -> {
      Cache<Integer, String> cache = Caffeine.newBuilder().maximumSize(50).build();
      Promise<Boolean> released = Heddle.promise("released");
      int[] loads = {0};
      List<Coroutine<String>> getters =
          crowd(
              100,
              () ->
                  cache.get(
                      1,
                      key -> {
                        loads[0]++;
                        released.future().await();
                        return "value " + key;
                      }));
      assertOnlyTheyWait(getters, () -> getters.stream().allMatch(Coroutine::isSuspended));
      released.complete(true);
      assertThat(getters).extracting(Coroutine::await).containsOnly("value 1");
      assertThat(loads[0]).isEqualTo(1);
    });
  }

  @Test
  void get_ofManyKeysAtOnce_loadsEachAndKeepsToTheSize() {
    Watched.run(() -> {
      Cache<Integer, String> cache =
          Caffeine.newBuilder().maximumSize(50).executor(Runnable::run).build();
      int[] next = {0};
      List<Coroutine<String>> getters =
          crowd(
              200,
              () ->
                  cache.get(
                      next[0]++,
                      key -> {
                        Heddle.yieldNow();
                        return "value " + key;
                      }));
      assertThat(getters)
          .extracting(Coroutine::await)
          .isEqualTo(IntStream.range(0, 200).mapToObj(key -> "value " + key).toList());
      cache.cleanUp();
      assertThat(cache.estimatedSize()).isLessThanOrEqualTo(50);
    });
  }

  @Test
  void asyncGet_of100Coroutines_loadsOnceBesideTheLoop() throws InterruptedException {
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger loads = new AtomicInteger();
    AsyncLoadingCache<Integer, String> cache =
        Caffeine.newBuilder()
            .buildAsync(key -> {
              loads.incrementAndGet();
              released.await();
              return "value " + key;
            });
    Watched.run(() -> {
      List<Coroutine<String>> awaiting = crowd(50, () -> Heddle.await(cache.get(1)));
      List<Coroutine<String>> joining = crowd(50, () -> cache.get(1).join());
      assertOnlyTheyWait(awaiting, () -> loads.get() == 1);
      assertOnlyTheyWait(joining, () -> joining.stream().allMatch(Coroutine::isSuspended));
      released.countDown();
      assertThat(awaiting).extracting(Coroutine::await).containsOnly("value 1");
      assertThat(joining).extracting(Coroutine::await).containsOnly("value 1");
    });
    assertThat(loads).hasValue(1);
  }

  @Test
  void loaderThatIsCancelled_leavesNothing_andWhoWaitsForTheKeyLoadsItself() {
    Watched.run(() -> {
      Cache<Integer, String> cache = Caffeine.newBuilder().build();
      Promise<Boolean> loading = Heddle.promise("loading");
      Coroutine<String> second =
          Heddle.spawn(() -> {
            loading.future().await();
            return cache.get(1, _ -> "second");
          });
      assertThatThrownBy(() ->
              Watched.cutWhen(
                  () -> loading.future().isDone() && second.isSuspended(),
                  () -> cache.get(1, _ -> loadForEver(loading))))
          .isInstanceOf(WaitCancelledException.class);
      assertUndisturbed();
      assertThat(second.await()).isEqualTo("second");
      assertThat(cache.getIfPresent(1)).isEqualTo("second");
    });
  }

  private static String loadForEver(Promise<Boolean> loading) {
    loading.complete(true);
    return Heddle.<String>promise("never").future().await();
  }
}
