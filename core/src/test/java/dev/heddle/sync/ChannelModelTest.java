// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that send and receive, with and without waiting, with tokens,
/// deadlines, cancellations and a close at any step. Each item has a number, so that a ledger can
/// say where it is. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Tag("trap-4")
@Timeout(300)
class ChannelModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 6;
  private static final int STEPS = 8;

  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    int afterCancel = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed);
      program.run();
      handedOn += program.handedOn;
      afterCancel += program.sentThoughCancelled;
    }
    // else the programs never met the windows between woken and running
    assertThat(only != null || handedOn > PROGRAMS / 20).as("%s handed on", handedOn).isTrue();
    assertThat(only != null || afterCancel > PROGRAMS / 100).as("%s", afterCancel).isTrue();
  }

  private static final class Worker {
    final int number;
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    boolean cancelled;
    boolean waits;

    Worker(int number) {
      this.number = number;
    }
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Future<Integer>> futures = new ArrayList<>();
    private final int capacity;

    private int numbers;
    private final Set<Integer> sent = new HashSet<>(); // send() has returned
    private final Set<Integer> sending = new HashSet<>();
    private final Set<Integer> refused = new HashSet<>(); // send() has thrown, or returned false
    private final List<Integer> received = new ArrayList<>();
    int handedOn;
    int sentThoughCancelled;

    private @Nullable AssertionError broken; // of a worker: its supervised scope only reports it

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.capacity = (int) (seed % 4); // 3: without a limit
    }

    void run() {
      try {
        Heddle.run(this::play);
        if (broken != null) {
          throw broken;
        }
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }

    private void play() {
      Channel<Integer> channel = capacity == 3 ? Channel.unlimited() : Channel.of(capacity);
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker(i);
          workers.add(worker);
          worker.coroutine =
              s.spawn(() -> {
                live(worker, channel);
                return worker.number;
              });
        }
        for (Worker worker : workers) {
          // one that waits for ever is an error of the model, if the others are gone: so close
          while (!worker.coroutine.isDone()) {
            Heddle.yieldNow();
            if (workers.stream().allMatch(w -> w.coroutine.isDone() || w.waits)) {
              settle();
              if (workers.stream().allMatch(w -> w.coroutine.isDone() || w.waits)) {
                check(channel);
                checkNobodyIsForgotten(channel);
                channel.close();
                settle();
              }
            }
          }
        }
        return null;
      });
      channel.close();
      List<Integer> left = new ArrayList<>();
      channel.cancel(left::add);
      verify(left);
      assertThat(channel.info()).contains("0 sending, 0 receiving");
    }

    private static void settle() {
      for (int i = 0; i < 5; i++) {
        Heddle.yieldNow();
      }
    }

    private void live(Worker self, Channel<Integer> channel) {
      for (int step = 0; step < STEPS; step++) {
        try {
          act(self, channel);
        } catch (WaitCancelledException | DeadlineException | ChannelClosedException _) {
          // noted where it was thrown
        } catch (Cancellation e) {
          throw e;
        } catch (RuntimeException e) {
          broken = new AssertionError(e);
        }
        try {
          check(channel);
        } catch (AssertionError e) {
          broken = e;
        }
      }
    }

    private void act(Worker self, Channel<Integer> channel) {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3 -> send(self, channel);
        case 4, 5, 6, 7 -> receive(self, channel);
        case 8 -> trySend(channel);
        case 9 -> note(channel.tryReceive());
        case 10 -> fireToken();
        case 11 -> cancel(channel);
        case 12 -> receiveAsync(channel);
        default -> {
          Heddle.yieldNow();
          if (random.nextInt(20) == 0) {
            channel.close();
          }
        }
      }
    }

    private void send(Worker self, Channel<Integer> channel) {
      int item = numbers++;
      sending.add(item);
      self.waits = true;
      try {
        switch (random.nextInt(3)) {
          case 0 -> channel.send(item);
          case 1 -> channel.send(item, Deadline.after(Duration.ofNanos(1)));
          default -> channel.send(item, tokenOf(self));
        }
        sent.add(item);
        if (self.cancelled) {
          sentThoughCancelled++;
        }
      } catch (Throwable e) {
        refused.add(item);
        throw e;
      } finally {
        self.waits = false;
        sending.remove(item);
      }
    }

    private Future<String> tokenOf(Worker self) {
      Promise<String> token = new Promise<>();
      self.token = token;
      return token.future();
    }

    private void receive(Worker self, Channel<Integer> channel) {
      int before = channel.size();
      self.waits = true;
      try {
        note(
            switch (random.nextInt(3)) {
              case 0 -> channel.receive();
              case 1 -> channel.receive(Deadline.after(Duration.ofNanos(1)));
              default -> channel.receive(tokenOf(self));
            });
      } catch (Throwable e) {
        handedOn += channel.size() > before ? 1 : 0;
        throw e;
      } finally {
        self.waits = false;
      }
    }

    private void trySend(Channel<Integer> channel) {
      int item = numbers++;
      boolean done = false;
      try {
        done = channel.trySend(item);
      } finally {
        var _ = (done ? sent : refused).add(item);
      }
    }

    private void receiveAsync(Channel<Integer> channel) {
      Future<Integer> future = channel.receiveAsync().ignore();
      futures.add(future);
      if (random.nextInt(3) == 0 && !future.isDone()) {
        future.cancel("not needed");
      }
    }

    private void note(@Nullable Integer item) {
      if (item != null) {
        received.add(item);
      }
    }

    private void fireToken() {
      Worker one = workers.get(random.nextInt(workers.size()));
      Promise<String> token = one.token;
      if (token != null) {
        var _ = token.tryComplete("enough");
      }
    }

    private void cancel(Channel<Integer> channel) {
      Worker one = workers.get(random.nextInt(workers.size()));
      if (one.coroutine != null && random.nextInt(2) == 0) {
        if (random.nextBoolean()) {
          var _ = channel.trySend(noted());
        } else {
          note(channel.tryReceive());
        }
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      }
    }

    // sent by trySend, which may refuse it: verify() then finds it neither sent nor received
    private int noted() {
      int item = numbers++;
      sending.add(item);
      return item;
    }

    private void check(Channel<Integer> channel) {
      if (capacity != 3) {
        assertThat(channel.size())
            .as("seed %d: %s", seed, channel)
            .isLessThanOrEqualTo(capacity + WORKERS);
      }
      assertThat(new HashSet<>(received))
          .as("seed %d: received twice", seed)
          .hasSameSizeAs(received);
    }

    // all wait: with an item there would be no receiver, with room no sender, and never both
    private void checkNobodyIsForgotten(Channel<Integer> channel) {
      String info = channel.info();
      boolean sending = !info.contains(" 0 sending");
      boolean receiving = !info.contains(" 0 receiving");
      assertThat(receiving && !channel.isEmpty()).as("seed %d: %s", seed, info).isFalse();
      assertThat(sending && receiving).as("seed %d: %s", seed, info).isFalse();
      assertThat(sending && !channel.isFull()).as("seed %d: %s", seed, info).isFalse();
    }

    private void verify(List<Integer> left) {
      List<Integer> all = new ArrayList<>(received);
      all.addAll(left);
      for (Future<Integer> future : futures) {
        if (future.isDone() && future.failure() == null) {
          all.add(future.result());
        }
      }
      assertThat(all).as("seed %d: doubled", seed).doesNotHaveDuplicates();
      assertThat(all).as("seed %d: lost", seed).containsAll(sent);
      assertThat(all).as("seed %d: received though refused", seed).noneMatch(refused::contains);
    }
  }
}
