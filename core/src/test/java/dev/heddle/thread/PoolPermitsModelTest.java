// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of submitters that take permits and end their tasks, with deadlines, tokens and
/// cancellations at any step, and with renewals at any step. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Tag("loop-276")
@Timeout(300)
class PoolPermitsModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 6;
  private static final int STEPS = 10;
  private static final int MOST = 3;

  @Test
  void randomPrograms_keepTheNumber_theOrder_andForgetNoWaiter() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    int carried = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed);
      program.run();
      handedOn += program.handedOn;
      carried += program.carried;
    }
    // else the programs never met the window between woken and running
    assertThat(only != null || handedOn > PROGRAMS / 20).as("%s handed on", handedOn).isTrue();
    assertThat(only != null || carried > PROGRAMS / 20).as("%s carried over", carried).isTrue();
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait that it is in
    boolean inAcquire;
    int ticket; // when it began to wait
    final List<Integer> tasks = new ArrayList<>(); // the generation of each

    boolean isWaiting() {
      return inAcquire
          && coroutine instanceof CoroutineNode<?> node
          && node.status() == WakerStatus.WAITING;
    }

    boolean isWoken() {
      return inAcquire && !isWaiting();
    }
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();
    private int number; // of permits, since the last renewal
    private int limit; // the number, or more if more were granted before the renewal
    private int generation;
    private int tickets;
    private int lastServed = -1;
    private int handedOn;
    private int carried;
    private @Nullable Throwable failure; // of a supervised worker, which no coroutine awaits

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      try {
        VirtualTime.run(this::play);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }

    private void play() {
      number = 1 + random.nextInt(MOST);
      limit = number;
      PoolPermits permits =
          new PoolPermits(CoroutineNode.current().scheduler(), number, () -> "a permit");
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine = s.spawn(() -> live(worker, permits));
        }
        while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
          Heddle.delay(Duration.ofNanos(3)); // virtual: over when no other coroutine is ready
          atRest(permits);
        }
        return null;
      });
      if (failure != null) {
        throw new AssertionError("a worker failed", failure);
      }
      assertThat(permits.waiting()).as("left in the queue").isZero();
      assertThat(held()).isZero();
      for (int i = 0; i < number; i++) {
        assertThat(permits.tryAcquire()).as("permit %s of %s is free", i, number).isTrue();
      }
      assertThat(permits.tryAcquire()).as("more than %s permits", number).isFalse();
    }

    private int held() {
      return workers.stream()
          .mapToInt(w -> (int) w.tasks.stream().filter(of -> of == generation).count())
          .sum();
    }

    private boolean isAnyWaiting() {
      return workers.stream().anyMatch(Worker::isWaiting);
    }

    // if none was woken, a waiter has a reason to wait; if all wait, only a renewal helps
    private void atRest(PoolPermits permits) {
      if (failure == null && isAnyWaiting() && workers.stream().noneMatch(Worker::isWoken)) {
        assertThat(held()).as("one waits beside a free permit").isGreaterThanOrEqualTo(number);
        assertThat(permits.tryAcquire()).isFalse();
        renew(permits);
      }
    }

    private void live(Worker self, PoolPermits permits) {
      try {
        for (int step = 0; step < STEPS; step++) {
          act(self, permits);
          assertThat(held()).as("taken, of %s", number).isLessThanOrEqualTo(limit);
        }
      } catch (Cancellation c) {
        throw c;
      } catch (Throwable e) {
        failure = e;
        throw e;
      } finally {
        while (!self.tasks.isEmpty()) {
          endTask(self, permits);
        }
      }
    }

    private void act(Worker self, PoolPermits permits) {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> take(self, permits);
        case 4, 5 -> endTask(self, permits);
        case 6 -> interfere();
        case 7 -> {
          endTask(self, permits);
          interfere(); // in the window: the one that got the permit has not run
        }
        case 8 -> {
          endTask(self, permits);
          if (random.nextBoolean()) {
            renew(permits);
          }
        }
        case 9 -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
        default -> Heddle.yieldNow();
      }
    }

    private void take(Worker self, PoolPermits permits) {
      boolean waited = isAnyWaiting();
      if (permits.tryAcquire()) {
        assertThat(waited).as("a free permit beside a waiter").isFalse();
      } else {
        self.inAcquire = true;
        self.ticket = tickets++;
        try {
          acquire(self, permits);
        } catch (DeadlineException | WaitCancelledException _) {
          return;
        } finally {
          self.inAcquire = false;
          self.token = null;
        }
        assertThat(self.ticket).as("served in turn").isGreaterThan(lastServed);
        lastServed = self.ticket;
      }
      self.tasks.add(generation);
    }

    private void acquire(Worker self, PoolPermits permits) {
      CoroutineNode<?> node = CoroutineNode.current();
      switch (random.nextInt(3)) {
        case 0 -> permits.acquire(node, Deadline.never(), null);
        case 1 ->
            permits.acquire(node, Deadline.after(Duration.ofNanos(1 + random.nextInt(3))), null);
        default -> {
          self.token = new Promise<>();
          permits.acquire(node, Deadline.never(), EventSource.of(self.token.future()));
        }
      }
    }

    private void endTask(Worker self, PoolPermits permits) {
      if (!self.tasks.isEmpty() && self.tasks.removeFirst() == generation) {
        permits.release();
      }
    }

    private void renew(PoolPermits permits) {
      int woken = (int) workers.stream().filter(Worker::isWoken).count();
      number = 1 + random.nextInt(MOST);
      limit = Math.max(number, woken);
      carried += woken;
      generation++;
      permits.renew(number);
    }

    private void interfere() {
      Worker one = workers.get(random.nextInt(WORKERS));
      if (one.token != null && random.nextBoolean()) {
        handedOn += one.isWoken() ? 1 : 0;
        var _ = one.token.tryComplete("enough");
      } else if (random.nextInt(3) == 0 && one.coroutine != null) {
        handedOn += one.isWoken() ? 1 : 0;
        one.coroutine.cancel("by the program");
      }
    }
  }
}
