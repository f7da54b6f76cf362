// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.EventStream;
import dev.heddle.event.Promise;
import dev.heddle.event.Trigger;
import dev.heddle.sync.Channel;
import dev.heddle.thread.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Channels, streams and producers as publishers.
@Timeout(300)
class FlowsTest {
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

  // ---- a channel as a publisher ----

  @Test
  void channel_thatIsClosed_emitsWhatIsLeftAndCompletes() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2, 3);
      channel.close();
      assertThat(subscribe(Flows.publisher(channel), 10).log).containsExactly(1, 2, 3, "complete");
    });
  }

  @Test
  void channel_emitsOnlyWhatWasRequested_andTakesNoMore() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2, 3);
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 2);
      assertThat(recorder.log).containsExactly(1, 2);
      assertThat(channel.size()).isEqualTo(1);
      recorder.subscription.request(1);
      settle();
      assertThat(recorder.log).containsExactly(1, 2, 3);
      channel.close();
      settle();
      assertThat(recorder.log).containsExactly(1, 2, 3, "complete");
    });
  }

  @Test
  void channel_thatEndsEmpty_completesWithoutARequest() {
    Heddle.run(() -> {
      Channel<Integer> open = channelOf();
      Recorder<Integer> waiting = subscribe(Flows.publisher(open), 0);
      assertThat(waiting.log).isEmpty();
      open.close();
      settle();
      assertThat(waiting.log).containsExactly("complete");
      assertThat(subscribe(Flows.publisher(open), 0).log).containsExactly("complete");
    });
  }

  @Test
  void channel_closedWithAFailure_failsWithThatFailure() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      IllegalStateException failure = new IllegalStateException("for the test");
      channel.close(failure);
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 10);
      assertThat(recorder.log).containsExactly(1, "failed");
      assertThat(recorder.failure).isSameAs(failure);
    });
  }

  @Test
  void channel_thatWasCancelled_fails() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      channel.cancel(_ -> {});
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 10);
      assertThat(recorder.failure).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void subscribers_ofOneChannel_shareItsItems() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf();
      Flow.Publisher<Integer> publisher = Flows.publisher(channel);
      Recorder<Integer> one = subscribe(publisher, 10);
      Recorder<Integer> other = subscribe(publisher, 10);
      IntStream.range(0, 4)
          .forEach(i -> {
            channel.send(i);
            settle();
          });
      channel.close();
      settle();
      assertThat(one.log).containsExactly(0, 2, "complete");
      assertThat(other.log).containsExactly(1, 3, "complete");
    });
  }

  @Test
  void subscriber_thatCancels_getsNothingMoreAndLeavesTheItems() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf();
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), 10);
      recorder.subscription.cancel();
      settle();
      channel.send(1);
      settle();
      assertThat(recorder.log).isEmpty();
      assertThat(channel.tryReceive()).isEqualTo(1);
      recorder.subscription.request(1); // 3.6: does nothing
      recorder.subscription.cancel(); // 3.7
      channel.close();
      settle();
      assertThat(recorder.log).isEmpty();
    });
  }

  @Test
  void subscriber_thatCancelsOnAnotherThread_leaves() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf();
      Scope scope = Scope.current().child();
      Recorder<Integer> recorder = new Recorder<>(1);
      Flow.Publisher<Integer> publisher = publisherIn(scope, channel);
      Threads.start(
              "subscriber",
              () -> {
                publisher.subscribe(recorder);
                recorder.subscription.cancel();
                return null;
              })
          .await();
      settle();
      scope.join(); // no subscription is left
      assertThat(recorder.log).isEmpty();
      scope.close();
    });
  }

  private static Flow.Publisher<Integer> publisherIn(Scope scope, Channel<Integer> channel) {
    return scope.spawn(() -> Flows.publisher(channel)).await();
  }

  @Test
  void request_ofNothing_failsTheSubscription() {
    Heddle.run(() -> {
      Recorder<Integer> recorder = subscribe(Flows.publisher(channelOf()), 10);
      recorder.subscription.request(0);
      settle();
      assertThat(recorder.failure)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has requested 0 items");
    });
  }

  @Test
  void requests_beyondLongMaxValue_haveNoLimit() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1, 2);
      Recorder<Integer> recorder = subscribe(Flows.publisher(channel), Long.MAX_VALUE);
      recorder.subscription.request(Long.MAX_VALUE);
      channel.send(3);
      channel.send(4); // the first one was awaited before the second request
      settle();
      assertThat(recorder.log).containsExactly(1, 2, 3, 4);
      channel.close();
    });
  }

  @Test
  void request_insideOnNext_doesNotNest() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.unlimited();
      IntStream.range(0, 10_000).forEach(channel::send);
      channel.close();
      Recorder<Integer> recorder =
          new Recorder<>(1) {
            @Override
            public void onNext(Integer item) {
              super.onNext(item);
              int before = log.size();
              subscription.request(1);
              if (log.size() != before) {
                log.add("nested");
              }
            }
          };
      Flows.publisher(channel).subscribe(recorder);
      for (int i = 0; i < 1_000 && !recorder.log.contains("complete"); i++) {
        settle();
      }
      assertThat(recorder.log).hasSize(10_001).endsWith("complete");
    });
  }

  @Test
  void onNext_neverRunsBesideOnSubscribe() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      Recorder<Integer> recorder =
          new Recorder<>(0) {
            @Override
            public void onSubscribe(Flow.Subscription s) {
              s.request(1);
              settle(); // time for a wrong onNext
              log.add("subscribed");
            }
          };
      Flows.publisher(channel).subscribe(recorder);
      settle();
      assertThat(recorder.log).containsExactly("subscribed", 1);
      channel.close();
    });
  }

  @Test
  void scope_thatIsCancelled_failsItsSubscribers() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf();
      Scope scope = Scope.current().child();
      Flow.Publisher<Integer> publisher = publisherIn(scope, channel);
      Recorder<Integer> recorder = subscribe(publisher, 1);
      scope.cancel("for the test");
      settle();
      assertThat(recorder.failure).isInstanceOf(Cancellation.class);
      Recorder<Integer> late = subscribe(publisher, 1);
      assertThat(late.failure).isInstanceOf(IllegalStateException.class);
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void scope_cancelledAtAnyStepOfASubscription_failsTheSubscriberOnce(int steps) {
    Heddle.run(() -> {
      Scope scope = Scope.current().child();
      Flow.Publisher<Integer> publisher = publisherIn(scope, channelOf());
      Recorder<Integer> recorder = new Recorder<>(1);
      publisher.subscribe(recorder);
      for (int i = 0; i < steps; i++) {
        Heddle.yieldNow();
      }
      scope.cancel("for the test");
      settle();
      assertThat(recorder.log).containsExactly("failed");
      scope.close();
    });
  }

  @Test
  void subscribe_afterTheLoopHasEnded_fails() throws InterruptedException {
    Flow.Publisher<Integer> publisher = Heddle.run(() -> Flows.publisher(channelOf(1)));
    CountDownLatch failed = new CountDownLatch(1);
    Recorder<Integer> recorder =
        new Recorder<>(1) {
          @Override
          public void onError(Throwable thrown) {
            super.onError(thrown);
            failed.countDown();
          }
        };
    publisher.subscribe(recorder);
    failed.await();
    assertThat(recorder.log).containsExactly("failed");
    assertThat(recorder.failure).isInstanceOf(LoopEndedException.class);
  }

  @Test
  void subscriber_thatThrows_getsNothingMore_andTheOthersGoOn() {
    Heddle.run(() -> {
      Channel<Integer> channel = channelOf(1);
      Flow.Publisher<Integer> publisher = Flows.publisher(channel);
      Recorder<Integer> broken =
          new Recorder<>(10) {
            @Override
            public void onNext(Integer item) {
              super.onNext(item);
              throw new IllegalStateException("for the test");
            }
          };
      publisher.subscribe(broken);
      settle();
      Recorder<Integer> other = subscribe(publisher, 10);
      channel.send(2);
      channel.close();
      settle();
      assertThat(broken.log).containsExactly(1);
      assertThat(other.log).containsExactly(2, "complete");
    });
  }

  // ---- a producer ----

  @Test
  void producer_runsForEachSubscriber() {
    Heddle.run(() -> {
      Flow.Publisher<Integer> publisher =
          Flows.publisher(out -> {
            out.send(1);
            out.send(2);
          });
      assertThat(subscribe(publisher, 10).log).containsExactly(1, 2, "complete");
      assertThat(subscribe(publisher, 2).log).containsExactly(1, 2, "complete");
    });
  }

  @Test
  void producer_waitsForRequests_andIsCancelledByItsSubscriber() {
    Heddle.run(() -> {
      List<String> log = new ArrayList<>();
      Flow.Publisher<Integer> publisher =
          Flows.publisher(out -> {
            try {
              out.send(1);
              log.add("sent 1");
              out.send(2);
              log.add("sent 2");
            } catch (Cancellation e) {
              log.add("cancelled");
              throw e;
            }
          });
      Recorder<Integer> recorder = subscribe(publisher, 1);
      assertThat(log).containsExactly("sent 1");
      recorder.subscription.cancel();
      settle();
      assertThat(log).containsExactly("sent 1", "cancelled");
      assertThat(recorder.log).containsExactly(1);
    });
  }

  @Test
  void producer_thatFails_failsItsSubscriberAlone() {
    Heddle.run(() -> {
      Exception failure = new Exception("for the test");
      Recorder<Integer> recorder =
          subscribe(
              Flows.publisher(_ -> {
                throw failure;
              }),
              0);
      assertThat(recorder.failure).isSameAs(failure);
    });
  }

  @Test
  void producer_isCancelledByCancelInsideOnNext() {
    Heddle.run(() -> {
      Recorder<Integer> recorder =
          new Recorder<>(10) {
            @Override
            public void onNext(Integer item) {
              super.onNext(item);
              subscription.cancel();
            }
          };
      Flow.Publisher<Integer> publisher =
          Flows.publisher(out -> {
            out.send(1);
            out.send(2);
          });
      publisher.subscribe(recorder);
      settle();
      assertThat(recorder.log).containsExactly(1);
    });
  }

  @Test
  void send_ofAnotherCoroutine_isRefused() {
    Heddle.run(() -> {
      Recorder<Integer> recorder =
          subscribe(
              Flows.publisher(out -> Heddle.scope(s -> s.spawn(() -> out.send(1)).await())), 10);
      assertThat(recorder.failure)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("only the coroutine of the producer");
    });
  }

  // ---- a stream ----

  @Test
  void stream_emitsTheEventsAndCompletesWhenItIsClosed() {
    Heddle.run(() -> {
      Promise<Integer> promise = new Promise<>();
      EventStream<Integer> stream = EventStream.of(promise.future(), 4);
      Recorder<Integer> recorder = subscribe(Flows.publisher(stream), 1);
      assertThat(recorder.log).isEmpty();
      promise.complete(7);
      settle();
      assertThat(recorder.log).containsExactly(7);
      stream.close();
      settle();
      assertThat(recorder.log).containsExactly(7, "complete");
    });
  }

  @Test
  void stream_thatFails_failsItsSubscriberWithoutARequest() {
    Heddle.run(() -> {
      Promise<Integer> promise = new Promise<>();
      EventStream<Integer> stream = EventStream.of(promise.future(), 4);
      Recorder<Integer> recorder = subscribe(Flows.publisher(stream), 0);
      IllegalStateException failure = new IllegalStateException("for the test");
      promise.fail(failure);
      settle();
      assertThat(recorder.failure).isSameAs(failure);
      stream.close();
    });
  }

  @Test
  void stream_thatWasClosed_completesWithoutARequest() {
    Heddle.run(() -> {
      EventStream<Integer> stream = EventStream.of(new Promise<Integer>().future(), 4);
      stream.close();
      assertThat(subscribe(Flows.publisher(stream), 0).log).containsExactly("complete");
    });
  }

  @Test
  void stream_forASecondSubscriber_fails() {
    Heddle.run(() -> {
      EventStream<Integer> stream = EventStream.of(new Promise<Integer>().future(), 4);
      Flow.Publisher<Integer> publisher = Flows.publisher(stream);
      Recorder<Integer> one = subscribe(publisher, 1);
      Recorder<Integer> other = subscribe(publisher, 1);
      assertThat(other.failure).hasMessageContaining("another coroutine waits");
      stream.close();
      settle();
      assertThat(one.log).containsExactly("complete");
    });
  }

  @Test
  void stream_ofEventsWithoutAValue_fails() {
    Heddle.run(() -> {
      Trigger trigger = Heddle.trigger("t");
      EventStream<Object> stream = EventStream.of(trigger, 4);
      Recorder<Object> recorder = subscribe(Flows.publisher(stream), 1);
      trigger.fire();
      settle();
      assertThat(recorder.failure)
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("without a value");
      stream.close();
    });
  }

  @Test
  void arguments_areChecked() {
    Heddle.run(() -> {
      Flow.Publisher<Integer> publisher = Flows.publisher(channelOf());
      assertThatThrownBy(() -> publisher.subscribe(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> Flows.channel(publisher, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Flows.stream(publisher, 0))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }
}
