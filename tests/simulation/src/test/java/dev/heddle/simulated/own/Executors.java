// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.simulated.program.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The executor of a loop, used and shut down by threads.
///
/// An accepted task runs once, is returned by `shutdownNow`, or its future is cancelled. When
/// `awaitTermination` has returned true, no task runs and none will.
final class Executors {
  private final Random random = new Random();
  private final ScheduledExecutorService executor = Loop.current().executor();
  private final Queue<Task> accepted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean terminated;
  private volatile String how = "shutdown";

  private Executors() {}

  /// What is executed.
  private final class Task implements Runnable {
    private final AtomicInteger runs = new AtomicInteger();
    private final boolean waits = random.nextBoolean();
    private final boolean periodic = random.nextInt(5) == 0;
    private volatile Future<?> future;
    private volatile boolean returned;

    @Override
    public void run() {
      running.incrementAndGet();
      try {
        check(!terminated, "runs after the termination");
        runs.incrementAndGet();
        if (waits) {
          Thread.sleep(0, 1 + random.nextInt(500));
        }
      } catch (InterruptedException _) {
        // by shutdownNow()
      } finally {
        running.decrementAndGet();
      }
    }
  }

  /// A row of [OwnParts].
  static void run(Threads threads) throws Exception {
    Executors program = new Executors();
    List<Thread> all = new ArrayList<>();
    for (int i = 1 + program.random.nextInt(3); i > 0; i--) {
      all.add(threads.start(program::submit));
    }
    all.add(threads.start(program::end));
    for (Thread thread : all) {
      thread.join();
    }
    Heddle.yieldNow();
    program.verify();
  }

  private void submit() throws InterruptedException {
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      Task task = new Task();
      try {
        if (task.periodic) {
          task.future =
              random.nextBoolean()
                  ? executor.scheduleAtFixedRate(
                      task, random.nextInt(200), 100, TimeUnit.NANOSECONDS)
                  : executor.scheduleWithFixedDelay(task, 0, 300, TimeUnit.NANOSECONDS);
        } else {
          switch (random.nextInt(3)) {
            case 0 -> executor.execute(task);
            case 1 -> task.future = executor.submit(task);
            default ->
                task.future = executor.schedule(task, random.nextInt(500), TimeUnit.NANOSECONDS);
          }
        }
        accepted.add(task);
      } catch (RejectedExecutionException _) {
        check(executor.isShutdown(), "rejected, and open");
      }
      Future<?> future = task.future;
      if (future != null && random.nextInt(3) == 0) {
        Thread.sleep(0, 1 + random.nextInt(300));
        future.cancel(random.nextBoolean());
      }
    }
  }

  private void end() throws InterruptedException {
    Thread.sleep(0, 1 + random.nextInt(1_500));
    if (random.nextBoolean()) {
      executor.shutdown();
    } else {
      how = "now";
      for (Runnable never : executor.shutdownNow()) {
        returned(never);
      }
    }
    check(executor.awaitTermination(1, TimeUnit.HOURS), "does not terminate: " + executor);
    check(running.get() == 0, "terminated, and a task runs");
    terminated = true;
  }

  // the queue may not have it yet: the thread that has submitted it adds it later
  private void returned(Runnable never) {
    if (never instanceof Task task) {
      task.returned = true;
    } else if (never instanceof Future<?> future) {
      check(!future.isDone() || future.isCancelled(), "returned, and has run");
      future.cancel(false);
    }
  }

  private void verify() throws InterruptedException {
    for (Task task : accepted) {
      int runs = task.runs.get();
      check(runs <= 1 || task.periodic, "runs twice");
      Future<?> future = task.future;
      if (future == null) {
        check(runs + (task.returned ? 1 : 0) == 1, "lost: " + runs + " " + task.returned);
      } else {
        check(
            future.isDone(),
            "terminated, and not done: "
                + future
                + " periodic "
                + task.periodic
                + " runs "
                + runs
                + " "
                + how);
        try {
          var _ = future.get();
          check(runs == 1, "done, and runs " + runs + " times");
        } catch (CancellationException _) {
          // by the thread, or with the executor
        } catch (ExecutionException e) {
          throw new AssertionError(e);
        }
      }
    }
  }
}
