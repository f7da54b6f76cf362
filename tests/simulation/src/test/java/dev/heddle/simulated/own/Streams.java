// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.flow.Flows;
import dev.heddle.simulated.program.Threads;
import dev.heddle.sync.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Reactive streams between coroutines and threads.
final class Streams {
  private static final int ITEMS = 12;

  private final Random random = new Random();

  private Streams() {}

  // ---- from a channel to subscribers ----

  /// A channel with several subscribers, which subscribe, request and cancel on threads. Each item
  /// comes to one of them, or stays in the channel; each that does not cancel gets one end.
  static void publish(Threads threads) {
    new Streams().publishAll(threads);
  }

  private void publishAll(Threads threads) {
    Channel<Integer> channel = Channel.of(random.nextInt(3));
    List<Reader> readers = new ArrayList<>();
    List<Thread> all = new ArrayList<>();
    List<Integer> arrived = new ArrayList<>();
    Heddle.supervise(() -> {
      Flow.Publisher<Integer> publisher = Flows.publisher(channel);
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        Reader reader = new Reader(new Random(random.nextLong()));
        readers.add(reader);
        all.add(threads.start(() -> reader.read(publisher)));
      }
      var _ =
          Heddle.spawn(() -> {
            for (int i = 0; i < ITEMS; i++) {
              channel.send(i);
            }
            channel.close();
          });
      for (Thread thread : all) {
        thread.join();
      }
      for (Integer item : channel) {
        arrived.add(item);
      }
    });
    channel.cancel(arrived::add); // what subscribers that cancelled have left, or handed back
    readers.forEach(reader -> arrived.addAll(reader.received));
    arrived.sort(null);
    check(arrived.equals(IntStream.range(0, ITEMS).boxed().toList()), "arrived: " + arrived);
    readers.forEach(Reader::verify);
  }

  /// A subscriber on a thread.
  private static final class Reader implements Flow.Subscriber<Integer> {
    private final Random chance;
    private final Queue<Integer> received = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requested = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicReference<Flow.@Nullable Subscription> subscription =
        new AtomicReference<>();
    private volatile boolean cancels;
    private volatile @Nullable Throwable failure;

    private Reader(Random chance) {
      this.chance = chance;
      this.cancels = chance.nextInt(3) == 0;
    }

    private void read(Flow.Publisher<Integer> publisher) throws InterruptedException {
      publisher.subscribe(this);
      int rounds = cancels ? chance.nextInt(5) : Integer.MAX_VALUE;
      for (int i = 0; i < rounds && ends.get() == 0; i++) {
        Thread.sleep(0, 1 + chance.nextInt(200));
        Flow.Subscription from = subscription.get();
        if (from != null && requested.get() < 100) {
          int more = 1 + chance.nextInt(3);
          requested.addAndGet(more);
          from.request(more);
        }
      }
      Flow.Subscription from = subscription.get();
      if (cancels && from != null) {
        from.cancel();
      }
    }

    private void verify() {
      check(failure == null, "failed: " + failure);
      check(cancels || ends.get() == 1, "ends: " + ends);
      check(ends.get() <= 1, "ends: " + ends);
    }

    @Override
    public void onSubscribe(Flow.Subscription from) {
      check(inside.incrementAndGet() == 1, "two signals at a time");
      check(subscription.getAndSet(from) == null, "subscribed twice");
      inside.decrementAndGet();
    }

    @Override
    public void onNext(Integer item) {
      check(inside.incrementAndGet() == 1, "two signals at a time");
      received.add(item);
      check(received.size() <= requested.get(), "more than requested");
      check(ends.get() == 0, "an item after the end");
      inside.decrementAndGet();
    }

    @Override
    public void onError(Throwable thrown) {
      failure = thrown;
      ends.incrementAndGet();
    }

    @Override
    public void onComplete() {
      ends.incrementAndGet();
    }
  }

  // ---- from a publisher of threads to a channel ----

  /// A publisher of the JDK, whose items come on threads, as a channel. They come in order and all,
  /// unless the receiver closes the channel; then the subscription is cancelled.
  static void receive(Threads threads) {
    new Streams().receiveAll(threads);
  }

  private void receiveAll(Threads threads) {
    SubmissionPublisher<Integer> publisher =
        new SubmissionPublisher<>(task -> threads.start(task::run), 1 + random.nextInt(4));
    int stop = random.nextBoolean() ? ITEMS : random.nextInt(ITEMS);
    boolean fails = random.nextInt(3) == 0;
    List<Integer> received = new ArrayList<>();
    Heddle.supervise(() -> {
      Channel<Integer> channel = Flows.channel(publisher, 1 + random.nextInt(4));
      Thread sender =
          threads.start(() -> {
            for (int i = 0; i < ITEMS; i++) {
              int _ = publisher.submit(i);
              if (random.nextInt(3) == 0) {
                Thread.sleep(0, 1 + random.nextInt(100));
              }
            }
            if (fails) {
              publisher.closeExceptionally(new IllegalStateException("on purpose"));
            } else {
              publisher.close();
            }
          });
      try {
        while (received.size() < stop) {
          received.add(channel.receive());
        }
        if (stop == ITEMS) {
          received.add(channel.receive());
        } else {
          channel.cancel();
        }
      } catch (ChannelClosedException e) {
        check((e.getCause() != null) == fails, "closed by " + e);
        check(received.size() == ITEMS || fails, "closed after " + received);
      }
      sender.join();
      Heddle.delay(Duration.ofMillis(1));
      check(publisher.getNumberOfSubscribers() == 0, "a subscription is left");
    });
    check(
        received.equals(IntStream.range(0, received.size()).boxed().toList()),
        "out of order: " + received);
  }
}
