// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads that outlive the main coroutine: those that are ready end in the run; those that wait
/// are listed, and never continue.
@Tag("agent")
@Tag("sim-5")
@Timeout(300)
@SuppressWarnings("FutureReturnValueIgnored") // tasks that are left behind
class AgentLeftThreadsTest {
  private static void assertFails(Action main, String... texts) {
    assertThatThrownBy(() -> Simulation.run(main))
        .isInstanceOf(SimulationError.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(texts));
  }

  private static void sleep() {
    try {
      Thread.sleep(Duration.ofDays(1));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- what is ready ----

  @Test
  void virtualThread_thatIsReadyAtTheEnd_runsInTheSimulation_asIfMainWaitedForIt() {
    List<String> years = new ArrayList<>();
    Simulation.run(() -> {
      Thread.startVirtualThread(() -> years.add(Instant.now().toString()));
    });
    assertThat(years).isNotEmpty().allMatch(time -> time.startsWith("2030-01-01T00:00:00"));
  }

  @Test
  void exitOfAVirtualThread_thatIsReadyAtTheEnd_isRefused() {
    assertFails(
        () -> Thread.startVirtualThread(() -> System.exit(42)),
        "no code of the run observed:\n  virtual thread ",
        "cannot be part of a simulation");
  }

  @Test
  void platformThread_thatIsTheLastLine_isNoLeak() {
    assertThatCode(() -> Simulation.explore(() -> new Thread(() -> {}).start()))
        .doesNotThrowAnyException();
  }

  @Test
  void executorThatWasClosed_isNoLeak_inAnyOrder() {
    assertThatCode(() ->
            Simulation.explore(
                SimulationOptions.defaults().withSeeds(200),
                () -> {
                  try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
                    pool.submit(() -> 1);
                    pool.submit(() -> 2);
                  }
                }))
        .doesNotThrowAnyException();
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // the simulation's loop decides what a yield means
  void threadThatIsReadyForEver_endsAtTheLimitOfSteps() {
    SimulationOptions options = SimulationOptions.defaults().withStepLimit(1_000);
    var result =
        Simulation.record(
            options,
            () ->
                Thread.startVirtualThread(() -> {
                  while (true) {
                    Thread.yield();
                  }
                }));
    assertThat(String.valueOf(result.failure())).contains("1,000");
    assertThat(result.steps()).isLessThan(3_000);
  }

  // ---- what waits ----

  @Test
  void virtualThread_thatSleeps_isALeak_withItsStack() {
    assertFails(
        () -> Thread.ofVirtual().name("sleeper").start(AgentLeftThreadsTest::sleep),
        "a thread runs: sleeper, started at dev.heddle.test.AgentLeftThreadsTest.",
        "virtual thread 'sleeper' waits in Thread.sleep",
        "\n      at dev.heddle.test.AgentLeftThreadsTest.sleep(AgentLeftThreadsTest.java:");
  }

  @Test
  void taskOfAnExecutorOfVirtualThreads_thatSleeps_isALeak() {
    assertFails(
        () -> Executors.newVirtualThreadPerTaskExecutor().submit(AgentLeftThreadsTest::sleep),
        "a thread runs: virtual thread ",
        ", started at dev.heddle.test.AgentLeftThreadsTest.");
  }

  @Test
  void taskOfAForkJoinPool_thatSleeps_isALeak_andThatOfTheCommonPoolIsNot() {
    assertFails(
        () -> new ForkJoinPool(2).submit(AgentLeftThreadsTest::sleep),
        "a thread runs: ForkJoinPool-",
        "waits in Thread.sleep");
    assertThatCode(() ->
            Simulation.run(() -> {
              ForkJoinPool.commonPool().submit(AgentLeftThreadsTest::sleep);
            }))
        .doesNotThrowAnyException();
  }

  @Test
  void threadThatIsLeft_neverContinues() {
    AtomicReference<String> ran = new AtomicReference<>("");
    CountDownLatch open = new CountDownLatch(1);
    Thread[] left = new Thread[1];
    SimulationOptions options = SimulationOptions.defaults().withoutLeakChecks();
    Simulation.record(
        options,
        () -> {
          left[0] =
              Thread.startVirtualThread(() -> {
                try {
                  open.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                } finally {
                  ran.set("in " + Thread.currentThread());
                }
              });
          return null;
        });
    assertThat(left[0].getState()).isEqualTo(Thread.State.TERMINATED);
    open.countDown();
    assertThat(ran).hasValue("");
  }

  @Test
  void twoTasks_thatHaveDeadlocked_areExplained() {
    assertFails(
        () -> {
          ReentrantLock first = new ReentrantLock();
          ReentrantLock second = new ReentrantLock();
          ExecutorService pool = Executors.newFixedThreadPool(2);
          pool.submit(() -> lockBoth(first, second));
          pool.submit(() -> lockBoth(second, first));
          pool.shutdown();
          assertThat(pool.awaitTermination(1, TimeUnit.HOURS)).isFalse();
        },
        "thread-1' waits in ReentrantLock",
        "thread-2' waits in ReentrantLock",
        "AgentLeftThreadsTest.lockBoth(AgentLeftThreadsTest.java:");
  }

  private static void lockBoth(ReentrantLock first, ReentrantLock second) {
    first.lock();
    try {
      Thread.sleep(10);
      second.lock();
      second.unlock();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      first.unlock();
    }
  }

  // ---- what fails ----

  @Test
  void threadThatFails_isNotLeftBehind() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              Thread bad =
                  new Thread(
                      () -> {
                        throw new IllegalStateException("boo");
                      },
                      "bad");
              bad.start();
              bad.join();
            }))
        .hasMessageContaining(
            "no code of the run observed:\n"
                + "  thread 'bad' has failed: java.lang.IllegalStateException: boo")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("left behind"));
  }
}
