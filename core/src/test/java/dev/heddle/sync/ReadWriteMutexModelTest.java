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

/// Random programs of readers and writers, with tokens, deadlines, downgrades and cancellations.
/// `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Timeout(300)
class ReadWriteMutexModelTest {
  private static final int PROGRAMS = 10_000;

  @Test
  void randomPrograms_keepWritersAlone_andTheOrderOfArrival() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    int downgrades = 0;
    for (long seed = first; seed < last; seed++) {
      try {
        Program program = new Program(new Random(seed));
        VirtualTime.run(program::play);
        handedOn += program.handedOn;
        downgrades += program.downgrades;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }
    // else the programs never met the window between woken and running
    if (only == null) {
      assertThat(handedOn).as("left as they were woken").isGreaterThan(PROGRAMS / 20);
      assertThat(downgrades).as("downgrades").isGreaterThan(PROGRAMS / 20);
    }
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token;
    @Nullable Boolean wants; // to write; null: it is not in lock()
    int ticket;
    boolean cancelled;

    boolean isWaiting() {
      return wants != null
          && coroutine instanceof CoroutineNode<?> node
          && node.status() == WakerStatus.WAITING;
    }
  }

  private static final class Program {
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();
    private int inside; // readers; -1: a writer
    private int tickets;
    private int lastServed = -1;
    private @Nullable Throwable broken; // what a supervised worker did not expect
    int handedOn;
    int downgrades;

    Program(Random random) {
      this.random = random;
    }

    void play() {
      ReadWriteMutex lock = new ReadWriteMutex();
      Heddle.supervise(s -> {
        for (int i = 0; i < 6; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine =
              s.spawn(() -> {
                try {
                  for (int step = 0; step < 8; step++) {
                    act(worker, lock);
                  }
                } catch (Throwable e) {
                  boolean expected = e instanceof Cancellation && worker.cancelled;
                  broken = expected || broken != null ? broken : e;
                  throw e;
                }
                return 1;
              });
        }
        return null;
      });
      assertThat(broken).isNull();
      assertThat(lock.info()).isEqualTo("a read-write mutex, not locked, 0 waiting");
      assertThat(inside).isZero();
    }

    private void act(Worker self, ReadWriteMutex lock) {
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> section(self, lock, random.nextInt(3) == 0);
        case 3 -> interfere();
        case 4 -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
        default -> Heddle.yieldNow();
      }
      oldestIsKeptOut(lock);
    }

    private void section(Worker self, ReadWriteMutex lock, boolean write) {
      boolean atOnce =
          workers.stream().noneMatch(Worker::isWaiting)
              && lock.writer() == null
              && (!write || lock.readers() == 0);
      self.ticket = tickets++;
      self.wants = write;
      try {
        lock(self, lock, write);
      } catch (DeadlineException | WaitCancelledException _) {
        assertThat(atOnce).isFalse();
        return;
      } finally {
        self.wants = null;
        self.token = null;
      }
      try {
        if (!atOnce) {
          assertThat(self.ticket).as("in turn").isGreaterThan(lastServed);
          lastServed = self.ticket;
        }
        inside(lock, write);
      } finally {
        if (lock.writer() == self.coroutine) {
          inside = 0;
          lock.unlockWrite();
        } else {
          inside--;
          lock.unlockRead();
        }
      }
    }

    private void lock(Worker self, ReadWriteMutex lock, boolean write) {
      Deadline deadline =
          random.nextInt(3) == 0
              ? Deadline.after(Duration.ofNanos(1 + random.nextInt(3)))
              : Deadline.never();
      if (random.nextInt(3) == 0) {
        self.token = new Promise<>();
        if (write) {
          lock.lockWrite(self.token.future());
        } else {
          lock.lockRead(self.token.future());
        }
      } else if (write) {
        lock.lockWrite(deadline);
      } else {
        lock.lockRead(deadline);
      }
    }

    private void inside(ReadWriteMutex lock, boolean write) {
      if (!write) {
        assertThat(inside++).as("readers beside a new reader").isNotNegative();
        pause();
        return;
      }
      assertThat(inside).as("others beside a writer").isZero();
      inside = -1;
      pause();
      assertThat(inside).as("others beside a writer").isEqualTo(-1);
      if (random.nextBoolean()) {
        inside = 1;
        downgrades++;
        lock.downgrade();
        pause();
      }
    }

    private void pause() {
      if (random.nextBoolean()) {
        Heddle.yieldNow();
      } else {
        Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
      }
    }

    private void interfere() {
      Worker one = workers.get(random.nextInt(workers.size()));
      boolean cancels = one.token == null && one.coroutine != null && random.nextInt(4) == 0;
      if ((cancels || one.token != null) && one.wants != null && !one.isWaiting()) {
        handedOn++; // woken, and has not run
      }
      if (cancels) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      } else if (one.token != null) {
        var _ = one.token.tryComplete("enough");
      }
    }

    private void oldestIsKeptOut(ReadWriteMutex lock) {
      if (workers.stream().allMatch(w -> w.wants == null || w.isWaiting())) {
        workers.stream()
            .filter(Worker::isWaiting)
            .min(Comparator.comparingInt(w -> w.ticket))
            .ifPresent(oldest ->
                assertThat(lock.writer() != null || (oldest.wants && lock.readers() > 0))
                    .as("the oldest waiter is kept out by %s", lock)
                    .isTrue());
      }
    }
  }
}
