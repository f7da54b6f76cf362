// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Steps and bodies that take the same locks, as those of loggers are: a body that is handed one
/// gets on, although each worker stands behind it.
@Timeout(300)
@Tag("P6")
class HeldUpTest {
  private static final String CLASS = HeldUpTest.class.getName();

  private final ReentrantLock lock = new ReentrantLock(true); // so nobody overtakes
  private final List<CompletableFuture<Exit>> exits = new ArrayList<>();
  private ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).host("held-up").longStep(Duration.ofHours(1)).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private void takeAndGiveBack() {
    lock.lock();
    lock.unlock();
  }

  private void spawn(Process process) {
    exits.add(runtime.whenExited(runtime.spawn(process)));
  }

  private void spawnBody() {
    spawn(
        CoroutineProcess.of(_ -> {
          takeAndGiveBack();
          return null;
        }));
  }

  private void spawnStep() {
    spawn((_, out) -> {
      takeAndGiveBack();
      out.done();
    });
  }

  private void awaitInLine(int threads) {
    while (lock.getQueueLength() < threads) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  private void assertAllEnd() {
    for (CompletableFuture<Exit> exit : exits) {
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
    }
  }

  @Test
  void bodyThatIsHandedALock_whileTheOnlyWorkerStandsBehindIt_getsOn() {
    lock.lock();
    spawnBody();
    awaitInLine(1);
    spawnStep();
    awaitInLine(2);
    lock.unlock();
    assertAllEnd();
  }

  @Test
  void bodyThatIsHandedALock_behindMoreStepsThanThereMayBeThreads_getsOn() {
    lock.lock();
    spawnBody();
    awaitInLine(1);
    for (int i = 0; i < 500; i++) {
      spawnStep(); // in the queue before the body is
    }
    awaitInLine(2);
    lock.unlock();
    assertAllEnd();
  }

  @Test
  void bodyInTheDequeOfTheWorkerThatStandsBehindIt_isTakenOutOfIt() {
    ReentrantLock other = new ReentrantLock();
    int[] steps = {0};
    Pid step =
        runtime.spawn((_, out) -> {
          switch (++steps[0]) {
            case 1 -> lock.lock(); // the only worker's
            case 2 -> {
              lock.unlock(); // to the body, which this worker would run when this step ends
              other.lock();
              other.unlock();
              out.done();
            }
            default -> throw new IllegalStateException("stepped " + steps[0] + " times");
          }
        });
    exits.add(runtime.whenExited(step));
    while (!lock.isLocked()) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
    spawn(
        CoroutineProcess.of(_ -> {
          other.lock();
          takeAndGiveBack();
          other.unlock();
          return null;
        }));
    awaitInLine(1);
    runtime.send(step, "go on");
    assertAllEnd();
  }

  @Test
  void listenerOfLongSteps_thatWaitsInTheSameQueue_delaysNoOther() {
    runtime.close();
    runtime =
        ProcessRuntime.builder()
            .workers(1)
            .longStep(Duration.ofMillis(1), _ -> takeAndGiveBack())
            .start();
    lock.lock();
    spawnBody();
    awaitInLine(1);
    spawnStep();
    awaitInLine(3);
    lock.unlock();
    assertAllEnd();
  }

  private static boolean isSpareThere() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("held-up-compensating"));
  }

  @Test
  void compensatingWorker_whenTheWorkersContinue_ends() {
    boolean[] there = new boolean[1];
    lock.lock();
    spawn(
        CoroutineProcess.of(_ -> {
          lock.lock();
          there[0] = isSpareThere();
          lock.unlock();
          return null;
        }));
    awaitInLine(1);
    spawnStep();
    awaitInLine(2);
    lock.unlock();
    assertAllEnd();
    assertThat(there[0]).as("a compensating worker that runs the body").isTrue();
    while (isSpareThere()) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  /// It is reported once, maybe before it has got into the body: then again with more time.
  @Test
  @Tag("proc-268")
  void compensatingWorker_whoseBodyHoldsItForLong_isReported_andItsRunsAreCounted()
      throws Exception {
    Duration limit = Duration.ofMillis(100);
    LongStep step = stepOfACompensatingWorker(limit);
    while (!isInThisTest(step) && limit.toSeconds() < 20) {
      limit = limit.multipliedBy(4);
      step = stepOfACompensatingWorker(limit);
    }
    assertThat(step.stack()).anyMatch(HeldUpTest::isOfThisTest);
    ProcessCounters counters = runtime.counters();
    assertThat(counters.compensation().started()).isPositive();
    assertThat(counters.compensation().executed()).isPositive();
    assertThat(counters.executed())
        .isEqualTo(counters.workers().getFirst().executed() + counters.compensation().executed());
  }

  private static boolean isInThisTest(LongStep step) {
    return step.stack().stream().anyMatch(HeldUpTest::isOfThisTest);
  }

  private static boolean isOfThisTest(StackTraceElement frame) {
    return frame.getClassName().startsWith(CLASS);
  }

  /// What is told of one whose body holds it until that is told; it has ended then.
  private LongStep stepOfACompensatingWorker(Duration limit) throws Exception {
    runtime.close();
    exits.clear();
    BlockingQueue<LongStep> told = Kit.queue();
    AtomicBoolean isTold = new AtomicBoolean();
    runtime =
        ProcessRuntime.builder().workers(1).host("held-up").longStep(limit, told::add).start();
    lock.lock();
    spawn(
        CoroutineProcess.of(_ -> {
          lock.lock();
          while (!isTold.get()) {
            Thread.onSpinWait();
          }
          lock.unlock();
          return null;
        }));
    awaitInLine(1);
    spawnStep();
    awaitInLine(2);
    lock.unlock();
    LongStep step;
    do {
      step = Kit.take(told); // of the worker's step first
    } while (!step.worker().startsWith("held-up-compensating"));
    assertThat(runtime.dump()).contains("1 compensating workers run, ");
    isTold.set(true);
    assertAllEnd();
    while (runtime.counters().compensation().running() > 0) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
    return step;
  }

  private static Process stubborn() {
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        self.trapExits();
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {}
    };
  }

  /// Each asked for the loop under one lock, and whoever was first held it while the loop started.
  @Test
  @Tag("P9")
  void firstCommands_ofStepsBodiesAndThreadsAtOnce_areAllCarriedOut() throws Exception {
    for (int round = 0; round < 20; round++) {
      runtime.close();
      runtime = ProcessRuntime.builder().workers(2).start();
      exits.clear();
      Pid target = runtime.spawn(stubborn());
      runtime.whenStarted(target).get();
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(() -> runtime.cancel(target, "by a thread", Kit.SOON));
      for (int i = 0; i < 4; i++) {
        spawn(
            CoroutineProcess.of(self -> {
              self.execute(Commands.sleep(Duration.ofMillis(1)));
              runtime.cancel(target, "by a body", Kit.SOON);
              return null;
            }));
        spawn((events, out) -> {
          if (events.isEmpty()) {
            out.execute(1, Commands.sleep(Duration.ofMillis(1)));
          } else {
            out.done();
          }
        });
      }
      Kit.get(other);
      assertAllEnd();
      runtime.terminate(target);
    }
  }
}
