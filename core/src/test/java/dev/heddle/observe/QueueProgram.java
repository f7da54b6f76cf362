// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// A loop whose only coroutine takes from a queue, and one of several threads that may feed it.
final class QueueProgram {
  private static final Duration LIMIT = Duration.ofMillis(30);

  private final List<StallReport> reports = new CopyOnWriteArrayList<>();
  private final CompletableFuture<StallReport> first = new CompletableFuture<>();
  private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

  private QueueProgram() {}

  public static void main(String[] arguments) throws InterruptedException {
    QueueProgram program = new QueueProgram();
    switch (arguments[0]) {
      case "nobody" -> program.fedByNobody();
      case "sleeper" -> program.besideASleeper();
      case "timer" -> program.besideATimer();
      default -> program.besideALoop();
    }
    Runtime.getRuntime().halt(0);
  }

  private <T> Loop<T> start(Body<T> main) {
    return Loop.start(HeddleOptions.defaults().withStallLimit(LIMIT).withReports(this::told), main);
  }

  private void told(LoopReport report) {
    if (report instanceof StallReport stall) {
      reports.add(stall);
      first.complete(stall);
    }
  }

  private void fedByNobody() {
    Loop<String> loop = start(() -> queue.take() + queue.take());
    StallReport report = first.join();
    System.out.println(report.text());
    queue.add("a");
    stallOnLocks(); // as long again
    queue.add("b");
    System.out.println(
        "took "
            + loop.join()
            + ", told "
            + reports.size()
            + " time, with "
            + report.cycles().size()
            + " cycles");
  }

  private void besideASleeper() throws InterruptedException {
    Thread sleeper = Thread.ofPlatform().daemon().start(QueueProgram::sleepForLong);
    while (sleeper.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    takeWhileNobodyComes();
    sleeper.interrupt();
    sleeper.join();
    first.join();
    System.out.println("told when it was gone");
  }

  private static void sleepForLong() {
    try {
      Thread.sleep(Duration.ofHours(1));
    } catch (InterruptedException _) {
      // it is to end
    }
  }

  private void besideATimer() {
    var timer = Executors.newSingleThreadScheduledExecutor();
    var _ = timer.schedule(() -> queue.add("fed"), 1, TimeUnit.HOURS);
    takeWhileNobodyComes();
  }

  private void besideALoop() {
    Loop.start(() -> {
      Heddle.delay(Duration.ofHours(1));
      return queue.add("fed");
    });
    takeWhileNobodyComes();
  }

  private void takeWhileNobodyComes() {
    start(queue::take);
    for (int i = 0; i < 3; i++) {
      stallOnLocks();
    }
    System.out.println("told " + reports.size() + " times while it slept");
  }

  /// Another loop, which stalls for certain: it tells how long that takes.
  private static void stallOnLocks() {
    CompletableFuture<LoopReport> told = new CompletableFuture<>();
    HeddleOptions options =
        HeddleOptions.defaults().withStallLimit(LIMIT).withReports(told::complete);
    ReentrantLock left = new ReentrantLock();
    ReentrantLock right = new ReentrantLock();
    Loop.start(
        options,
        () -> {
          Heddle.launch("one", () -> takeBoth(left, right));
          Heddle.launch("two", () -> takeBoth(right, left));
          return "waits for both";
        });
    told.join();
  }

  private static void takeBoth(ReentrantLock one, ReentrantLock other) {
    one.lock();
    Heddle.yieldNow();
    other.lock();
  }
}
