// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.WorkerCounters;
import dev.heddle.process.scheduler.Task.StepResult;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Workers, and how they share.
@Timeout(300)
class WorkSchedulerTest {
  private final AtomicReference<Task> reported = new AtomicReference<>();
  private final CountDownLatch report = new CountDownLatch(1);
  private WorkerPool pool = pool(1, Duration.ofHours(1));
  private WorkScheduler scheduler = pool.scheduler();

  private void longStep(Task task, Thread worker, long nanos, StackTraceElement[] stack) {
    reported.set(task);
    report.countDown();
  }

  private WorkerPool pool(int workers, Duration limit) {
    return new WorkerPool("test", workers, this::longStep, limit);
  }

  private void use(WorkerPool other) {
    pool = other;
    scheduler = pool.scheduler();
  }

  private void start(int workers) {
    use(pool(workers, Duration.ofMillis(20)));
    pool.start();
  }

  private void start(Task task) {
    scheduler.start(task, WorkerThread.currentWorker());
  }

  @AfterEach
  void stop() {
    pool.halt();
  }

  @Test
  @Tag("proc-20")
  void workersWithNothingToDo_sleepAndStealNothing() throws Exception {
    start(4);
    CountDownLatch done = new CountDownLatch(1);
    start(new Probe(0, _ -> StepResult.DONE, done::countDown));
    done.await();
    assertThat(pool.counters()).hasSize(4);
    assertThat(pool.counters().stream().mapToLong(WorkerCounters::executed).sum()).isEqualTo(1);
  }

