// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.event.Deadline;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import dev.heddle.sync.RateLimiter;
import dev.heddle.sync.Semaphore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/// Fifty coroutines that use what a loop has: delays, deadlines, channels, locks of Heddle and of
/// the JDK, worker threads, virtual threads.
final class MixedProgram {
  private static final int COROUTINES = 50;
  private static final int ROUNDS = 8;

  private final List<String> log = new ArrayList<>();
  private final Channel<Integer> items = Channel.of("items", 3);
  private final Mutex mutex = new Mutex("mutex");
  private final Semaphore permits = new Semaphore("permits", 3);
  private final RateLimiter limiter = RateLimiter.of(5, Duration.ofSeconds(1));
  private final ReentrantLock lock = new ReentrantLock();

  private MixedProgram() {}

  /// Runs it in the current coroutine.
  ///
  /// @return what happened, in order
  static List<String> run() {
    MixedProgram program = new MixedProgram();
    Heddle.background("drain", () -> program.items.forEach(item -> program.log.add("got " + item)));
    Heddle.scope(() -> {
      for (int i = 0; i < COROUTINES; i++) {
        int me = i;
        Heddle.launch("worker " + i, () -> program.work(me, new SplittableRandom(me)));
      }
    });
    return program.log;
  }

  private void work(int me, SplittableRandom random) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      log.add(me + " " + act(me, random) + " " + Simulation.elapsed());
    }
  }

  private Object act(int me, SplittableRandom random) throws Exception {
    return switch (random.nextInt(9)) {
      case 0 -> wait(Duration.ofMillis(random.nextInt(1, 5_000)));
      case 1 -> cut(Duration.ofMillis(random.nextInt(1, 50)));
      case 2 -> send(me);
      case 3 -> mutex.withLock(() -> wait(Duration.ofMillis(1)));
      case 4 -> permit();
      case 5 -> limited();
      case 6 -> locked();
      case 7 -> Heddle.offload(() -> Thread.currentThread().getName());
      default -> virtualThread(me);
    };
  }

  private static String wait(Duration time) {
    Heddle.delay(time);
    return "waited";
  }

  private static String cut(Duration limit) {
    try {
      return Heddle.withTimeout(limit, () -> wait(Duration.ofMillis(25)));
    } catch (DeadlineException _) {
      return "was cut";
    }
  }

  private String send(int me) {
    try {
      items.send(me, Deadline.after(Duration.ofMillis(2)));
      return "sent";
    } catch (DeadlineException _) {
      return "did not send";
    }
  }

  private String permit() {
    permits.acquire();
    try {
      return wait(Duration.ofMillis(3));
    } finally {
      permits.release();
    }
  }

  private String limited() {
    limiter.acquire();
    return "passed";
  }

  private String locked() {
    lock.lock();
    try {
      Heddle.yieldNow();
      return "had the lock";
    } finally {
      lock.unlock();
    }
  }

  private static String virtualThread(int me) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(2);
    Thread.startVirtualThread(() -> {
      Thread.yield();
      done.countDown();
    });
    Thread.startVirtualThread(done::countDown);
    done.await();
    return "latched " + me;
  }
}
