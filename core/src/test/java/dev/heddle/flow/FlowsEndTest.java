// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.EventStream;
import dev.heddle.event.Promise;
import dev.heddle.sync.Channel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How subscriptions to publishers of a loop end: with their source, their scope, their loop, or by
/// the subscriber.
@Timeout(300)
class FlowsEndTest {
  private static final Duration AT_ONCE = Duration.ofMillis(1);
  private static final HeddleOptions OPTIONS = HeddleOptions.defaults().withGracePeriod(AT_ONCE);

  private final Semaphore never = new Semaphore(0);

  /// What other tests have left may be reported at any time.
  private static boolean isOfAPublisher(String message) {
    return message.contains("a publisher");
  }

  /// Lets every coroutine that is ready run until it waits.
  private static void settle() {
    for (int i = 0; i < 20; i++) {
      Heddle.yieldNow();
    }
  }

  private static Channel<Integer> channelOf(int... items) {
    Channel<Integer> channel = Channel.unlimited();
    IntStream.of(items).forEach(channel::send);
    return channel;
  }

  private static <T> Recorder<T> subscribe(Flow.Publisher<T> publisher, long first) {
    Recorder<T> recorder = new Recorder<>(first);
    publisher.subscribe(recorder);
    settle();
    return recorder;
  }

  /// Whose end a thread can wait for.
  private static class Ending extends Recorder<Integer> {
    final CountDownLatch ended = new CountDownLatch(1);

    Ending() {
      super(10);
    }

    @Override
    public void onError(Throwable thrown) {
      super.onError(thrown);
      ended.countDown();
    }
  }

  // ---- the end of the source, without a request ----

