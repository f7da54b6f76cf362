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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/// Reactor: its blocking ends, called by coroutines, with the sources on its own threads.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReactorTest {

  @Test
  void block_of100CoroutinesForOneSink_suspendsOnlyThem() {
    Watched.run(() -> {
      Sinks.One<String> sink = Sinks.one();
      List<Coroutine<String>> blocked = crowd(100, () -> sink.asMono().block());
      List<Coroutine<String>> awaiting = crowd(100, () -> Heddle.await(sink.asMono().toFuture()));
      assertOnlyTheyWait(blocked, () -> blocked.stream().allMatch(Coroutine::isSuspended));
      assertOnlyTheyWait(awaiting, () -> awaiting.stream().allMatch(Coroutine::isSuspended));
      sink.tryEmitValue("said").orThrow();
      assertThat(blocked).extracting(Coroutine::await).containsOnly("said");
      assertThat(awaiting).extracting(Coroutine::await).containsOnly("said");
    });
  }

  @Test
  void flux_onTheElasticThreads_isCollectedBesideTheLoop() {
    CountDownLatch released = new CountDownLatch(1);
    Watched.run(() -> {
      List<Coroutine<List<Integer>>> collecting =
          crowd(
              30,
              () ->
                  Flux.range(0, 20)
                      .flatMapSequential(i ->
                          Mono.fromCallable(
                                  () -> {
                                    released.await();
                                    return i;
                                  })
                              .subscribeOn(Schedulers.boundedElastic()))
                      .collectList()
                      .block());
      assertOnlyTheyWait(collecting, () -> collecting.stream().allMatch(Coroutine::isSuspended));
      released.countDown();
      assertThat(collecting).extracting(list -> list.await().size()).containsOnly(20);
    });
  }

  @Test
  void toIterable_andToStream_waitForEachItemInTheirCoroutine() {
    Watched.run(() -> {
      Sinks.Many<Integer> sink = Sinks.many().replay().all();
      AtomicInteger seen = new AtomicInteger();
      Coroutine<Integer> iterating =
          Heddle.spawn(() -> {
            int sum = 0;
            for (int i : sink.asFlux().toIterable(2)) {
              sum += i;
              seen.incrementAndGet();
            }
            return sum;
          });
      Coroutine<Integer> streaming =
          Heddle.spawn(() ->
              sink.asFlux().toStream().mapToInt(i -> i).peek(_ -> seen.incrementAndGet()).sum());
      for (int i = 1; i <= 10; i++) {
        sink.tryEmitNext(i).orThrow();
        int both = 2 * i;
        assertOnlyTheyWait(List.of(iterating, streaming), () -> seen.get() == both);
      }
      sink.tryEmitComplete().orThrow();
      assertThat(iterating.await()).isEqualTo(55);
      assertThat(streaming.await()).isEqualTo(55);
    });
  }

  @Test
  void callableOfAMono_runsAndWaitsInTheCoroutineThatBlocks() {
    Watched.run(() -> {
      Promise<String> said = Heddle.promise("said");
      List<Coroutine<String>> blocked =
          crowd(50, () -> Mono.fromCallable(() -> said.future().await()).block());
      assertOnlyTheyWait(blocked, () -> blocked.stream().allMatch(Coroutine::isSuspended));
      said.complete("here");
      assertThat(blocked).extracting(Coroutine::await).containsOnly("here");
    });
  }

  @Test
  void block_withALimitOfReactors_failsInReactorsWords() {
    Watched.run(() -> {
      assertThatThrownBy(() -> Mono.never().block(Duration.ofMillis(10)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Timeout on blocking read");
      assertUndisturbed();
    });
  }

  @Test
  void block_thatIsCancelled_cancelsItsSource() {
    Watched.run(() -> {
      boolean[] subscribed = {false};
      boolean[] cancelled = {false};
      assertThatThrownBy(() ->
              Watched.cutWhen(
                  () -> subscribed[0],
                  () ->
                      Mono.never()
                          .doOnSubscribe(_ -> subscribed[0] = true)
                          .doOnCancel(() -> cancelled[0] = true)
                          .block()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(cancelled[0]).isTrue();
      assertUndisturbed();
    });
  }
}
