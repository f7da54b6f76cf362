// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.event.Trigger;
import dev.heddle.hosting.ChildJvm;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Loops that wait for the JDK alone.
@Tag("T19")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StallReportTest {
  private static final Duration LIMIT = Duration.ofMillis(30);

  /// A loop and the stalls that it tells of; of those who hold it, all do on a machine that is slow
  /// enough.
  private static final class Stalling {
    final List<StallReport> reports = new CopyOnWriteArrayList<>();
    final CompletableFuture<StallReport> first = new CompletableFuture<>();
    final Loop<?> loop;

    Stalling(Body<?> main) {
      HeddleOptions options =
          HeddleOptions.defaults()
              .withStallLimit(LIMIT)
              .withShutdownDeadline(Duration.ZERO)
              .withGracePeriod(Duration.ZERO)
              .withReports(this::told);
      loop = Loop.<@Nullable Object>start(options, () -> main.run());
    }

    private void told(LoopReport report) {
      if (report instanceof StallReport stall) {
        reports.add(stall);
        first.complete(stall);
      }
    }

    StallReport stopped() {
      StallReport report = first.join();
      stop();
      return report;
    }

    void stop() {
      loop.shutdown(Duration.ZERO);
      try {
        loop.join();
      } catch (Cancellation _) {
        // main was waiting
      }
    }
  }

  private static Stalling stalling(Action main) {
    return new Stalling(() -> {
      main.run();
      return "done";
    });
  }

  private static List<List<Long>> ids(StallReport report) {
    return report.cycles().stream()
        .map(cycle -> cycle.stream().map(CoroutineSnapshot::id).toList())
        .toList();
  }

  /// In a JVM of its own: what runs in this one may feed any queue.
  @Test
  void queue_thatIsNotFed_isReportedOnceAndTheLoopGoesOn() throws Exception {
    ChildJvm.Result child = ChildJvm.of(QueueProgram.class).withArguments("nobody").run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .contains("Stall: nothing has happened in loop 'heddle' for 30 ms, ")
        .contains("coroutine-1 'main' is parked by the JDK in LinkedBlockingQueue.take (")
        .contains("The producer of a queue or the signaller of a condition cannot be determined.\n")
        .contains("took ab, told 1 time, with 0 cycles");
  }

  @Test
  @Tag("T22")
  void queue_thatAnotherThreadFeedsNowAndThen_isNoStall() throws Exception {
    ChildJvm.Result child = ChildJvm.of(QueueProgram.class).withArguments("sleeper").run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .contains("told 0 times while it slept")
        .contains("told when it was gone");
  }

  @Test
  @Tag("T22")
  void queue_thatATimerOrAnotherLoopFeeds_isNoStall() throws Exception {
    ChildJvm.Result child = ChildJvm.of(QueueProgram.class).withArguments("timer").run();
    assertThat(child.output()).contains("told 0 times while it slept");
    ChildJvm.Result beside = ChildJvm.of(QueueProgram.class).withArguments("loop").run();
    assertThat(beside.output()).contains("told 0 times while it slept");
  }

  @Test
  void locks_takenInOppositeOrder_areACycle() {
    StallReport report = stallingOnLocks().stopped();
    assertThat(ids(report)).containsExactly(List.of(2L, 3L));
    assertThat(report.text())
        .containsPattern(
            "coroutine-2 'one' waits for ReentrantLock@\\w+, held by coroutine-3 'two', which waits"
                + " for ReentrantLock@\\w+, held by coroutine-2 'one'\n");
  }

  private static Stalling stallingOnLocks() {
    ReentrantLock left = new ReentrantLock();
    ReentrantLock right = new ReentrantLock();
    return stalling(() -> {
      Heddle.launch("one", () -> takeBoth(left, right));
      Heddle.launch("two", () -> takeBoth(right, left));
    });
  }

  private static void takeBoth(ReentrantLock first, ReentrantLock second)
      throws InterruptedException {
    first.lockInterruptibly();
    try {
      Heddle.yieldNow();
      second.lockInterruptibly();
      second.unlock();
    } finally {
      first.unlock();
    }
  }

  /// Nothing ends a wait for a monitor; the two are left behind.
  @Test
  void monitors_takenInOppositeOrder_areACycle() {
    Object left = new Object();
    Object right = new Object();
    StallReport report =
        stalling(
                () -> {
                  Heddle.launch("one", () -> enterBoth(left, right));
                  Heddle.launch("two", () -> enterBoth(right, left));
                })
            .stopped();
    assertThat(ids(report)).containsExactly(List.of(2L, 3L));
    assertThat(report.text())
        .containsPattern(
            "coroutine-2 'one' waits for the monitor of Object@\\w+, held by coroutine-3 'two',"
                + " which waits for the monitor of Object@\\w+, held by coroutine-2 'one'\n");
  }

  private static void enterBoth(Object first, Object second) {
    synchronized (first) {
      Heddle.yieldNow();
      synchronized (second) {
        Heddle.yieldNow();
      }
    }
  }

  @Test
  void monitor_heldByAnotherThread_namesIt() throws Exception {
    Object monitor = new Object();
    StallReport report;
    Stalling stalling;
    CompletableFuture<String> release = new CompletableFuture<>();
    CompletableFuture<String> held = new CompletableFuture<>();
    Thread holder =
        Thread.ofPlatform()
            .name("holder")
            .start(() -> {
              synchronized (monitor) {
                held.complete("held");
                release.join();
              }
            });
    held.join();
    stalling =
        stalling(() -> {
          synchronized (monitor) {
            Heddle.yieldNow();
          }
        });
    report = stalling.first.join();
    release.complete("released");
    holder.join();
    stalling.loop.join();
    assertThat(report.text())
        .containsPattern("the monitor of Object@\\w+, held by thread 'holder'");
  }

  /// Who was notified must get back in, and does not hold the monitor yet.
  @Test
  void monitor_toBeEnteredAgain_isPartOfACycle() throws Exception {
    assertACycleWithAWait();
    compileTheWait();
    assertACycleWithAWait();
  }

  private static void assertACycleWithAWait() {
    Object first = new Object();
    Object second = new Object();
    StallReport report =
        stalling(
                () -> {
                  Heddle.launch("one", () -> waitIn(first, second));
                  Heddle.launch("two", () -> notifyAndEnter(first, second));
                })
            .stopped();
    assertThat(ids(report)).containsExactly(List.of(2L, 3L));
    assertThat(report.text())
        .containsPattern(
            "coroutine-2 'one' waits for the monitor of Object@\\w+, held by coroutine-3 'two',"
                + " which waits for the monitor of Object@\\w+, held by coroutine-2 'one'\n");
  }

  /// Then the JDK cannot tell any more which monitor it has left.
  private static void compileTheWait() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      for (int i = 0; i < 400; i++) {
        monitor.wait(0, 1);
      }
    }
  }

  @SuppressWarnings("WaitNotInLoop") // HotSpot wakes nobody without a reason
  private static void waitIn(Object first, Object second) throws InterruptedException {
    synchronized (second) {
      synchronized (first) {
        first.wait();
      }
    }
  }

  private static void notifyAndEnter(Object first, Object second) {
    synchronized (first) {
      first.notifyAll();
      synchronized (second) {
        Heddle.yieldNow();
      }
    }
  }

  @Test
  void monitor_leftByAWait_isHeldByWhoCameAfter() throws Exception {
    assertTheWaiterHoldsNothing();
    compileTheWait();
    assertTheWaiterHoldsNothing();
  }

  private static void assertTheWaiterHoldsNothing() {
    Object monitor = new Object();
    CompletableFuture<String> release = new CompletableFuture<>();
    Stalling stalling =
        stalling(() -> {
          Heddle.launch("waiter", () -> waitIn(monitor, new Object()));
          Heddle.launch("holder", () -> hold(monitor, release));
          Heddle.launch("blocked", () -> enterBoth(monitor, new Object()));
        });
    StallReport report = stalling.first.join();
    release.complete("released");
    stalling.stop();
    assertThat(report.text())
        .containsPattern(
            "'blocked' is parked by the JDK, for the monitor of Object@\\w+, held by"
                + " coroutine-3 'holder'");
  }

  private static void hold(Object monitor, CompletableFuture<String> release) {
    synchronized (monitor) {
      release.join();
    }
  }

  /// A dump by the JDK would end the JVM here: JDK-8364343.
  @Test
  void stall_besideALoopThatSwitches_isReportedAndTheJvmLivesOn() throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(StallProgram.class)
            .with("--add-opens=java.base/jdk.internal.vm=ALL-UNNAMED", "-Xbatch")
            .with("-XX:CompileCommand=quiet")
            .with("-XX:CompileCommand=dontinline," + StallProgram.class.getName() + "::inside")
            .run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output().lines().filter("cycles: 1"::equals)).hasSize(5);
    assertThat(child.output())
        .contains("does not report which other virtual thread holds it.")
        .doesNotContain("--add-opens java.base/jdk.internal.vm");
  }

  @Test
  void monitor_ofWhichTheJdkMayNotBeAsked_isSaidSo() throws Exception {
    ChildJvm.Result child = ChildJvm.of(StallProgram.class).run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .contains("cycles: 0\n")
        .contains("is parked by the JDK, for a monitor (")
        .contains(
            "The JDK reports monitor owners only with"
                + " --add-opens java.base/jdk.internal.vm=ALL-UNNAMED.");
  }

  /// What waits for something that comes by itself, or from outside, is no stall. A loop that does
  /// stall tells how long to look.
  private static void assertNoStall(Stalling quiet) {
    stallingOnLocks().stopped();
    stallingOnLocks().stopped();
    assertThat(quiet.reports).isEmpty();
    quiet.stop();
  }

  @Test
  void sleep_isNoStall() {
    assertNoStall(stalling(() -> Thread.sleep(Duration.ofHours(1))));
  }

  @Test
  void socket_isNoStall() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      assertNoStall(stalling(server::accept));
    }
  }

  @Test
  void trigger_beside_isNoStall() {
    assertNoStall(
        stalling(() -> {
          Trigger trigger = Heddle.trigger("t");
          Heddle.launch("queue", () -> new LinkedBlockingQueue<String>().take());
          Heddle.await(trigger);
        }));
  }

  @Test
  void limit_ofZero_turnsItOff() {
    List<LoopReport> reports = new CopyOnWriteArrayList<>();
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    HeddleOptions off =
        HeddleOptions.defaults()
            .withStallLimit(Duration.ZERO)
            .withHoldLimit(Duration.ZERO)
            .withReports(reports::add);
    Loop<String> loop = Loop.start(off, queue::take);
    stallingOnLocks().stopped();
    queue.add("fed");
    assertThat(loop.join()).isEqualTo("fed");
    assertThat(reports).isEmpty();
  }
}
