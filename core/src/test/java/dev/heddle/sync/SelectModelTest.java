// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
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

/// Random programs of coroutines that select among receives, sends, a lock, a promise and a timer,
/// beside others that send, receive and lock, while some are cancelled. Each item has a number, so
/// that a ledger can say where it is. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-4")
@Tag("trap-7")
@Timeout(300)
class SelectModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 5;
  private static final int STEPS = 6;

  @Test
  void randomPrograms_performOneBranchAndLoseNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int cancelled = 0;
    int[] performed = new int[Kind.values().length];
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed);
      program.run();
      cancelled += program.cancelledSelects;
      for (int i = 0; i < performed.length; i++) {
        performed[i] += program.performed[i];
      }
    }
    // else the programs never met what they are to show
    assertThat(only != null || cancelled > PROGRAMS / 10).as("%s cancelled", cancelled).isTrue();
    for (Kind kind : Kind.values()) {
      int times = performed[kind.ordinal()];
      assertThat(only != null || times > PROGRAMS / 100).as("%s: %s", kind, times).isTrue();
    }
  }

  private enum Kind {
    RECEIVE,
    SEND,
    LOCK,
    PROMISE,
    TIMER,
    OTHERWISE
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final List<Coroutine<?>> workers = new ArrayList<>();
    private final Set<Coroutine<?>> waiting = new HashSet<>();
    private final List<Channel<Integer>> channels = new ArrayList<>();
    private final List<Integer> received = new ArrayList<>();
    private final Set<Integer> sent = new HashSet<>();
    private final Set<Integer> refused = new HashSet<>();
    private @Nullable Mutex mutex;
    private @Nullable Promise<String> promise;
    private int numbers;
    private int holders;
    private int code; // runs of the code of branches, during one select
    int cancelledSelects;
    final int[] performed = new int[Kind.values().length];

    private @Nullable AssertionError broken; // of a worker: its supervised scope only reports it

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
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
      Mutex lock = new Mutex();
      mutex = lock;
      promise = freshPromise();
      for (int capacity = 0; capacity < 3; capacity++) {
        channels.add(Channel.of(capacity));
      }
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          workers.add(s.spawn(() -> live(lock)));
        }
        while (!workers.stream().allMatch(Coroutine::isDone)) {
          Heddle.yieldNow();
          if (areStuck()) {
            settle();
            if (areStuck()) {
              channels.forEach(this::checkNobodyIsForgotten);
              channels.forEach(Channel::close);
              complete();
            }
          }
        }
        return null;
      });
      verify(lock);
    }

    private boolean areStuck() {
      return workers.stream().allMatch(w -> w.isDone() || waiting.contains(w));
    }

    private void checkNobodyIsForgotten(Channel<Integer> channel) {
      String info = channel.info();
      boolean sending = !info.contains(" 0 sending");
      boolean receiving = !info.contains(" 0 receiving");
      assertThat(receiving && !channel.isEmpty()).as("seed %d: %s", seed, info).isFalse();
      assertThat(sending && !channel.isFull()).as("seed %d: %s", seed, info).isFalse();
    }

    private static void settle() {
      for (int i = 0; i < 5; i++) {
        Heddle.yieldNow();
      }
    }

    private boolean live(Mutex lock) {
      for (int step = 0; step < STEPS; step++) {
        waiting.add(Heddle.current());
        try {
          act(lock);
        } catch (ChannelClosedException _) {
          Heddle.yieldNow(); // noted where it was thrown
        } catch (Cancellation e) {
          throw e;
        } catch (RuntimeException | AssertionError e) {
          broken = new AssertionError(e);
          throw e;
        } finally {
          waiting.remove(Heddle.current());
        }
      }
      return true;
    }

    private void act(Mutex lock) {
      switch (random.nextInt(12)) {
        case 0 -> send(any(channels));
        case 1 -> received.add(any(channels).receive());
        case 2 -> hold(lock);
        case 3 -> any(workers).cancel("by the program");
        case 4 -> complete();
        case 5 -> Heddle.yieldNow();
        default -> select(lock);
      }
    }

    private <E> E any(List<E> list) {
      return list.get(random.nextInt(list.size()));
    }

    private void complete() {
      Promise<String> open = promise;
      if (open != null && open.tryComplete("done") && random.nextInt(4) > 0) {
        promise = freshPromise();
      }
    }

    private static Promise<String> freshPromise() {
      Promise<String> fresh = new Promise<>();
      fresh.future().ignore();
      return fresh;
    }

    private void send(Channel<Integer> channel) {
      int item = numbers++;
      try {
        channel.send(item);
        sent.add(item);
      } catch (Throwable e) {
        refused.add(item);
        throw e;
      }
    }

    private void hold(Mutex lock) {
      lock.lock();
      release(lock);
    }

    private void release(Mutex lock) {
      assertThat(++holders).as("seed %d: holders", seed).isEqualTo(1);
      try {
        Heddle.yieldNow();
      } finally {
        holders--;
        lock.unlock();
      }
    }

    private void select(Mutex lock) {
      Select<Kind> select = Select.create();
      List<Integer> offered = new ArrayList<>();
      List<Integer> taken = new ArrayList<>();
      int branches = 1 + random.nextInt(4);
      for (int i = 0; i < branches; i++) {
        add(select, lock, offered, taken);
      }
      if (random.nextBoolean()) {
        select.fair();
      }
      int before = code;
      try {
        Kind kind =
            random.nextInt(5) == 0
                ? select.awaitNow(() -> performed(Kind.OTHERWISE))
                : select.await();
        performed[kind.ordinal()]++;
        assertThat(taken.size()).as("seed %d: %s", seed, kind).isEqualTo(isSend(kind) ? 1 : 0);
        if (kind == Kind.LOCK) {
          release(lock);
        }
      } catch (Cancellation e) {
        cancelledSelects += code == before ? 1 : 0;
        throw e;
      } finally {
        sent.addAll(taken);
        offered.removeAll(taken);
        refused.addAll(offered);
      }
    }

    private static boolean isSend(Kind kind) {
      return kind == Kind.SEND;
    }

    private Kind performed(Kind kind) {
      code++;
      return kind;
    }

    private void add(Select<Kind> select, Mutex lock, List<Integer> offered, List<Integer> taken) {
      switch (random.nextInt(7)) {
        case 0, 1 -> {
          int item = numbers++;
          offered.add(item);
          select.onSend(
              any(channels),
              item,
              () -> {
                taken.add(item);
                return performed(Kind.SEND);
              });
        }
        case 2 -> select.onLock(lock, () -> performed(Kind.LOCK));
        case 3 -> select.onAwait(promise.future(), _ -> performed(Kind.PROMISE));
        case 4 -> select.onAwait(Heddle.timer(Duration.ofNanos(1)), _ -> performed(Kind.TIMER));
        default ->
            select.onReceive(
                any(channels),
                item -> {
                  received.add(item);
                  return performed(Kind.RECEIVE);
                });
      }
    }

    private void verify(Mutex lock) {
      List<Integer> all = new ArrayList<>(received);
      for (Channel<Integer> channel : channels) {
        assertThat(channel.info()).as("seed %d", seed).contains("0 sending, 0 receiving");
        channel.cancel(all::add);
      }
      assertThat(lock.isLocked()).as("seed %d: locked", seed).isFalse();
      assertThat(all).as("seed %d: doubled", seed).doesNotHaveDuplicates();
      assertThat(all).as("seed %d: lost", seed).containsAll(sent);
      assertThat(all).as("seed %d: received though refused", seed).noneMatch(refused::contains);
    }
  }
}
