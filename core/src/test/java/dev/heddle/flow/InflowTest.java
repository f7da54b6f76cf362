// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.EventStream;
import dev.heddle.event.source.EventSource;
import dev.heddle.sync.Channel;
import dev.heddle.thread.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Publishers as channels and streams.
@Timeout(300)
class InflowTest {
  private final ManualPublisher<Integer> publisher = new ManualPublisher<>();

  /// Lets every coroutine that is ready run until it waits.
  private static void settle() {
    for (int i = 0; i < 20; i++) {
      Heddle.yieldNow();
    }
  }

  private void emit(int... items) {
    IntStream.of(items).forEach(publisher.subscriber::onNext);
    settle();
  }

  // ---- a channel ----

  @Test
  void channel_receivesInOrder_andEndsWithThePublisher() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 8);
      settle();
      emit(1, 2, 3);
      publisher.subscriber.onComplete();
      assertThat(channel.stream()).containsExactly(1, 2, 3);
      assertThat(publisher.cancelled).isFalse();
    });
  }

  @Test
  void channel_ofAPublisherThatFails_isClosedWithTheFailureBehindTheItems() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 8);
      settle();
      IllegalStateException failure = new IllegalStateException("for the test");
      emit(1);
      publisher.subscriber.onError(failure);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      assertThatThrownBy(channel::receive)
          .isInstanceOf(ChannelClosedException.class)
          .cause()
          .isSameAs(failure);
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 17})
  void channel_requestsAsItemsAreReceived_neverMoreThanPrefetch(int prefetch) {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, prefetch);
      int sent = 0;
      int received = 0;
      while (received < 100) {
        settle();
        assertThat(publisher.requested - received)
            .as("requested and not received, of %s", prefetch)
            .isBetween(1L, (long) prefetch);
        while (sent < publisher.requested) {
          publisher.subscriber.onNext(sent++);
        }
        settle();
        assertThat(channel.receive()).isEqualTo(received++);
      }
      channel.close();
    });
  }

  @Test
  void channel_requestsInBatches() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 32);
      settle();
      for (int i = 0; i < 160; i++) {
        publisher.subscriber.onNext(i);
        assertThat(channel.receive()).isEqualTo(i);
      }
      assertThat(publisher.requests).isLessThanOrEqualTo(1 + 160 / 8);
      channel.close();
    });
  }

  @Test
  void channel_thatIsClosed_cancelsAnIdlePublisher() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 8);
      settle();
      channel.close();
      settle();
      assertThat(publisher.cancelled).isTrue();
    });
  }

  @Test
  void channel_thatIsCancelledWhileItIsFull_cancelsThePublisher() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 4);
      settle();
      emit(1, 2);
      emit(3);
      List<Integer> left = new ArrayList<>();
      channel.cancel(left::add);
      settle();
      assertThat(left).containsExactly(1, 2);
      assertThat(publisher.cancelled).isTrue();
      publisher.subscriber.onNext(4); // 2.8: after the cancel, dropped
      settle();
    });
  }

  @Test
  void scope_thatEnds_cancelsThePublisherAndClosesTheChannel() {
    Heddle.run(() -> {
      Channel<Integer> channel = Heddle.scope(_ -> Flows.channel(publisher, 4));
      assertThat(publisher.cancelled).isTrue();
      Throwable thrown = catchThrowable(channel::receive);
      assertThat(thrown).isInstanceOf(ChannelClosedException.class);
      assertThat(thrown.getCause()).isInstanceOf(Cancellation.class);
    });
  }

  @Test
  void secondSubscription_isCancelled_andTheFirstGoesOn() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 4);
      ManualPublisher<Integer> second = new ManualPublisher<>();
      publisher.subscriber.onSubscribe(second);
      settle();
      assertThat(second.cancelled).isTrue();
      assertThat(second.requested).isZero();
      emit(1);
      assertThat(channel.receive()).isEqualTo(1);
      channel.close();
    });
  }

  @Test
  void subscription_thatComesAfterTheEnd_isCancelled() {
    Heddle.run(() -> {
      List<Flow.Subscriber<? super Integer>> late = new ArrayList<>();
      Channel<Integer> channel = Flows.channel(late::add, 4);
      settle();
      channel.close();
      settle();
      late.getFirst().onSubscribe(publisher);
      assertThat(publisher.cancelled).isTrue();
    });
  }

  @Test
  void publisher_thatSendsMoreThanRequested_isCancelledAndFailsTheChannel() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 2);
      settle();
      publisher.subscriber.onNext(1);
      publisher.subscriber.onNext(2);
      assertThat(publisher.cancelled).isTrue();
      assertThat(channel.receive()).isEqualTo(1);
      assertThatThrownBy(channel::receive)
          .cause()
          .hasMessageContaining("more items than were requested");
    });
  }

  @Test
  void publisher_thatThrowsFromRequest_failsTheChannel() {
    Heddle.run(() -> {
      IllegalStateException failure = new IllegalStateException("for the test");
      Flow.Publisher<Integer> broken =
          to ->
              to.onSubscribe(
                  new Flow.Subscription() {
                    @Override
                    public void request(long n) {
                      throw failure;
                    }

                    @Override
                    public void cancel() {}
                  });
      Channel<Integer> channel = Flows.channel(broken, 2);
      assertThatThrownBy(channel::receive).cause().isSameAs(failure);
    });
  }

  @Test
  void publisher_thatThrowsFromSubscribe_throwsToTheCaller() {
    Heddle.run(() -> {
      IllegalStateException failure = new IllegalStateException("for the test");
      assertThatThrownBy(() ->
              Flows.channel(
                  _ -> {
                    throw failure;
                  },
                  2))
          .isSameAs(failure);
    });
  }

  @Test
  void nulls_areRefused() {
    Heddle.run(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 2);
      Flow.Subscriber<? super Integer> to = publisher.subscriber;
      assertThatThrownBy(() -> to.onNext(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> to.onError(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> to.onSubscribe(null)).isInstanceOf(NullPointerException.class);
      channel.close();
    });
  }

  @Test
  void publisher_onOtherThreads_deliversEveryItem() {
    Heddle.run(() -> {
      @SuppressWarnings("resource") // the sender closes it
      SubmissionPublisher<Integer> threads = new SubmissionPublisher<>();
      Channel<Integer> channel = Flows.channel(threads, 16);
      Threads.start(
          "sender",
          () -> {
            IntStream.range(0, 10_000).forEach(threads::submit);
            threads.close();
            return null;
          });
      assertThat(channel.stream())
          .containsExactlyElementsOf(IntStream.range(0, 10_000).boxed().toList());
    });
  }

  @Test
  void channel_thereAndBack_keepsItemsAndFailure() {
    Heddle.run(() -> {
      Channel<Integer> from = Channel.unlimited();
      IntStream.range(0, 100).forEach(from::send);
      IllegalStateException failure = new IllegalStateException("for the test");
      from.close(failure);
      Channel<Integer> to = Flows.channel(Flows.publisher(from), 7);
      for (int i = 0; i < 100; i++) {
        assertThat(to.receive()).isEqualTo(i);
      }
      assertThatThrownBy(to::receive).cause().isSameAs(failure);
    });
  }

  // ---- errors, and publishers that break the rules ----

  /// A channel's inflow that fails where the test says.
  private static final class Failing extends Inflow<Integer> {
    final Channel<Integer> channel = Channel.of(0);
    private final Error inDeliver;

    Failing(Error inQueue, Error inDeliver) {
      super(
          "a failing inflow",
          4,
          new ConcurrentLinkedQueue<>() {
            @Override
            public boolean add(Integer item) {
              throwIfAny(inQueue);
              return super.add(item);
            }
          });
      this.inDeliver = inDeliver;
    }

    private static void throwIfAny(Error error) {
      if (error != null) {
        throw error;
      }
    }

    @Override
    void deliver(Integer item) {
      throwIfAny(inDeliver);
      channel.send(item);
    }

    @Override
    void finish(Throwable why) {
      channel.close(why);
    }

    @Override
    boolean isUnwanted() {
      return channel.isClosed();
    }

    @Override
    EventSource closed() {
      return EventSource.of(channel.closed());
    }
  }

  @Test
  void error_whileAnItemIsQueued_failsTheReceiversAndCancelsThePublisher() {
    AssertionError error = new AssertionError("for the test");
    Heddle.run(() -> {
      Failing inflow = new Failing(error, null);
      inflow.begin(publisher);
      settle();
      publisher.subscriber.onNext(1); // does not throw (2.13)
      assertThat(publisher.cancelled).isTrue();
      assertThatThrownBy(inflow.channel::receive).cause().isSameAs(error);
    });
  }

  @Test
  void error_whileAnItemIsHandedOver_failsTheReceiversAndCancelsThePublisher() {
    AssertionError error = new AssertionError("for the test");
    Heddle.run(() -> {
      Failing inflow = new Failing(null, error);
      inflow.begin(publisher);
      settle();
      publisher.subscriber.onNext(1);
      assertThatThrownBy(inflow.channel::receive).cause().isSameAs(error);
      assertThat(publisher.cancelled).isTrue();
    });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("trap-23")
  void outOfMemory_whileAnItemComes_endsTheLoopAndCancelsThePublisher(boolean queued) {
    OutOfMemoryError error = new OutOfMemoryError("as if");
    try (Reports _ = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(() -> {
                Failing inflow = new Failing(queued ? error : null, queued ? null : error);
                inflow.begin(publisher);
                settle();
                publisher.subscriber.onNext(1);
                inflow.channel.receive();
              }))
          .isSameAs(error);
    }
    assertThat(publisher.cancelled).isTrue();
  }

  @Test
  void publisher_thatSendsBeforeItsSubscription_isCancelled() {
    Heddle.run(() -> {
      Channel<Integer> channel =
          Flows.channel(
              to -> {
                to.onNext(1);
                to.onSubscribe(publisher);
              },
              4);
      assertThatThrownBy(channel::receive)
          .cause()
          .hasMessageContaining("more items than were requested");
      assertThat(publisher.cancelled).isTrue();
    });
  }

  @Test
  void secondSubscription_thatThrowsAsItIsCancelled_isLogged_andTheFirstGoesOn() {
    IllegalStateException failure = new IllegalStateException("for the test");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Flows.channel(publisher, 4);
        publisher.subscriber.onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long n) {}

              @Override
              public void cancel() {
                throw failure;
              }
            });
        settle();
        emit(1);
        assertThat(channel.receive()).isEqualTo(1);
        channel.close();
      });
      assertThat(reports.failures()).containsOnlyOnce(failure);
    }
  }

  @Test
  void publisher_thatThrowsAsItIsCancelled_isLogged_andTheReceiversAreTold() {
    IllegalStateException failure = new IllegalStateException("for the test");
    Flow.Publisher<Integer> broken =
        to ->
            to.onSubscribe(
                new Flow.Subscription() {
                  @Override
                  public void request(long n) {}

                  @Override
                  public void cancel() {
                    throw failure;
                  }
                });
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Heddle.scope(_ -> Flows.channel(broken, 4));
        assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
      });
      assertThat(reports.failures()).containsOnlyOnce(failure);
    }
  }

  @Test
  @Tag("T18")
  void loop_thatEndsWithoutTheCoroutineOfAChannel_cancelsThePublisher() throws Exception {
    Semaphore never = new Semaphore(0);
    CountDownLatch cancelled = new CountDownLatch(1);
    Flow.Publisher<Integer> stuck =
        to ->
            to.onSubscribe(
                new Flow.Subscription() {
                  @Override
                  public void request(long n) {
                    never.acquireUninterruptibly();
                  }

                  @Override
                  public void cancel() {
                    cancelled.countDown();
                  }
                });
    try (Reports _ = new Reports()) {
      Heddle.run(
          HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(1)),
          () -> {
            Flows.channel(stuck, 4);
            settle();
            Heddle.shutdown(Duration.ofMillis(1));
          });
      cancelled.await();
    } finally {
      never.release();
    }
  }

  // ---- a stream ----

  @Test
  void stream_readsTheItems_andEndsWithThePublisher() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 4);
      settle();
      emit(1, 2);
      publisher.subscriber.onComplete();
      settle();
      List<Integer> read = new ArrayList<>();
      stream.forEach(read::add);
      assertThat(read).containsExactly(1, 2);
      assertThat(publisher.cancelled).isFalse();
    });
  }

  @Test
  void stream_thatIsFull_losesItemsAndSaysSo() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 2);
      settle();
      for (int i = 1; i <= 5; i++) {
        emit(i);
      }
      assertThat(stream.next()).isEqualTo(1);
      assertThat(stream.next()).isEqualTo(2);
      assertThatThrownBy(stream::next)
          .isInstanceOfSatisfying(
              EventsLostException.class, e -> assertThat(e.count()).isEqualTo(3));
      stream.close();
    });
  }

  @Test
  void stream_ofAPublisherThatFails_failsBehindTheItems() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 2);
      settle();
      IllegalStateException failure = new IllegalStateException("for the test");
      emit(1);
      publisher.subscriber.onError(failure);
      settle();
      assertThat(stream.next()).isEqualTo(1);
      assertThatThrownBy(stream::next).isSameAs(failure);
      stream.close();
    });
  }

  @Test
  void stream_thatIsClosed_cancelsThePublisher() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 2);
      settle();
      stream.close();
      settle();
      assertThat(publisher.cancelled).isTrue();
    });
  }

  @Test
  void stream_ofAPublisherThatFailsWithLostEvents_ends() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 2);
      settle();
      EventsLostException lost = new EventsLostException("for the test", 3);
      emit(1);
      publisher.subscriber.onError(lost);
      settle();
      assertThat(stream.next()).isEqualTo(1);
      assertThatThrownBy(stream::next).isSameAs(lost);
      assertThat(stream.iterator().hasNext()).isFalse();
    });
  }

  @Test
  void stream_thatIsClosedAfterThePublisherHasCompleted_dropsWhatIsLeft() {
    Heddle.run(() -> {
      EventStream<Integer> stream = Flows.stream(publisher, 2);
      settle();
      emit(1);
      publisher.subscriber.onComplete();
      settle();
      stream.close();
      stream.close();
      assertThat(stream.size()).isZero();
      assertThat(stream.iterator().hasNext()).isFalse();
      assertThat(publisher.cancelled).isFalse();
    });
  }

  @Test
  void stream_thatIsClosedAfterItsScope_isQuiet() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        EventStream<Integer> stream = Heddle.scope(_ -> Flows.stream(publisher, 2));
        stream.close();
        stream.close();
      });
      assertThat(reports.messages()).noneMatch(m -> m.contains("a publisher"));
    }
    assertThat(publisher.cancelled).isTrue();
  }

  @Test
  void stream_thatIsClosedAfterTheLoop_doesNothing() {
    EventStream<Integer> stream = Heddle.run(() -> Flows.stream(publisher, 2));
    assertThat(publisher.cancelled).isTrue();
    stream.close();
    assertThat(stream.size()).isZero();
  }
}
