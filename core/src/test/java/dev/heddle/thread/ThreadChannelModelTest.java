// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.LoopGroup;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.sync.ChannelPipe;
import dev.heddle.sync.ChannelProgram;
import dev.heddle.sync.ChannelProgram.End;
import dev.heddle.sync.ChannelProgram.Met;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs ([ChannelProgram]) of the coroutines of one loop, so that `-Dheddle.seed=N`
/// repeats one. Then two loops and threads at the same time. Each item has a number, so that a
/// ledger can say where it is.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Tag("trap-4")
@Tag("loop-278")
@Timeout(300)
class ThreadChannelModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int ROUNDS = 60; // of threads

  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    Met met = new Met();
    for (long seed = first; seed < last; seed++) {
      int capacity = 1 + (int) (seed % 3);
      ChannelProgram.run(seed, End.CLOSE, () -> new Real(capacity), met);
    }
    if (only == null) {
      verifyNotVacuous(met);
    }
  }

  private static void verifyNotVacuous(Met met) {
    assertThat(met.handedOn).as("handed on").isGreaterThan(PROGRAMS / 20);
    assertThat(met.sentThoughEnded).as("sent though ended").isGreaterThan(PROGRAMS / 50);
    assertThat(met.ordered).as("ordered").isGreaterThan(PROGRAMS / 10);
    assertThat(met.stuck).as("stuck").isGreaterThan(PROGRAMS / 10);
    assertThat(met.stopped).as("stopped").isGreaterThan(PROGRAMS / 50);
    assertThat(met.cancelledWithGiven).as("cancelled with given").isGreaterThan(PROGRAMS / 1000);
    assertThat(met.beyond).as("beyond the capacity").isPositive();
  }

  /// How often one of the two sides is served while its wait ends otherwise cannot be decided here:
  /// nothing may be lost whichever comes first.
  @Test
  @Tag("trap-1")
  void loopsAndThreads_loseNothingAndDoubleNothing() throws Exception {
    for (long seed = 0; seed < ROUNDS; seed++) {
      new Crossing(seed).run();
    }
  }

  private static final class Crossing {
    private static final int SENDERS = 3;
    private static final int ITEMS = 200; // for each sender
    private final long seed;
    private final boolean impatient; // receivers with deadlines
    private final ThreadChannel<Integer> channel;
    private final Set<Integer> sent = ConcurrentHashMap.newKeySet();
    private final Queue<Integer> received = new ConcurrentLinkedQueue<>();
    private final List<List<Integer>> orders = new CopyOnWriteArrayList<>();

    Crossing(long seed) {
      this.seed = seed;
      this.impatient = seed % 2 == 0;
      this.channel = ThreadChannel.of(1 + (int) (seed % 5));
    }

    void run() throws Exception {
      try (LoopGroup group = LoopGroup.start(2);
          ExecutorService threads =
              Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
        ExecutorService[] homes = {group.loop(0).executor(), group.loop(1).executor(), threads};
        List<java.util.concurrent.Future<?>> sending = new ArrayList<>();
        List<java.util.concurrent.Future<?>> receiving = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
          int number = i;
          sending.add(homes[i].submit(() -> send(number)));
          receiving.add(homes[i].submit(() -> receive(number)));
        }
        for (var each : sending) {
          each.get();
        }
        channel.close();
        for (var each : receiving) {
          each.get();
        }
      }
      assertThat(received).as("seed %d", seed).doesNotHaveDuplicates().containsAll(sent);
      assertThat(sent).as("seed %d: received though not sent", seed).containsAll(received);
      assertThat(channel.info()).endsWith("0 sending, 0 receiving, closed");
      if (!impatient) { // else items are handed on to receivers that have later ones
        orders.forEach(this::verifyOrder);
      }
    }

    private void verifyOrder(List<Integer> order) {
      for (int sender = 0; sender < SENDERS; sender++) {
        int of = sender;
        assertThat(order.stream().filter(n -> n % SENDERS == of).toList())
            .as("seed %d: the items of a sender, at one receiver", seed)
            .isSorted();
      }
    }

    private void send(int number) {
      Random random = new Random(seed * 31 + number);
      for (int i = 0; i < ITEMS; i++) {
        int item = i * SENDERS + number;
        try {
          if (random.nextInt(4) == 0) {
            channel.send(item, Deadline.after(Duration.ofNanos(1 + random.nextInt(50_000))));
          } else {
            channel.send(item);
          }
          sent.add(item);
        } catch (DeadlineException _) {
          // not sent
        }
      }
    }

    private void receive(int number) {
      Random random = new Random(seed * 37 + number);
      List<Integer> mine = new ArrayList<>();
      orders.add(mine);
      try {
        while (true) {
          receiveOne(random, mine);
        }
      } catch (ChannelClosedException _) {
        // all are done
      }
    }

    private void receiveOne(Random random, List<Integer> mine) {
      try {
        int item =
            impatient && random.nextInt(4) == 0
                ? channel.receive(Deadline.after(Duration.ofNanos(1 + random.nextInt(50_000))))
                : channel.receive();
        mine.add(item);
        received.add(item);
      } catch (DeadlineException _) {
        // none was received
      }
    }
  }

  private static final class Real implements ChannelPipe {
    private static final Pattern QUEUES = Pattern.compile(" (\\d+) sending, (\\d+) receiving");
    private final ThreadChannel<Integer> channel;

    Real(int capacity) {
      this.channel = ThreadChannel.of(capacity);
    }

    @Override
    public void send(int item) {
      channel.send(item);
    }

    @Override
    public void send(int item, Deadline deadline) {
      channel.send(item, deadline);
    }

    @Override
    public void send(int item, Awaitable<?> token) {
      channel.send(item, token);
    }

    @Override
    public int receive() {
      return channel.receive();
    }

    @Override
    public int receive(Deadline deadline) {
      return channel.receive(deadline);
    }

    @Override
    public int receive(Awaitable<?> token) {
      return channel.receive(token);
    }

    @Override
    public boolean trySend(int item) {
      return channel.trySend(item);
    }

    @Override
    public @Nullable Integer tryReceive() {
      return channel.tryReceive();
    }

    @Override
    public void close() {
      channel.close();
    }

    @Override
    public void cancel(Consumer<Integer> leftover) {
      channel.cancel(leftover);
    }

    @Override
    public boolean isClosed() {
      return channel.isClosed();
    }

    @Override
    public int size() {
      return channel.size();
    }

    @Override
    public int limit() {
      return channel.capacity();
    }

    @Override
    public boolean hasSender() {
      return queued(1) > 0;
    }

    @Override
    public boolean hasReceiver() {
      return queued(2) > 0;
    }

    private int queued(int group) {
      Matcher queues = QUEUES.matcher(channel.info());
      assertThat(queues.find()).as(channel.info()).isTrue();
      return Integer.parseInt(queues.group(group));
    }

    @Override
    public boolean servesThoseThatLeave() {
      return true;
    }

    @Override
    public String info() {
      return channel.info();
    }
  }
}
