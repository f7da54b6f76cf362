// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that acquire and release different numbers of permits, with and
/// without waiting, with tokens, deadlines, cancellations of one and of all at any step. A ledger
/// says how many permits exist, and tickets say whose turn it is. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Timeout(300)
class SemaphoreModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 6;
  private static final int STEPS = 10;
  private static final int MOST = 3; // permits at once

  @Test
  void randomPrograms_loseNoPermitAndForgetNoWaiter() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int givenOn = 0;
    for (long seed = first; seed < last; seed++) {
      givenOn += new Program(seed).run();
    }
    // else the programs never met the window between woken and running
    assertThat(only != null || givenOn > PROGRAMS / 20).as("%s given on", givenOn).isTrue();
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    int wants; // 0: it is not in acquire()
    int ticket; // when it began to wait
    int holds;
    boolean cancelled;

    /// Whether it waits, and nothing has woken it yet.
    boolean isWaiting() {
      return wants > 0
          && coroutine instanceof CoroutineNode<?> node
          && node.status() == WakerStatus.WAITING;
    }
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();
    private int total; // permits that exist
    private int tickets;
    private int lastServed = -1; // its ticket
    private int givenOn;
    private @Nullable Throwable broken; // what a supervised worker did not expect

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    int run() {
      try {
        VirtualTime.run(this::play);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
      return givenOn;
    }

    private void play() {
      total = random.nextInt(MOST + 1);
      Semaphore semaphore = new Semaphore(total);
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine = s.spawn(() -> live(worker, semaphore));
        }
        while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
          Heddle.delay(Duration.ofNanos(3)); // virtual: over when no other coroutine is ready
          atRest(semaphore);
        }
        return null;
      });
      assertThat(broken).isNull();
      assertThat(semaphore.waiting()).as("left in the queue").isZero();
      assertThat(semaphore.availablePermits()).as("free at the end").isEqualTo(total);
    }

    // nobody runs: the oldest waiter wants more than there is; it gets it
    private void atRest(Semaphore semaphore) {
      assertThat(broken).isNull();
      check(semaphore);
      int missing =
          workers.stream()
              .filter(Worker::isWaiting)
              .min(Comparator.comparingInt(w -> w.ticket))
              .map(w -> w.wants - semaphore.availablePermits())
              .orElse(0);
      if (missing > 0) {
        total += missing;
        semaphore.release(missing);
      }
    }

    private void live(Worker self, Semaphore semaphore) {
      try {
        for (int step = 0; step < STEPS; step++) {
          act(self, semaphore);
          check(semaphore);
        }
      } catch (Throwable e) {
        boolean expected = e instanceof Cancellation && self.cancelled;
        broken = expected || broken != null ? broken : e;
        throw e;
      } finally {
        if (self.holds > 0) {
          release(self, semaphore, self.holds);
        }
      }
    }

    private void act(Worker self, Semaphore semaphore) {
      int permits = 1 + random.nextInt(MOST);
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> acquire(self, semaphore, permits);
        case 4 -> tryAcquire(self, semaphore, permits);
        case 5, 6 -> release(self, semaphore, Math.min(permits, self.holds));
        case 7 -> interfere();
        case 8 -> {
          release(self, semaphore, self.holds);
          interfere(); // in the window: those that got the permits have not run
        }
        case 9 -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
        default -> Heddle.yieldNow();
      }
    }

    private void acquire(Worker self, Semaphore semaphore, int permits) {
      boolean atOnce = noneWaits() && semaphore.availablePermits() >= permits;
      self.wants = permits;
      self.ticket = tickets++;
      int freeBefore = semaphore.availablePermits();
      try {
        switch (random.nextInt(3)) {
          case 0 -> semaphore.acquire(permits);
          case 1 ->
              semaphore.acquire(permits, Deadline.after(Duration.ofNanos(1 + random.nextInt(3))));
          default -> {
            self.token = new Promise<>();
            semaphore.acquire(permits, self.token.future());
          }
        }
        if (atOnce) {
          assertThat(semaphore.availablePermits()).isEqualTo(freeBefore - permits);
        } else {
          assertThat(self.ticket).as("served in turn").isGreaterThan(lastServed);
          lastServed = self.ticket;
        }
        self.holds += permits;
      } catch (DeadlineException | WaitCancelledException e) {
        assertThat(atOnce).as("thrown though it did not have to wait: %s", e).isFalse();
      } finally {
        self.wants = 0;
        self.token = null;
      }
    }

    private boolean noneWaits() {
      return workers.stream().noneMatch(Worker::isWaiting);
    }

    private void tryAcquire(Worker self, Semaphore semaphore, int permits) {
      boolean possible = noneWaits() && semaphore.availablePermits() >= permits;
      assertThat(semaphore.tryAcquire(permits)).as("tryAcquire(%s)", permits).isEqualTo(possible);
      self.holds += possible ? permits : 0;
    }

    private void release(Worker self, Semaphore semaphore, int permits) {
      if (permits > 0) {
        self.holds -= permits;
        semaphore.release(permits);
      }
    }

    private void interfere() {
      int whom = random.nextInt(WORKERS + 1);
      if (whom == WORKERS) {
        if (random.nextInt(10) == 0) {
          workers.forEach(w -> cancel(w));
        }
        return;
      }
      Worker one = workers.get(whom);
      if (one.token != null && random.nextBoolean()) {
        noteServed(one);
        var _ = one.token.tryComplete("enough");
      } else if (random.nextInt(3) == 0) {
        cancel(one);
      }
    }

    private void cancel(Worker one) {
      noteServed(one);
      if (one.coroutine != null) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      }
    }

    private void noteServed(Worker one) {
      givenOn += one.wants > 0 && !one.isWaiting() ? 1 : 0;
    }

    private void check(Semaphore semaphore) {
      int held = workers.stream().mapToInt(w -> w.holds).sum();
      boolean allWait = workers.stream().allMatch(w -> w.wants == 0 || w.isWaiting());
      assertThat(semaphore.availablePermits()).as("free").isBetween(0, total - held);
      if (allWait) { // none was served and has not run
        assertThat(semaphore.availablePermits() + held).as("permits").isEqualTo(total);
        workers.stream()
            .filter(Worker::isWaiting)
            .min(Comparator.comparingInt(w -> w.ticket))
            .ifPresent(
                oldest -> assertThat(oldest.wants).isGreaterThan(semaphore.availablePermits()));
      }
    }
  }

  @Test
  void shutdown_atAnyStep_endsEveryWaiter() {
    for (int step = 0; step < 40; step++) {
      int stop = step;
      int[] ended = new int[1];
      VirtualTime.run(() -> {
        Semaphore semaphore = new Semaphore(1);
        for (int i = 0; i < 4; i++) {
          Heddle.launch(
              "worker",
              () -> {
                try {
                  useSixTimes(semaphore);
                } catch (Cancellation _) {
                  // by the shutdown
                } finally {
                  ended[0]++;
                }
              });
        }
        for (int i = 0; i < stop; i++) {
          Heddle.yieldNow();
        }
        Heddle.shutdown(Duration.ofSeconds(1));
      });
      // those that had not started are dropped
      assertThat(ended[0]).as("step %s", stop).isEqualTo(stop == 0 ? 0 : 4);
    }
  }

  private static void useSixTimes(Semaphore semaphore) {
    for (int round = 0; round < 6; round++) {
      semaphore.withPermit(Heddle::yieldNow);
    }
  }
}
