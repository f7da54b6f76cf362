// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subjects.ReplaySubject;
import io.reactivex.rxjava3.subjects.SingleSubject;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// RxJava: its blocking ends, called by coroutines, with the sources on its own threads.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RxJavaTest {

  @Test
  void blockingGet_of100CoroutinesForOneSubject_suspendsOnlyThem() {
    Watched.run(() -> {
      SingleSubject<String> subject = SingleSubject.create();
      List<Coroutine<String>> blocked = crowd(100, subject::blockingGet);
      List<Coroutine<String>> awaiting =
          crowd(100, () -> Heddle.await(subject.toCompletionStage()));
      assertOnlyTheyWait(blocked, () -> blocked.stream().allMatch(Coroutine::isSuspended));
      assertOnlyTheyWait(awaiting, () -> awaiting.stream().allMatch(Coroutine::isSuspended));
      subject.onSuccess("said");
      assertThat(blocked).extracting(Coroutine::await).containsOnly("said");
      assertThat(awaiting).extracting(Coroutine::await).containsOnly("said");
    });
  }

  @Test
  void observable_onTheIoThreads_isIteratedBesideTheLoop() {
    CountDownLatch released = new CountDownLatch(1);
    Watched.run(() -> {
      List<Coroutine<Integer>> iterating =
          crowd(
              30,
              () -> {
                int sum = 0;
                for (int i :
                    Observable.range(1, 10)
                        .doOnSubscribe(_ -> {})
                        .map(i -> {
                          released.await();
                          return i;
                        })
                        .subscribeOn(Schedulers.io())
                        .blockingIterable()) {
                  sum += i;
                }
                return sum;
              });
      assertOnlyTheyWait(iterating, () -> iterating.stream().allMatch(Coroutine::isSuspended));
      released.countDown();
      assertThat(iterating).extracting(Coroutine::await).containsOnly(55);
    });
  }

  @Test
  void blockingForEach_andSubscribe_takeEachItemInTheirCoroutine() {
    Watched.run(() -> {
      ReplaySubject<Integer> subject = ReplaySubject.create();
      AtomicInteger seen = new AtomicInteger();
      Coroutine<?> each = Heddle.spawn(() -> subject.blockingForEach(_ -> seen.incrementAndGet()));
      Coroutine<?> subscriber =
          Heddle.spawn(() -> subject.blockingSubscribe(_ -> seen.incrementAndGet()));
      for (int i = 1; i <= 10; i++) {
        subject.onNext(i);
        int both = 2 * i;
        assertOnlyTheyWait(List.of(each, subscriber), () -> seen.get() == both);
      }
      subject.onComplete();
      each.await();
      subscriber.await();
      assertThat(seen).hasValue(20);
    });
  }

  @Test
  void callableOfASingle_runsAndWaitsInTheCoroutineThatBlocks() {
    Watched.run(() -> {
      Promise<String> said = Heddle.promise("said");
      List<Coroutine<String>> blocked =
          crowd(50, () -> Single.fromCallable(() -> said.future().await()).blockingGet());
      assertOnlyTheyWait(blocked, () -> blocked.stream().allMatch(Coroutine::isSuspended));
      said.complete("here");
      assertThat(blocked).extracting(Coroutine::await).containsOnly("here");
    });
  }

  /// The trampoline sleeps in the coroutine that subscribes.
  @Test
  void trampoline_thatSleeps_suspendsItsCoroutine() {
    Watched.run(() -> {
      Coroutine<Long> counting =
          Heddle.spawn(() ->
              Flowable.timer(1, TimeUnit.DAYS, Schedulers.trampoline()).count().blockingGet());
      assertOnlyTheyWait(List.of(counting), counting::isSuspended);
      counting.cancel("seen enough");
    });
  }

  @Test
  void blockingAwait_withALimitOfRxJavas_saysThatItPassed() {
    Watched.run(() -> {
      assertThat(Completable.never().blockingAwait(10, TimeUnit.MILLISECONDS)).isFalse();
      assertUndisturbed();
    });
  }

  @Test
  void blockingGet_thatIsCancelled_disposesOfItsSource() {
    Watched.run(() -> {
      boolean[] subscribed = {false};
      boolean[] disposed = {false};
      assertThatThrownBy(() ->
              Watched.cutWhen(
                  () -> subscribed[0],
                  () ->
                      Single.never()
                          .doOnSubscribe(_ -> subscribed[0] = true)
                          .doOnDispose(() -> disposed[0] = true)
                          .blockingGet()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(disposed[0]).isTrue();
      assertUndisturbed();
    });
  }
}
