// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.HoldReport.Activity;
import dev.heddle.scheduler.SchedulerParts;
import java.io.BufferedReader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A trampoline that does not come back: what holds the carrier outside any coroutine is reported.
/// Each hold lasts until it has been.
@Tag("trap-42")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrampolineHoldTest {
  private static final Duration LIMIT = Duration.ofMillis(20);

  private final List<HoldReport> reports = new CopyOnWriteArrayList<>();
  private final CountDownLatch reported = new CountDownLatch(1);

  /// The activity that lets the hold end.
  private Activity awaited = Activity.WAITING;

  private HeddleOptions options() {
    return HeddleOptions.defaults().withName("stands").withHoldLimit(LIMIT).withReports(this::told);
  }

  private void told(LoopReport report) {
    if (report instanceof HoldReport hold) {
      reports.add(hold);
      if (hold.coroutine() == null && hold.activity() == awaited) {
        reported.countDown();
      }
    }
  }

  private HoldReport report() {
    return reports.stream()
        .filter(hold -> hold.coroutine() == null && hold.activity() == awaited)
        .findFirst()
        .orElseThrow(() -> new AssertionError("told of others only: " + reports));
  }

  /// Runs a loop that goes to sleep, and whose driver then calls `handler`.
  private void runWithHandler(Runnable handler, Action main) {
    CallingDriver driver = new CallingDriver();
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    LoopRuntime.run(
        options(),
        SchedulerParts.usual(driver),
        () -> {
          Thread.ofPlatform()
              .start(() -> {
                while (!root.get().scheduler().isAsleep()) {
                  Thread.onSpinWait();
                }
                driver.call(handler);
              });
          main.run();
          return "done";
        },
        root::set);
  }

  private void untilReported() {
    awaitQuietly(reported);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Lets the loop fall asleep again and again, until the driver has called the handler.
  private void sleepUntilReported() {
    while (reported.getCount() > 0) {
      Heddle.delay(Duration.ofMillis(5));
    }
  }

  private void computeUntilReported() {
    while (reported.getCount() > 0) {
      Thread.onSpinWait();
    }
  }

  private static void holdInAThread(Object monitor, Runnable during) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    Thread.ofPlatform()
        .name("the holder")
        .start(() -> {
          synchronized (monitor) {
            held.countDown();
            during.run();
          }
        });
    held.await();
  }

  private static void enter(Object monitor) {
    synchronized (monitor) {
      Thread.onSpinWait();
    }
  }

  @Test
  void handlerOfADriver_thatMeetsALockOfAThread_isReportedWithItsHolder() throws Exception {
    Object monitor = new Object();
    holdInAThread(monitor, this::untilReported);
    runWithHandler(() -> enter(monitor), this::sleepUntilReported);
    assertThat(report().waitsFor())
        .startsWith("the monitor of java.lang.Object@")
        .endsWith(", held by thread 'the holder'");
    assertThat(report().text())
        .contains("the loop's own thread waits", "at dev.heddle.observe.CallingDriver.poll");
  }

  /// The thread waits for a coroutine, and the loop for the thread: it would stand for ever.
  @Test
  void handler_thatWaitsForAThreadThatWaitsForACoroutine_isReported() throws Exception {
    Object monitor = new Object();
    CompletableFuture<String> answer = new CompletableFuture<>();
    holdInAThread(monitor, answer::join);
    Thread.ofPlatform()
        .start(() -> {
          untilReported();
          answer.complete("by the test, for no coroutine can");
        });
    boolean[] called = new boolean[1]; // the loop's thread alone
    runWithHandler(
        () -> {
          called[0] = true;
          enter(monitor);
        },
        () -> {
          Coroutine<?> answering =
              Heddle.spawn(() -> {
                while (!called[0]) {
                  Heddle.delay(Duration.ofMillis(5));
                }
                return answer.complete("by a coroutine");
              });
          answering.await();
        });
    assertThat(answer.join()).startsWith("by the test");
    assertThat(report().waitsFor()).endsWith(", held by thread 'the holder'");
  }

  @Test
  void handlerOfADriver_thatComputes_isReportedWithItsStack() {
    awaited = Activity.CALLBACK;
    runWithHandler(this::computeUntilReported, this::sleepUntilReported);
    assertThat(report().text())
        .startsWith("Something has held the loop 'stands' for ")
        .contains("is inside a callback, outside any coroutine", "computeUntilReported");
    assertThat(report().site()).contains("TrampolineHoldTest.computeUntilReported");
  }

  @Test
  void taskOfTheTrampoline_thatComputes_isReportedWithItsStack() {
    awaited = Activity.CALLBACK;
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    LoopRuntime.run(
        options(),
        () -> {
          root.get().scheduler().runOnCarrier(this::computeUntilReported);
          Heddle.delay(Duration.ofMillis(1));
        },
        List.of(),
        root::set);
    assertThat(report().site()).contains("TrampolineHoldTest.computeUntilReported");
  }

  /// The lock is free, and the first in line is a coroutine: it has no carrier to take it on.
  @Test
  void handler_thatIsQueuedBehindACoroutine_isReportedWithTheHolder() throws Exception {
    ReentrantLock lock = new ReentrantLock(true);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch handlerRuns = new CountDownLatch(1);
    AtomicReference<Thread> carrier = new AtomicReference<>();
    Thread.ofPlatform()
        .start(() -> {
          lock.lock();
          held.countDown();
          awaitQuietly(handlerRuns);
          lock.unlock();
          untilReported();
          carrier.get().interrupt(); // nothing else ends it
        });
    held.await();
    runWithHandler(
        () -> {
          carrier.set(Thread.currentThread());
          handlerRuns.countDown();
          standInLine(lock);
        },
        () -> Heddle.spawn("first in line", () -> turn(lock)).await());
    assertThat(report().waitsFor())
        .contains("ReentrantLock", ", free: next is coroutine-2 'first in line'");
  }

  private static String turn(ReentrantLock lock) {
    lock.lock();
    lock.unlock();
    return "had its turn";
  }

  private static void standInLine(ReentrantLock lock) {
    while (lock.isLocked()) {
      Thread.onSpinWait();
    }
    try {
      lock.lockInterruptibly();
      lock.unlock();
    } catch (InterruptedException _) {
      // by this test
    }
  }

  @Test
  void loop_whoseDriverSleeps_isNotReported() {
    CallingDriver driver = new CallingDriver();
    LoopRuntime.run(
        options(),
        SchedulerParts.usual(driver),
        () -> {
          Heddle.delay(LIMIT.multipliedBy(20));
          return "done";
        },
        _ -> {});
    assertThat(reports).noneMatch(hold -> hold.stack().stream().anyMatch(this::isPark));
  }

  private boolean isPark(StackTraceElement frame) {
    return frame.getMethodName().equals("park");
  }

  /// Nobody hears of it through the log: the log is what the loop stands behind.
  @Test
  @Tag("once")
  void loopThatStandsBehindTheLocksOfItsLog_isNotSilent() throws Exception {
    Process child =
        new ProcessBuilder(ChildJvm.of(SilentLogProgram.class).command())
            .redirectErrorStream(true)
            .start();
    StringBuilder said = new StringBuilder();
    try (BufferedReader output = child.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.contains("SilentLogProgram.handler")) {
        said.append(line).append('\n');
        line = output.readLine();
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
    assertThat(said)
        .contains("the log has not accepted this for two seconds", "SilentLogProgram$Stuck.publish")
        .contains("the loop's own thread waits", "  waits for the monitor of");
  }
}
