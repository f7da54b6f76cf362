// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.flow;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.EventStream;
import dev.heddle.flow.Flows;
import dev.heddle.sync.Channel;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;

/// The bridges, as the TCK wants them. TestNG runs each class; `TckTest` runs TestNG.
final class Verifications {
  /// The loop of all bridges here, until it is closed.
  static final Loop<?> LOOP =
      Loop.start(() -> Heddle.await(Heddle.trigger("the end of the tests")));

  // a long time to wait for what must come, so that a busy machine fails no test; a short one for
  // what must not come
  private static final long PATIENCE = 10_000;
  private static final long SILENCE = 50;

  private Verifications() {}

  private static TestEnvironment environment() {
    return new TestEnvironment(PATIENCE, SILENCE, SILENCE);
  }

  private static <T> T onLoop(Body<T> body) {
    return LOOP.submit(body).join();
  }

  private static Flow.Publisher<Integer> producer(long items) {
    return Flows.publisher(out -> {
      for (long i = 0; i < items; i++) {
        out.send((int) i);
      }
    });
  }

  private static Flow.Publisher<Integer> failing() {
    return onLoop(() ->
        Flows.publisher(_ -> {
          throw new IllegalStateException("for the test");
        }));
  }

  /// Public, as TestNG wants.
  public static final class OfProducer extends FlowPublisherVerification<Integer> {
    public OfProducer() {
      super(environment(), PATIENCE);
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long items) {
      return onLoop(() -> producer(items));
    }

    @Override
    public Flow.Publisher<Integer> createFailedFlowPublisher() {
      return failing();
    }
  }

  /// Public, as TestNG wants.
  public static final class OfChannel extends FlowPublisherVerification<Integer> {
    public OfChannel() {
      super(environment(), PATIENCE);
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long items) {
      return onLoop(() -> {
        Channel<Integer> channel = Channel.of(4);
        Scope.current()
            .launch(
                "sender",
                () -> {
                  for (long i = 0; i < items; i++) {
                    channel.send((int) i);
                  }
                  channel.close();
                });
        return Flows.publisher(channel);
      });
    }

    @Override
    public Flow.Publisher<Integer> createFailedFlowPublisher() {
      return onLoop(() -> {
        Channel<Integer> channel = Channel.of(4);
        channel.close(new IllegalStateException("for the test"));
        return Flows.publisher(channel);
      });
    }
  }

  /// Public, as TestNG wants.
  public static final class OfStream extends FlowPublisherVerification<Integer> {
    /// A stream loses what it has no room for. Of a test with more items than this, which needs
    /// them never to end, it gets the first ones.
    private static final int MOST = 1_000;

    public OfStream() {
      super(environment(), PATIENCE);
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long items) {
      return onLoop(
          () -> Flows.publisher(Flows.stream(items > MOST ? endless() : producer(items), MOST)));
    }

    private static Flow.Publisher<Integer> endless() {
      return Flows.publisher(out -> {
        for (int i = 0; i < MOST; i++) {
          out.send(i);
        }
        Heddle.await(Heddle.trigger("the end of the tests"));
      });
    }

    @Override
    public Flow.Publisher<Integer> createFailedFlowPublisher() {
      return onLoop(() -> {
        EventStream<Integer> stream =
            Flows.stream(
                Flows.<Integer>publisher(_ -> {
                  throw new IllegalStateException("for the test");
                }),
                1);
        return Flows.publisher(stream);
      });
    }
  }

  /// A subscriber of ours that the TCK plays the publisher of.
  private record Ours(Flow.Subscriber<Integer> subscriber, Channel<Integer> channel) {
    static Ours create() {
      return onLoop(() -> {
        AtomicReference<Flow.Subscriber<? super Integer>> made = new AtomicReference<>();
        Channel<Integer> channel = Flows.channel(into(made), 4);
        Scope.current()
            .launch(
                "receiver",
                () -> {
                  try {
                    channel.forEach(_ -> {});
                  } catch (RuntimeException _) {
                    // the TCK fails publishers
                  }
                });
        return new Ours(asSubscriber(made.get()), channel);
      });
    }
  }

  /// A publisher that keeps its subscriber for the TCK.
  private static Flow.Publisher<Integer> into(
      AtomicReference<Flow.Subscriber<? super Integer>> made) {
    return made::set;
  }

  @SuppressWarnings("unchecked") // whatever takes integers
  private static Flow.Subscriber<Integer> asSubscriber(Flow.Subscriber<? super Integer> made) {
    return (Flow.Subscriber<Integer>) made;
  }

  /// Public, as TestNG wants.
  public static final class ToChannel extends FlowSubscriberBlackboxVerification<Integer> {
    public ToChannel() {
      super(environment());
    }

    @Override
    public Flow.Subscriber<Integer> createFlowSubscriber() {
      return Ours.create().subscriber();
    }

    @Override
    public Integer createElement(int element) {
      return element;
    }
  }

  /// Public, as TestNG wants.
  public static final class ToStream extends FlowSubscriberBlackboxVerification<Integer> {
    public ToStream() {
      super(environment());
    }

    @Override
    public Flow.Subscriber<Integer> createFlowSubscriber() {
      return onLoop(() -> {
        AtomicReference<Flow.Subscriber<? super Integer>> made = new AtomicReference<>();
        EventStream<Integer> stream = Flows.stream(into(made), 4);
        Scope.current()
            .launch(
                "reader",
                () -> {
                  try {
                    stream.next();
                  } catch (RuntimeException _) {
                    // the TCK fails publishers
                  }
                });
        return asSubscriber(made.get());
      });
    }

    @Override
    public Integer createElement(int element) {
      return element;
    }
  }

  /// Public, as TestNG wants.
  public static final class ToChannelFromInside
      extends FlowSubscriberWhiteboxVerification<Integer> {
    public ToChannelFromInside() {
      super(environment());
    }

    @Override
    protected Flow.Subscriber<Integer> createFlowSubscriber(
        WhiteboxSubscriberProbe<Integer> probe) {
      return new Probed(Ours.create(), probe);
    }

    @Override
    public Integer createElement(int element) {
      return element;
    }

    /// Tells the probe what our subscriber is called with.
    private static final class Probed implements Flow.Subscriber<Integer> {
      private final Ours ours;
      private final WhiteboxSubscriberProbe<Integer> probe;
      private boolean subscribed;

      Probed(Ours ours, WhiteboxSubscriberProbe<Integer> probe) {
        this.ours = ours;
        this.probe = probe;
      }

      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        ours.subscriber().onSubscribe(subscription);
        if (subscribed) {
          return;
        }
        subscribed = true;
        probe.registerOnSubscribe(
            new SubscriberPuppet() {
              @Override
              public void triggerRequest(long items) {
                // it requests by itself, as its receiver receives
              }

              @Override
              public void signalCancel() {
                onLoop(() -> {
                  ours.channel().close();
                  return true;
                });
              }
            });
      }

      @Override
      public void onNext(Integer item) {
        ours.subscriber().onNext(item);
        probe.registerOnNext(item);
      }

      @Override
      public void onError(Throwable thrown) {
        ours.subscriber().onError(thrown);
        probe.registerOnError(thrown);
      }

      @Override
      public void onComplete() {
        ours.subscriber().onComplete();
        probe.registerOnComplete();
      }
    }
  }
}
