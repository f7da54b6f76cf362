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

/// Random programs of waiters with tokens, deadlines and cancellations: the rate is never exceeded,
/// the order is that of arrival, no permit is lost, and no waiter is forgotten. `-Dheddle.seed=N`
/// repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Timeout(300)
class RateLimiterModelTest {
  private static final int PROGRAMS = 10_000;

  @Test
  void randomPrograms_keepTheRateAndTheOrder() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    int waited = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(new Random(seed));
      try {
        VirtualTime.run(program::play);
        program.verifyRate();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
      handedOn += program.handedOn;
      waited += program.waited;
    }
    // else the programs never met the window between woken and running
    if (only == null) {
      assertThat(handedOn).as("left as they were woken").isGreaterThan(PROGRAMS / 100);
      assertThat(waited).as("served after a wait").isGreaterThan(PROGRAMS);
    }
  }

  private static long now() {
    return CoroutineNode.current().scheduler().nanoTime();
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    int wants; // 0: it is not in acquire()
    int ticket; // when it began to wait
    boolean cancelled;

    /// Whether it waits, and nothing has woken it yet.
    boolean isWaiting() {
      return wants > 0
          && coroutine instanceof CoroutineNode<?> node
          && node.status() == WakerStatus.WAITING;
    }
  }

  private static final class Program {
    private final Random random;
    private final int rate; // permits in 10 ns
    private final int burst;
    private final List<Worker> workers = new ArrayList<>();
    private final List<long[]> taken = new ArrayList<>(); // time, number
    private int tickets;
    private int lastServed = -1; // its ticket
    private @Nullable Throwable broken; // what a supervised worker did not expect
    int handedOn;
    int waited;

    Program(Random random) {
      this.random = random;
      this.rate = 1 + random.nextInt(3);
      this.burst = 1 + random.nextInt(4);
    }

    void play() {
      RateLimiter limiter = RateLimiter.of(rate, Duration.ofNanos(10), burst);
      Heddle.supervise(s -> {
        for (int i = 0; i < 5; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine = s.spawn(() -> live(worker, limiter));
        }
        while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
          Heddle.delay(Duration.ofNanos(1)); // virtual: over when no other coroutine is ready
          oldestIsKeptOut(limiter);
          assertThat(broken).isNull();
        }
        return null;
      });
      assertThat(broken).isNull();
      assertThat(limiter.waiting()).isZero();
      assertThat(Heddle.counters().timers()).isZero();
      // whatever was taken back or never taken is there after the time that it takes to fill
      Heddle.delay(Duration.ofNanos(10L * burst));
      assertThat(limiter.tryAcquire(burst)).isTrue();
    }

    private void live(Worker self, RateLimiter limiter) {
      try {
        for (int step = 0; step < 8; step++) {
          act(self, limiter, 1 + random.nextInt(burst));
        }
      } catch (Throwable e) {
        boolean expected = e instanceof Cancellation && self.cancelled;
        broken = expected || broken != null ? broken : e;
        throw e;
      }
    }

    private void act(Worker self, RateLimiter limiter, int permits) {
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> acquire(self, limiter, permits);
        case 4 -> {
          boolean mayTake =
              workers.stream().noneMatch(Worker::isWaiting)
                  && limiter.availablePermits() >= permits;
          assertThat(limiter.tryAcquire(permits)).isEqualTo(mayTake);
          if (mayTake) {
            taken.add(new long[] {now(), permits});
          }
        }
        case 5 -> interfere();
        default -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(15)));
      }
    }

    private void acquire(Worker self, RateLimiter limiter, int permits) {
      self.wants = permits;
      self.ticket = tickets++;
      long before = now();
      try {
        switch (random.nextInt(3)) {
          case 0 -> limiter.acquire(permits);
          case 1 -> limiter.acquire(permits, Deadline.after(Duration.ofNanos(1 + permits * 5L)));
          default -> {
            self.token = new Promise<>();
            limiter.acquire(permits, self.token.future());
          }
        }
      } catch (DeadlineException | WaitCancelledException _) {
        return; // it has taken nothing
      } finally {
        self.wants = 0;
        self.token = null;
      }
      taken.add(new long[] {now(), permits});
      if (now() > before) {
        waited++;
        assertThat(self.ticket).as("served in turn").isGreaterThan(lastServed);
        lastServed = self.ticket;
      }
    }

    private void interfere() {
      Worker one = workers.get(random.nextInt(workers.size()));
      boolean cancels = one.token == null && random.nextInt(4) == 0;
      if ((cancels || one.token != null) && one.wants > 0 && !one.isWaiting()) {
        handedOn++; // woken, and has not run
      }
      if (cancels && one.coroutine != null) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      } else if (one.token != null) {
        var _ = one.token.tryComplete("enough");
      }
    }

    private void oldestIsKeptOut(RateLimiter limiter) {
      if (workers.stream().allMatch(w -> w.wants == 0 || w.isWaiting())) {
        workers.stream()
            .filter(Worker::isWaiting)
            .min(Comparator.comparingInt(w -> w.ticket))
            .ifPresent(oldest ->
                assertThat(limiter.availablePermits())
                    .as("beside a waiter")
                    .isLessThan(oldest.wants));
      }
    }

    /// In any time t, at most burst + t * rate permits were taken.
    void verifyRate() {
      for (int from = 0; from < taken.size(); from++) {
        long sum = 0;
        for (int to = from; to < taken.size(); to++) {
          sum += taken.get(to)[1];
          long time = taken.get(to)[0] - taken.get(from)[0] + 1; // the clock's grain
          if (sum * 10 > burst * 10L + time * rate) {
            throw new AssertionError(sum + " permits taken in " + time + " ns");
          }
        }
      }
    }
  }
}
