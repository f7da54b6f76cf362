// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of lock, tryLock, unlock, tokens and cancellations, run beside a list that says
/// who must be next. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Timeout(300)
class MutexModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 7;
  private static final int STEPS = 12;

  @Test
  void randomPrograms_onMutexAndModel_agreeAtEveryStep() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int handedOn = 0;
    for (long seed = first; seed < last; seed++) {
      handedOn += new Program(seed).run();
    }
    // else the programs never met the window between woken and running
    assertThat(only != null || handedOn > PROGRAMS / 10).isTrue();
  }

  private static final class Bell extends EventSource {
    private boolean rung;

    Bell() {
      super(CoroutineNode.current().scheduler());
    }

    void ring() {
      rung = true;
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return rung;
    }

    @Override
    public String info() {
      return "bell";
    }
  }

  /// One coroutine, as the model sees it.
  private static final class Worker {
    final int number;
    @Nullable Coroutine<?> coroutine;
    @Nullable Bell token; // of the wait it is in
    boolean woken; // something other than the mutex has ended its wait, and it has not run since
    boolean cancelled;

    Worker(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return "worker " + number;
    }
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();

    // the model
    private final List<Worker> line = new ArrayList<>();
    private @Nullable Worker owner;
    private int handedOn;

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    int run() {
      try {
        Heddle.run(this::play);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
      assertThat(line).as("seed %d: left in the line", seed).isEmpty();
      assertThat(owner).as("seed %d: left locked", seed).isNull();
      return handedOn;
    }

    private void play() {
      Mutex mutex = new Mutex();
      Heddle.scope(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker(i);
          workers.add(worker);
          worker.coroutine =
              s.spawn(() -> {
                live(worker, mutex);
                return worker.number;
              });
        }
        return null;
      });
      assertThat(mutex.isLocked()).isFalse();
    }

    private void live(Worker self, Mutex mutex) {
      try {
        for (int step = 0; step < STEPS; step++) {
          act(self, mutex);
          check(mutex);
        }
      } finally {
        if (owner == self) {
          unlock(self, mutex);
        }
      }
    }

    private void act(Worker self, Mutex mutex) {
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          if (owner == self) {
            unlock(self, mutex);
          } else {
            lock(self, mutex);
          }
        }
        case 4 -> tryLock(self, mutex);
        case 5 -> interfere(self);
        case 6 -> {
          if (owner == self) {
            unlock(self, mutex);
            interfere(self); // in the window: the new owner has not run
          }
        }
        default -> Heddle.yieldNow();
      }
    }

    private void lock(Worker self, Mutex mutex) {
      boolean free = owner == null;
      if (free) {
        owner = self;
      } else {
        line.add(self);
        self.token = new Bell();
      }
      try {
        if (self.token == null) {
          mutex.lock();
        } else {
          mutex.lock(self.token);
        }
      } catch (Cancellation | WaitCancelledException e) {
        assertThat(free).as("a free mutex").isFalse();
        assertThat(self.woken || self.cancelled).as("somebody has cut %s", self).isTrue();
        leave(self);
        if (e instanceof Cancellation) {
          throw e;
        }
        return;
      } finally {
        self.token = null;
        self.woken = false;
      }
      assertThat(owner).as("owner when %s returns from lock", self).isSameAs(self);
    }

    // what the mutex does for one that throws out of lock()
    private void leave(Worker self) {
      if (owner == self) {
        handedOn++;
        next();
      } else {
        line.remove(self);
      }
    }

    private void tryLock(Worker self, Mutex mutex) {
      if (owner == self) {
        return;
      }
      boolean free = owner == null;
      assertThat(mutex.tryLock()).isEqualTo(free);
      if (free) {
        owner = self;
      }
    }

    private void unlock(Worker self, Mutex mutex) {
      assertThat(owner).isSameAs(self);
      mutex.unlock();
      next();
    }

    private void next() {
      while (!line.isEmpty() && line.getFirst().woken) {
        line.removeFirst();
      }
      owner = line.isEmpty() ? null : line.removeFirst();
    }

    /// Cancels another, or fires the token of its wait.
    private void interfere(Worker self) {
      Worker other = workers.get(random.nextInt(WORKERS));
      Coroutine<?> coroutine = other.coroutine;
      if (other == self || coroutine == null || coroutine.isDone()) {
        return;
      }
      Bell token = other.token;
      if (token != null && !token.isClosed() && random.nextBoolean()) {
        other.woken = true;
        token.ring();
      } else if (random.nextInt(3) == 0) {
        other.woken |= token != null;
        other.cancelled = true;
        coroutine.cancel("by " + self);
      }
    }

    private void check(Mutex mutex) {
      Worker owning = owner;
      assertThat(mutex.owner()).isSameAs(owning == null ? null : owning.coroutine);
    }
  }
}
