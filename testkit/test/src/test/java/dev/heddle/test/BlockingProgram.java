// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// Coroutines and threads of all kinds that wait in the JDK, with chance of the JDK's: a program as
/// it stands, for simulations with the agent.
final class BlockingProgram {
  private static final int COROUTINES = 20;
  private static final int ROUNDS = 15;

  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private final Object monitor = new Object();
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
  private final Semaphore permits = new Semaphore(2);
  private int contended;

  private BlockingProgram() {}

  static List<String> run() throws Exception {
    BlockingProgram program = new BlockingProgram();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
    Heddle.scope(() -> {
      for (int i = 0; i < COROUTINES; i++) {
        int me = i;
        Heddle.launch("worker " + i, () -> program.work(me, pool, timers));
      }
    });
    pool.shutdown();
    timers.shutdown();
    program.log.add("ended " + pool.awaitTermination(1, TimeUnit.HOURS) + " " + program.contended);
    program.log.add("hash " + new Object().hashCode());
    return program.log;
  }

  private void work(int me, ExecutorService pool, ScheduledExecutorService timers)
      throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      log.add(me + " " + act(me, pool, timers) + " " + System.nanoTime());
    }
  }

  private Object act(int me, ExecutorService pool, ScheduledExecutorService timers)
      throws Exception {
    return switch (ThreadLocalRandom.current().nextInt(10)) {
      case 0 -> sleep(ThreadLocalRandom.current().nextInt(3_600_000));
      case 1 -> {
        Heddle.delay(Duration.ofMinutes(ThreadLocalRandom.current().nextInt(1, 60)));
        yield "delayed";
      }
      case 2 -> contend();
      case 3 -> waitAndNotify();
      case 4 -> locked();
      case 5 -> {
        queue.offer(me);
        yield "polled " + queue.poll(10, TimeUnit.SECONDS);
      }
      case 6 -> permit();
      case 7 -> pool.submit(() -> sleep(100) + Thread.currentThread().getName()).get();
      case 8 -> timers.schedule(() -> "fired", 3, TimeUnit.MINUTES).get();
      default ->
          CompletableFuture.supplyAsync(() -> sleep(50))
              .completeOnTimeout("too late", 40, TimeUnit.MILLISECONDS)
              .get();
    };
  }

  private static String sleep(int millis) {
    try {
      Thread.sleep(millis);
      return "slept";
    } catch (InterruptedException e) {
      return "interrupted";
    }
  }

  private String contend() {
    synchronized (monitor) {
      contended++;
      return sleep(10);
    }
  }

  @SuppressWarnings("WaitNotInLoop") // whatever ends the wait is part of the course
  private String waitAndNotify() throws InterruptedException {
    synchronized (monitor) {
      monitor.notify();
      monitor.wait(5_000);
      return "notified";
    }
  }

  private String locked() throws InterruptedException {
    if (!lock.tryLock(1, TimeUnit.MINUTES)) {
      return "no lock";
    }
    try {
      return sleep(30_000);
    } finally {
      lock.unlock();
    }
  }

  private String permit() throws InterruptedException {
    if (!permits.tryAcquire(1, TimeUnit.SECONDS)) {
      return "no permit";
    }
    Heddle.yieldNow();
    permits.release();
    return "permit";
  }
}
