// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.PoolClosedException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Future;
import dev.heddle.simulated.program.Threads;
import dev.heddle.thread.ThreadPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Calls on other threads, cancelled at any moment.
///
/// A call that is not cancelled runs once, and its result comes. An interrupt that is meant for one
/// call reaches no other: a call that nobody cancels is never interrupted.
final class Calls {
  private final Random random = new Random();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger began = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  private Calls() {}

  /// One call. What it waits for takes virtual time.
  private final class Call {
    private final int number;
    private final long nanos;
    private volatile boolean mayBeCancelled;
    private int times;

    private Call(int number) {
      this.number = number;
      this.nanos = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(1_000);
    }

    private int make() {
      began.incrementAndGet();
      running.incrementAndGet();
      try {
        check(++times == 1, "a call runs twice");
        check(!Thread.currentThread().isInterrupted() || mayBeCancelled, "interrupted before");
        if (nanos > 0) {
          boolean _ = new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
        }
        check(!Thread.currentThread().isInterrupted() || mayBeCancelled, "interrupted after");
        return number;
      } catch (InterruptedException _) {
        check(mayBeCancelled, "the interrupt of another call came to " + number);
        return -1;
      } finally {
        running.decrementAndGet();
        ended.incrementAndGet();
      }
    }
  }

  /// Offloaded calls whose coroutines are cancelled.
  static void offload(Threads threads) {
    Calls program = new Calls();
    Heddle.supervise(program::offloadAll);
    program.verifyAllEnded();
  }

  private void verifyAllEnded() {
    // a cancelled call may run on
    for (int i = 0; i < 100 && began.get() != ended.get(); i++) {
      Heddle.delay(Duration.ofMillis(1));
    }
    check(began.get() == ended.get(), "a call hangs");
  }

  private void offloadAll() {
    List<Coroutine<?>> callers = new ArrayList<>();
    List<Call> calls = new ArrayList<>();
    for (int i = 2 + random.nextInt(5); i > 0; i--) {
      Call call = new Call(i);
      calls.add(call);
      callers.add(
          Heddle.spawn(() -> {
            int result = Heddle.offload(call::make);
            check(result == call.number, "not its result");
          }));
    }
    cancelSome(callers, calls);
    for (int i = 0; i < callers.size(); i++) {
      try {
        var _ = callers.get(i).await();
      } catch (Cancellation c) {
        check(calls.get(i).mayBeCancelled, "cancelled by nobody: " + c);
      }
    }
  }

  private void cancelSome(List<Coroutine<?>> callers, List<Call> calls) {
    for (int i = random.nextInt(4); i > 0; i--) {
      Heddle.delay(Duration.ofNanos(random.nextInt(500)));
      int which = random.nextInt(callers.size());
      calls.get(which).mayBeCancelled = true;
      callers.get(which).cancel("by the program");
    }
  }

  /// A pool whose tasks are cancelled, and which is reloaded and closed meanwhile.
  static void pool(Threads threads) {
    Calls program = new Calls();
    Heddle.supervise(program::playWithPool);
    program.verifyAllEnded();
  }

  private void playWithPool() {
    int workers = 1 + random.nextInt(3);
    List<Call> calls = new ArrayList<>();
    List<Future<Integer>> futures = new ArrayList<>();
    ThreadPool pool = new ThreadPool("pool", workers, random.nextInt(3));
    Coroutine<?> other =
        Heddle.spawn(() -> {
          Heddle.delay(Duration.ofNanos(random.nextInt(1_500)));
          switch (random.nextInt(4)) {
            case 0 -> pool.reload();
            case 1 -> pool.close();
            case 2 -> {
              calls.forEach(call -> call.mayBeCancelled = true);
              pool.cancel();
            }
            default -> {}
          }
        });
    try {
      for (int i = 2 + random.nextInt(5); i > 0; i--) {
        Call call = new Call(i);
        calls.add(call);
        Future<Integer> future = pool.submit(call::make);
        futures.add(future);
        if (random.nextInt(3) == 0) {
          Heddle.delay(Duration.ofNanos(random.nextInt(300)));
        }
        if (random.nextInt(4) == 0) {
          call.mayBeCancelled = true;
          future.cancel("by the program");
        }
        check(pool.workers() <= 2 * workers, "threads: " + pool.workers());
      }
    } catch (PoolClosedException _) {
      // by the other coroutine
    }
    for (int i = 0; i < futures.size(); i++) {
      verify(futures.get(i), calls.get(i));
    }
    var _ = other.await();
    pool.close();
    check(pool.workers() == 0, "threads are left: " + pool);
    check(running.get() == 0, "closed, and a task runs");
  }

  private static void verify(Future<Integer> future, Call call) {
    try {
      int result = future.await();
      check(result == call.number || call.mayBeCancelled, "not its result");
    } catch (Cancellation c) {
      check(call.mayBeCancelled, "cancelled by nobody: " + c);
    }
  }
}