  @Test
  void channel_whoseLastItemAnotherReceiverTakes_completesWithoutARequest() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 0);
      channel.close();
      settle();
      assertThat(recorder.log).isEmpty();
      assertThat(channel.receive()).isEqualTo(1);
      settle();
      assertThat(recorder.log).containsExactly("complete");
    });
  }

  @Test
  void channel_thatIsCancelledWithItems_failsWithoutARequest() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 0);
      channel.cancel();
      settle();
      assertThat(recorder.log).containsExactly("failed");
    });
  }

  @Test
  void stream_thatIsClosedWithItems_completesWithoutARequest() {
    Heddle.run(() -> {
      Promise<Integer> promise = new Promise<>();
      EventStream<Integer> stream = EventStream.of(promise.future(), 4);
      promise.complete(7);
      Recorder<Integer> recorder = subscribe(Flows.publisher(stream), 0);
      assertThat(recorder.log).isEmpty();
      stream.close();
      settle();
      assertThat(recorder.log).containsExactly("complete");
    });
  }

  @Test
  void stream_whoseLastItemAnotherReaderTakes_completesWithoutARequest() {
    Heddle.run(() -> {
      ManualPublisher<Integer> source = new ManualPublisher<>();
      EventStream<Integer> stream = Flows.stream(source, 4);
      settle();
      source.subscriber.onNext(1);
      source.subscriber.onComplete();
      Recorder<Integer> recorder = subscribe(Flows.publisher(stream), 0);
      assertThat(recorder.log).isEmpty();
      assertThat(stream.next()).isEqualTo(1);
      settle();
      assertThat(recorder.log).containsExactly("complete");
    });
  }

  @Test
  void itemThatComesBackAtTheEnd_isNotSentWithoutARequest() {
    // at which item the coroutine lets others run is not promised
    for (int items = 1; items <= 100; items++) {
      int requested = items;
      Heddle.run(() -> {
        Channel<Integer> channel = Channel.unlimited();
        Recorder<Integer> recorder = subscribe(Flows.publisher(channel), requested);
        Coroutine<Integer> other = Heddle.spawn(() -> channel.receive());
        Heddle.yieldNow();
        channel.send(1); // given to the subscription
        channel.send(0); // given to the other one, which hands it back
        other.cancel("for the test");
        IntStream.range(1, requested).forEach(channel::trySend);
        channel.close();
        settle();
        assertThat(recorder.log.stream().filter(Integer.class::isInstance))
            .as("items for %s requests", requested)
            .hasSizeLessThanOrEqualTo(requested);
        recorder.subscription.cancel();
      });
    }
  }

  // ---- a subscription as the last act ----

  @Test
  void subscription_asTheLastActOfAScope_isServed_andTheScopeWaitsForIt() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2);
      channel.close();
      Recorder<Integer> recorder = new Recorder<>(10);
      Heddle.scope(_ -> {
        Flows.publisher(channel).subscribe(recorder);
        return null;
      });
      assertThat(recorder.log).containsExactly(1, 2, "complete");
    });
  }

  @Test
  void subscription_asTheLastActOfMain_isServed() {
    Recorder<Integer> recorder = new Recorder<>(10);
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2);
      channel.close();
      Flows.publisher(channel).subscribe(recorder);
    });
    assertThat(recorder.log).containsExactly(1, 2, "complete");
  }

  @Test
  void subscription_inAnotherScope_belongsToThatOfThePublisher() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf();
      Recorder<Integer> recorder = new Recorder<>(10);
      Heddle.scope(outer -> {
        Flow.Publisher<Integer> publisher = Flows.publisher(channel);
        Heddle.scope(_ -> {
          publisher.subscribe(recorder);
          return null;
        });
        assertThat(recorder.log).isEmpty(); // the inner scope has not waited for it
        outer.launch(
            "sender",
            () -> {
              channel.send(1);
              channel.close();
            });
        return null;
      });
      assertThat(recorder.log).containsExactly(1, "complete");
    });
  }

  // ---- the end of the loop ----

  @Test
  @Tag("T18")
  void loop_thatEndsWithoutTheCoroutineOfASubscription_failsTheSubscriber() throws Exception {
    Ending recorder = new Ending();
    try (Reports _ = new Reports()) {
      Heddle.run(
          OPTIONS,
          () -> {
            Flows.<Integer>publisher(_ -> never.acquireUninterruptibly()).subscribe(recorder);
            settle();
            Heddle.shutdown(AT_ONCE);
          });
      recorder.ended.await();
    } finally {
      never.release();
    }
    assertThat(recorder.log).containsExactly("failed");
    assertThat(recorder.failure)
        .isInstanceOf(LoopEndedException.class)
        .hasMessageContaining("has ended, and a publisher with it");
  }

  @Test
  @Tag("T18")
  void loop_thatEndsWhileOnNextRuns_failsTheSubscriberAfterwards() throws Exception {
    Ending recorder =
        new Ending() {
          @Override
          public void onNext(Integer item) {
            log.add("begun");
            never.acquireUninterruptibly();
            log.add("over");
          }
        };
    try (Reports _ = new Reports()) {
      Heddle.run(
          OPTIONS,
          () -> {
            Flows.publisher(channelOf(1)).subscribe(recorder);
            settle();
            Heddle.shutdown(AT_ONCE);
          });
    } finally {
      never.release();
    }
    recorder.ended.await();
    assertThat(recorder.log).containsExactly("begun", "over", "failed");
    assertThat(recorder.failure).isInstanceOf(LoopEndedException.class);
  }

  @Test
  @Tag("trap-23")
  void loop_thatEndsWithoutMemory_failsTheSubscribersThatWait() throws Exception {
    Ending recorder = new Ending();
    OutOfMemoryError exhausted = new OutOfMemoryError("as if");
    Throwable thrown = null;
    try (Reports _ = new Reports()) {
      Heddle.run(() -> {
        Flows.publisher(channelOf()).subscribe(recorder);
        settle();
        throw exhausted;
      });
    } catch (OutOfMemoryError e) {
      thrown = e;
    }
    assertThat(thrown).isSameAs(exhausted);
    recorder.ended.await();
    assertThat(recorder.failure).isInstanceOf(LoopEndedException.class);
  }

  // ---- cancellation, while the source waits in the JDK ----

  /// What a producer makes of an interrupt.
  enum OnInterrupt {
    THROWS,
    WRAPS,
    RETURNS
  }

  private Flow.Publisher<Integer> waitingIn(Scope scope, OnInterrupt then) {
    Producer<Integer> producer =
        _ -> {
          try {
            never.acquire();
          } catch (InterruptedException e) {
            switch (then) {
              case THROWS -> throw e;
              case WRAPS -> throw new IllegalStateException("interrupted", e);
              case RETURNS -> {}
            }
          }
        };
    return scope.spawn(() -> Flows.publisher(producer)).await();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("trap-17")
  void scope_thatIsCancelled_failsItsSubscribersWithItsCancellation(OnInterrupt then) {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Scope scope = Scope.current().child();
        Recorder<Integer> recorder = subscribe(waitingIn(scope, then), 1);
        scope.cancel("for the test");
        scope.awaitCancelled();
        assertThat(recorder.log).containsExactly("failed");
        assertThat(recorder.failure)
            .isInstanceOf(Cancellation.class)
            .hasMessageContaining("for the test");
      });
      assertThat(reports.messages()).noneMatch(FlowsEndTest::isOfAPublisher);
    }
  }

  @ParameterizedTest
  @EnumSource
  void subscriber_thatCancels_isNotLogged(OnInterrupt then) {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Scope scope = Scope.current().child();
        Recorder<Integer> recorder = subscribe(waitingIn(scope, then), 1);
        recorder.subscription.cancel();
        scope.join(); // no subscription is left
        assertThat(recorder.log).isEmpty();
        scope.close();
      });
      assertThat(reports.messages()).noneMatch(FlowsEndTest::isOfAPublisher);
    }
  }

  @Test
  void subscriber_thatCancelsWhenTheScopeHasEnded_isNotLogged() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Flow.Publisher<Integer> publisher = Heddle.scope(_ -> Flows.publisher(channelOf()));
        Recorder<Integer> recorder = new Recorder<>(1);
        Thread subscribing =
            Thread.ofPlatform()
                .start(() -> {
                  publisher.subscribe(recorder);
                  recorder.subscription.cancel();
                });
        while (subscribing.isAlive()) {
          Thread.onSpinWait(); // the loop must not answer before
        }
        settle();
        assertThat(recorder.log).isEmpty();
      });
      assertThat(reports.messages()).noneMatch(FlowsEndTest::isOfAPublisher);
    }
  }

  @Test
  void source_thatFailsAfterItsSubscriberHasCancelled_isLogged() {
    IllegalStateException failure = new IllegalStateException("for the test");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Flow.Publisher<Integer> publisher =
            Flows.publisher(_ -> {
              try {
                never.acquire();
              } finally {
                throwIt(failure);
              }
            });
        Recorder<Integer> recorder = subscribe(publisher, 1);
        recorder.subscription.cancel();
      });
      assertThat(reports.failures()).containsOnlyOnce(failure);
    }
  }

  private static void throwIt(RuntimeException failure) {
    throw failure;
  }

  @Test
  @Tag("trap-17")
  void subscriber_thatWaitsInTheJdk_getsTheCancellationOfTheScope() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Scope scope = Scope.current().child();
        Channel<Integer> channel = channelOf(1);
        Flow.Publisher<Integer> publisher = scope.spawn(() -> Flows.publisher(channel)).await();
        Recorder<Integer> recorder =
            new Recorder<>(1) {
              @Override
              public void onNext(Integer item) {
                super.onNext(item);
                try {
                  never.acquire();
                } catch (InterruptedException e) {
                  throw new IllegalStateException("interrupted", e);
                }
              }
            };
        publisher.subscribe(recorder);
        settle();
        scope.cancel("for the test");
        scope.awaitCancelled();
        assertThat(recorder.log).containsExactly(1, "failed");
        assertThat(recorder.failure).isInstanceOf(Cancellation.class);
      });
      assertThat(reports.messages()).noneMatch(FlowsEndTest::isOfAPublisher);
    }
  }

  @Test
  @Tag("trap-17")
  void coroutineThatIsCancelledWhileOnSubscribeWaits_ends() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<Integer> nothing = new Promise<>();
        Flow.Publisher<Integer> publisher = Flows.publisher(channelOf());
        Recorder<Integer> recorder =
            new Recorder<>(0) {
              @Override
              public void onSubscribe(Flow.Subscription s) {
                var _ = nothing.future().await();
              }
            };
        Coroutine<?> subscribing =
            Heddle.spawn(() -> {
              publisher.subscribe(recorder);
              recorder.log.add("went on");
            });
        settle();
        subscribing.cancel("for the test");
        settle();
        assertThat(subscribing.isCancelled()).isTrue();
        assertThat(recorder.log).isEmpty();
      });
      assertThat(reports.messages()).noneMatch(FlowsEndTest::isOfAPublisher);
    }
  }

  @Test
  void producer_thatAwaitsACancelledCoroutine_failsItsSubscriberAlone() {
    Heddle.run(() ->
        Heddle.scope(scope -> {
          Coroutine<Integer> cancelled = scope.spawn(() -> 1);
          cancelled.cancel("for the test");
          Recorder<Integer> recorder =
              subscribe(Flows.publisher(out -> out.send(cancelled.await())), 1);
          assertThat(recorder.failure).isInstanceOf(Cancellation.class);
          return null;
        }));
  }

  // ---- subscribers that break the rules ----

  @ParameterizedTest
  @ValueSource(strings = {"onSubscribe", "onNext", "onError", "onComplete"})
  void subscriber_thatThrows_isLogged_andTheOthersGoOn(String method) {
    IllegalStateException failure = new IllegalStateException("for the test");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = channelOf(1);
        Flow.Publisher<Integer> publisher = Flows.publisher(channel);
        publisher.subscribe(throwing(method, failure));
        settle();
        Recorder<Integer> other = subscribe(publisher, 10);
        channel.trySend(2);
        if (method.equals("onError")) {
          channel.close(new IllegalStateException("the source"));
        } else {
          channel.close();
        }
        settle();
        assertThat(other.log).contains(method.equals("onError") ? "failed" : "complete");
      });
      assertThat(reports.failures()).containsOnlyOnce(failure);
      assertThat(reports.messages()).anyMatch(m -> m.contains("threw from " + method));
    }
  }

  private static Recorder<Integer> throwing(String method, RuntimeException broken) {
    return new Recorder<>(1) {
      private void throwIn(String here) {
        if (here.equals(method)) {
          throw broken;
        }
      }

      @Override
      public void onSubscribe(Flow.Subscription s) {
        super.onSubscribe(s);
        throwIn("onSubscribe");
      }

      @Override
      public void onNext(Integer item) {
        super.onNext(item);
        throwIn("onNext");
      }

      @Override
      public void onError(Throwable thrown) {
        super.onError(thrown);
        throwIn("onError");
      }

      @Override
      public void onComplete() {
        super.onComplete();
        throwIn("onComplete");
      }
    };
  }

  @Test
  void request_ofNothingInsideOnNext_failsTheSubscriberOnce() {
    Heddle.run(() -> {
      Recorder<Integer> recorder =
          new Recorder<>(10) {
            @Override
            public void onNext(Integer item) {
              super.onNext(item);
              subscription.request(-1);
              subscription.request(0);
            }
          };
      Channel<Integer> channel = channelOf(1, 2);
      Flows.publisher(channel).subscribe(recorder);
      settle();
      assertThat(recorder.log).containsExactly(1, "failed");
      assertThat(recorder.failure).isInstanceOf(IllegalArgumentException.class);
      assertThat(channel.size()).isEqualTo(1);
    });
  }

  @Test
  void subscriber_thatCancelsInsideOnSubscribe_getsNothing() {
    Heddle.run(() -> {
      Recorder<Integer> recorder =
          new Recorder<>(10) {
            @Override
            public void onSubscribe(Flow.Subscription s) {
              super.onSubscribe(s);
              s.cancel();
              s.request(0);
            }
          };
      Channel<Integer> channel = channelOf(1);
      Flows.publisher(channel).subscribe(recorder);
      settle();
      channel.close();
      settle();
      assertThat(recorder.log).isEmpty();
      assertThat(channel.size()).isEqualTo(1);
    });
  }

  @Test
  void subscriber_thatSubscribesTwice_hasTwoSubscriptions() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2);
      channel.close();
      Recorder<Integer> recorder = new Recorder<>(10);
      Flow.Publisher<Integer> publisher = Flows.publisher(channel);
      publisher.subscribe(recorder);
      publisher.subscribe(recorder);
      settle();
      assertThat(recorder.log).containsExactlyInAnyOrder(1, 2, "complete", "complete");
    });
  }
}
