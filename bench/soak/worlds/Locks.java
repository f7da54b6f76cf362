// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.DeadlineException;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/// Bodies wait at a lock and a queue of the JDK's, and for messages with a limit; steps take the
/// same lock when it is free.
///
/// *Invariant*: one at a time has the lock, and each body gets on.
final class Locks extends World {
  private static final int BODIES = 12;
  private static final int STEPS = 2;
  private static final int TURNS = 100; // of each body
  private static final int ROOM = 4; // in the queue
  private static final int PATIENCE_MILLIS = 20; // at the queue

  private final ReentrantLock lock = new ReentrantLock(true);
  private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLongArray turns = new AtomicLongArray(BODIES);
  private final LongAdder holds = new LongAdder();
  private final List<Pid> processes = new ArrayList<>();

  private long shared; // by the lock

  Locks(Round round) {
    super(round, "locks", 0);
  }

  @Override
  void begin() {
    for (int i = 0; i < BODIES; i++) {
      processes.add(spawn(body(i, random())));
    }
    for (int i = 0; i < STEPS; i++) {
      processes.add(spawn(step()));
    }
  }

  @Override
  boolean isEnough() {
    for (int i = 0; i < BODIES; i++) {
      if (turns.get(i) < TURNS) {
        return false;
      }
    }
    return true;
  }

  private Process body(int number, Random random) {
    return CoroutineProcess.of(self -> {
      while (goesOn()) {
        switch (number % 4) {
          case 0 -> hold(random);
          case 1 -> queue.offer(number, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
          case 2 -> queue.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
          default -> receive(self, random);
        }
        turns.incrementAndGet(number);
        did();
      }
      return null;
    });
  }

  private void hold(Random random) throws InterruptedException {
    lock.lock();
    try {
      shared++;
      holds.increment();
      if (random.nextInt(100) == 0) {
        Thread.sleep(0, 200_000);
      }
    } finally {
      lock.unlock();
    }
  }

  private void receive(CoroutineProcess self, Random random) {
    try {
      self.receive(Duration.ofNanos(random.nextInt(2_000_000)));
      violation("a message from nobody");
    } catch (DeadlineException _) {
      // nobody sends
    }
  }

  private Process step() {
    return new Actor() {
      private long tag;

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        if (lock.tryLock()) {
          try {
            shared++;
            holds.increment();
          } finally {
            lock.unlock();
          }
        }
        if (goesOn()) {
          out.execute(++tag, Commands.sleep(Duration.ofMillis(2)));
        } else {
          out.done();
        }
      }
    };
  }

  @Override
  void end() throws InterruptedException {
    for (Pid process : processes) {
      awaitExit(process);
    }
    lock.lock();
    try {
      check(
          shared == holds.sum(), () -> holds + " have had the lock, it was counted " + shared);
    } finally {
      lock.unlock();
    }
  }
}