  @Test
  @Tag("proc-337")
  void busyWorker_asksAgainAndAgain_whetherTheTimersWaitForAProcessor() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    use(pool(1, Duration.ofHours(1)));
    scheduler.yieldToTimersWhile(() -> {
      asked.incrementAndGet();
      return true;
    });
    pool.start();
    CountDownLatch done = new CountDownLatch(1);
    AtomicInteger left = new AtomicInteger(16 * 61 * 10); // a run has 16 steps at most
    start(
        new Probe(
            0,
            _ -> left.decrementAndGet() == 0 ? StepResult.DONE : StepResult.CONTINUE,
            done::countDown));
    done.await();
    assertThat(asked.get()).isGreaterThanOrEqualTo(9);
  }

  @Test
  @Tag("P7")
  @Tag("proc-62")
  void wakesThatRaceWithTheWayToSleep_areNeverLost() throws Exception {
    start(2);
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    Semaphore caughtUp = new Semaphore(0);
    Probe probe =
        new Probe(
            0,
            _ -> {
              int now = asked.get();
              if (seen.getAndSet(now) != now) {
                caughtUp.release();
              }
              return StepResult.IDLE;
            },
            () -> {});
    start(probe);
    for (int i = 0; i < 50_000; i++) {
      asked.incrementAndGet();
      scheduler.wake(probe, Task.BY_MESSAGE, WorkerThread.currentWorker());
      caughtUp.acquire();
    }
    assertThat(seen).hasValue(50_000);
  }

  @Test
  @Tag("P8")
  void wokenWhileRunning_stepsAgain() throws Exception {
    start(1);
    CountDownLatch again = new CountDownLatch(2);
    AtomicReference<Probe> self = new AtomicReference<>();
    Probe probe =
        new Probe(
            0,
            _ -> {
              again.countDown();
              if (again.getCount() == 1) {
                scheduler.wake(self.get(), Task.BY_COMMAND, WorkerThread.currentWorker());
              }
              return StepResult.WAIT;
            },
            () -> {});
    self.set(probe);
    start(probe);
    again.await();
  }

  @Test
  @Tag("P7")
  void waitForCommands_isWokenByCommandsOnly() throws Exception {
    start(1);
    AtomicInteger steps = new AtomicInteger();
    Semaphore stepped = new Semaphore(0);
    Probe deaf =
        new Probe(
            0,
            _ -> {
              steps.incrementAndGet();
              stepped.release();
              return StepResult.WAIT_FOR_COMMANDS;
            },
            () -> {});
    start(deaf);
    stepped.acquire();
    spinWhile(() -> deaf.state() != Task.State.BLOCKED);
    assertThat(deaf.wake(Task.BY_MESSAGE)).isFalse();
    assertThat(deaf.state()).isEqualTo(Task.State.BLOCKED);
    scheduler.wake(deaf, Task.BY_COMMAND, WorkerThread.currentWorker());
    stepped.acquire();
    assertThat(steps).hasValue(2);
  }

  @Test
  @Tag("proc-205")
  void hogThatNeverStops_lets_othersRun() throws Exception {
    start(1);
    CountDownLatch others = new CountDownLatch(100);
    AtomicInteger hogged = new AtomicInteger();
    CountDownLatch hogRuns = new CountDownLatch(1);
    start(
        new Probe(
            0,
            _ -> {
              hogged.incrementAndGet();
              hogRuns.countDown();
              return others.getCount() > 0 ? StepResult.CONTINUE : StepResult.DONE;
            },
            () -> {}));
    hogRuns.await();
    for (int i = 0; i < 100; i++) {
      start(new Probe(i, _ -> StepResult.DONE, others::countDown));
    }
    others.await();
    assertThat(hogged.get()).isPositive();
  }

  @Test
  @Tag("proc-206")
  @Tag("proc-204")
  void taskBehindAStepThatDoesNotReturn_isServedByAnotherWorker() throws Exception {
    start(2);
    CountDownLatch served = new CountDownLatch(1);
    Probe victim = new Probe(1, _ -> StepResult.DONE, served::countDown);
    AtomicReference<Worker> hogs = new AtomicReference<>();
    CountDownLatch hogDone = new CountDownLatch(1);
    start(
        new Probe(
            0,
            worker -> {
              hogs.set(worker);
              start(victim); // into the own deque, alone there: nobody is woken for it
              awaitQuietly(served); // holds the worker until the victim has run elsewhere
              return StepResult.DONE;
            },
            hogDone::countDown));
    served.await();
    hogDone.await();
    assertThat(hogs.get()).isNotNull();
  }

  @Test
  @Tag("P4")
  @Tag("proc-207")
  void manyTasksOfOneWorker_runOnBoth() throws Exception {
    start(2);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch done = new CountDownLatch(64);
    CountDownLatch both = new CountDownLatch(2);
    start(
        new Probe(
            0,
            _ -> {
              for (int i = 0; i < 64; i++) {
                start(
                    new Probe(
                        i,
                        worker -> {
                          if (threads.add(worker.thread())) {
                            both.countDown();
                          }
                          awaitQuietly(both); // holds its worker until another has stolen one
                          return StepResult.DONE;
                        },
                        done::countDown));
              }
              return StepResult.DONE;
            },
            () -> {}));
    done.await();
    assertThat(threads).hasSize(2);
  }

  @Test
  @Tag("P13")
  void stepThatLasts_isReportedWithItsTask() throws Exception {
    start(1);
    CountDownLatch end = new CountDownLatch(1);
    Probe slow =
        new Probe(
            7,
            _ -> {
              awaitQuietly(report);
              return StepResult.DONE;
            },
            end::countDown);
    start(slow);
    end.await();
    assertThat(reported.get()).isSameAs(slow);
  }

  @Test
  @Tag("P6")
  void idleWorkers_allSleep() throws Exception {
    start(2);
    CountDownLatch done = new CountDownLatch(1);
    start(new Probe(0, _ -> StepResult.DONE, done::countDown));
    done.await();
    // a worker may wake once more, for work that another has taken, and falls asleep again
    boolean allSleep = false;
    while (!allSleep) {
      Thread.onSpinWait(); // the class has a guard against hanging
      allSleep =
          pool.counters().stream().allMatch(c -> c.asleep())
              && scheduler.parking().awakeCount() == 0;
    }
    assertThat(allSleep).isTrue();
  }

  // ---- what must not cost a worker ----

  @Test
  @Tag("proc-213")
  void taskThatThrowsAtItsEnd_doesNotCostTheWorker() throws Exception {
    start(1);
    start(
        new Probe(
            0,
            _ -> StepResult.DONE,
            () -> {
              throw new AssertionError("a bad end");
            }));
    start(
        new Probe(
            1,
            _ -> {
              throw new AssertionError("a bad step");
            },
            () -> {}));
    CountDownLatch done = new CountDownLatch(1);
    start(new Probe(2, _ -> StepResult.DONE, done::countDown));
    done.await();
  }

  @Test
  @Tag("P4")
  void interruptThatAStepLeaves_isNotSeenByTheNextTask() throws Exception {
    start(1);
    CountDownLatch gate = new CountDownLatch(1);
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    start(
        new Probe(
            0,
            _ -> {
              awaitQuietly(gate); // until both others wait, so that the worker does not sleep
              return StepResult.DONE;
            },
            () -> {}));
    start(
        new Probe(
            1,
            worker -> {
              worker.thread().interrupt();
              return StepResult.DONE;
            },
            () -> {}));
    start(
        new Probe(
            2,
            worker -> {
              seen.complete(worker.thread().isInterrupted());
              return StepResult.DONE;
            },
            () -> {}));
    gate.countDown();
    assertThat(seen.join()).isFalse();
  }

  @Test
  @Tag("P13")
  void monitorWhoseHandlerFails_reportsTheNextLongStep() throws Exception {
    CountDownLatch reports = new CountDownLatch(2);
    use(
        new WorkerPool(
            "test",
            1,
            (_, _, _, _) -> {
              reports.countDown();
              throw new AssertionError("a bad handler");
            },
            Duration.ofMillis(20)));
    pool.start();
    for (int i = 1; i >= 0; i--) {
      long left = i;
      start(
          new Probe(
              i,
              _ -> {
                spinWhile(() -> reports.getCount() > left);
                return StepResult.DONE;
              },
              () -> {}));
    }
    reports.await();
  }

  @Test
  @Tag("P6")
  @Tag("proc-205")
  void taskOfADeque_besideTasksOfRankFirstThatNeverRest_hasItsTurn() throws Exception {
    start(1);
    CountDownLatch seen = new CountDownLatch(1);
    AtomicReference<@Nullable Probe> patient =
        new AtomicReference<>(new Probe(2, _ -> StepResult.DONE, seen::countDown));
    Probe[] pair = new Probe[2];
    for (int i = 0; i < 2; i++) {
      int other = 1 - i;
      pair[i] =
          new Probe(
              Task.QueuePriority.HIGH,
              i,
              worker -> {
                Probe woken = patient.getAndSet(null);
                if (woken != null) {
                  scheduler.start(woken, worker);
                }
                if (seen.getCount() > 0) {
                  scheduler.wake(pair[other], Task.BY_MESSAGE, WorkerThread.currentWorker());
                }
                return StepResult.IDLE;
              },
              () -> {});
    }
    start(pair[0]);
    start(pair[1]);
    seen.await();
  }

  // ---- the FIFO beside deques ----

  @Test
  @Tag("proc-205")
  void fifoBesideADequeThatIsNeverEmpty_getsOnBatchByBatch() throws Exception {
    start(1);
    int waiting = 400;
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(waiting);
    AtomicInteger hogged = new AtomicInteger();
    Probe[] pair = new Probe[2];
    for (int i = 0; i < 2; i++) {
      int other = 1 - i;
      pair[i] =
          new Probe(
              i,
              _ -> {
                awaitQuietly(gate);
                if (others.getCount() > 0) {
                  hogged.incrementAndGet();
                  scheduler.wake(pair[other], Task.BY_MESSAGE, WorkerThread.currentWorker());
                }
                return StepResult.IDLE;
              },
              () -> {});
    }
    start(pair[0]);
    start(pair[1]);
    for (int i = 0; i < waiting; i++) {
      start(new Probe(i, _ -> StepResult.DONE, others::countDown));
    }
    gate.countDown();
    others.await();
    assertThat(hogged.get()).isLessThan(61 * waiting / 2); // one by one they would wait for 61 each
  }

  @Test
  @Tag("P6")
  void batchOfTheFifo_wakesASleeperForWhatItsTakerDoesNotRunNext() throws Exception {
    startWithoutMonitor(2);
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        new Probe(
            0,
            _ -> {
              inStep.countDown();
              awaitQuietly(goOn);
              return StepResult.DONE;
            },
            () -> {}));
    inStep.await();
    awaitThatOneIsAwake();
    CountDownLatch ran = new CountDownLatch(1);
    for (int i = 0; i < 5; i++) {
      boolean last = i > 0; // the first one waits for another
      Probe probe =
          new Probe(
              i,
              _ -> {
                if (!last) {
                  awaitQuietly(ran);
                }
                ran.countDown();
                return StepResult.DONE;
              },
              () -> {});
      scheduler.global().push(probe); // as by a producer that has trusted in a searcher
    }
    goOn.countDown();
    ran.await();
  }

  @Test
  @Tag("P6")
  void firstStealableTaskOfADeque_wakesASleeper_whichWakesTheNextForTheRest() throws Exception {
    startWithoutMonitor(3);
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch done = new CountDownLatch(1);
    Set<Thread> others = ConcurrentHashMap.newKeySet();
    Function<Worker, StepResult> holdsItsWorker =
        worker -> {
          if (others.add(worker.thread())) {
            both.countDown();
          }
          awaitQuietly(both);
          return StepResult.DONE;
        };
    start(
        new Probe(
            0,
            _ -> {
              awaitThatOneIsAwake();
              for (int i = 0; i < 4; i++) { // who takes two of them leaves two
                start(new Probe(i, holdsItsWorker, () -> {}));
              }
              awaitQuietly(both);
              return StepResult.DONE;
            },
            done::countDown));
    done.await();
    assertThat(others).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  @Tag("P6")
  void stealableTaskWithoutANotification_isFoundByTheMonitor_howeverShortTheSteps()
      throws Exception {
    start(2);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(1);
    Probe[] ring = new Probe[3];
    for (int i = 0; i < ring.length; i++) {
      int place = i;
      ring[i] =
          new Probe(
              i,
              worker -> {
                threads.add(worker.thread());
                if (threads.size() == 2) {
                  both.countDown();
                  return StepResult.IDLE;
                }
                for (int other = 1; other < ring.length; other++) { // they wait in the deque
                  Probe next = ring[(place + other) % ring.length];
                  if (next.wake(Task.BY_MESSAGE)) {
                    worker.push(next); // as an owner that has not seen that it is the first
                  }
                }
                return StepResult.IDLE;
              },
              () -> {});
    }
    start(
        new Probe(
            0,
            worker -> {
              awaitThatOneIsAwake();
              for (Probe one : ring) {
                worker.push(one);
              }
              return StepResult.DONE;
            },
            () -> {}));
    both.await();
  }

  /// A wake-up that had failed, for lack of memory for example, left the task there for ever.
  @Test
  @Tag("P6")
  void taskWithoutAWakeUp_whileAllThreadsSleep_isFoundByTheMonitor() throws Exception {
    start(1);
    CountDownLatch done = new CountDownLatch(1);
    spinWhile(() -> scheduler.parking().awakeCount() > 0 || !pool.isMonitorAsleep());
    scheduler.global().push(new Probe(0, _ -> StepResult.DONE, done::countDown));
    done.await();
  }

  /// Accounts and traces find by that which of many short runs was a long one.
  @Test
  @Tag("watch-1")
  void monitorTicks_inALongRun() throws Exception {
    start(1);
    CountDownLatch ticked = new CountDownLatch(1);
    start(new Probe(0, _ -> awaitTwoTicks(), ticked::countDown));
    ticked.await();
  }

  private StepResult awaitTwoTicks() {
    int before = pool.ticks().count();
    spinWhile(() -> pool.ticks().count() - before < 2);
    return StepResult.DONE;
  }

  private void startWithoutMonitor(int workers) {
    use(pool(workers, Duration.ofHours(1)));
    for (Worker worker : scheduler.workers()) {
      worker.start(); // but no monitor, which would mend it a moment later
    }
  }

  private void awaitThatOneIsAwake() {
    spinWhile(() -> scheduler.parking().awakeCount() != 1);
  }

  private static void spinWhile(BooleanSupplier condition) {
    while (condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
