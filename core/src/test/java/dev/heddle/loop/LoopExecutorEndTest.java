// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.LoopGroup;
import dev.heddle.coroutine.Reports;
import dev.heddle.scheduler.inbox.Inbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tasks of an executor whose loop ends: each is run, refused or reported.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopExecutorEndTest {
  /// Loops that end while another thread submits tasks. A fault shows itself in most runs.
  private static final int ROUNDS = 20;

  /// A thread that submits without a pause would fill the heap where its peer does not get to run.
  private static final int MOST = 5_000;

  private static Throwable failureOf(Future<?> future) throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  // ---- the last task ----

  @Test
  void taskThatIsSubmittedLast_runsBeforeTheLoopEnds() {
    AtomicReference<CompletableFuture<Integer>> last = new AtomicReference<>();
    Heddle.run(() -> {
      last.set(CompletableFuture.supplyAsync(() -> 42, Loop.current().executor()));
    });
    assertThat(last.get()).isCompletedWithValue(42);
  }

  @Test
  void taskThatIsSubmittedLast_maySubmitMore() {
    AtomicReference<CompletableFuture<Integer>> last = new AtomicReference<>();
    Heddle.run(() -> {
      ExecutorService executor = Loop.current().executor();
      last.set(
          CompletableFuture.supplyAsync(
              () -> CompletableFuture.supplyAsync(() -> 42, executor).join(), executor));
    });
    assertThat(last.get()).isCompletedWithValue(42);
  }

  @Test
  void taskThatIsSubmittedLast_runsBeforeTheClosers() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      var _ = Heddle.onShutdown(() -> log.add("closed"));
      Loop.current().executor().execute(() -> log.add("ran"));
    });
    assertThat(log).containsExactly("ran", "closed");
  }

  @Test
  void loopThatEndsWhileThreadsSupply_completesOrRejectsEachTask() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      CountDownLatch end = new CountDownLatch(1);
      Loop<Integer> loop =
          Loop.start(() -> {
            end.await();
            return 1;
          });
      ExecutorService executor = loop.executor();
      List<CompletableFuture<Integer>> accepted = new ArrayList<>();
      CompletableFuture<Throwable> submitting =
          CompletableFuture.supplyAsync(() ->
              catchThrowable(() -> {
                while (true) {
                  accepted.add(CompletableFuture.supplyAsync(() -> 1, executor));
                  if (accepted.size() % 10 == 0) {
                    end.countDown();
                    accepted.getLast().join(); // tasks without end would keep the loop alive
                  }
                }
              }));
      assertThat(submitting.get()).isInstanceOf(RejectedExecutionException.class);
      assertThat(accepted).hasSizeGreaterThanOrEqualTo(10);
      assertThat(accepted).allMatch(future -> future.join() == 1);
      assertThat(loop.join()).isEqualTo(1);
    }
  }

  /// Between the end of the last coroutine and that of the loop, which a task could still prevent.
  @Test
  void taskThatComesAfterTheLastCoroutine_isRefusedWithWhatToDo() {
    AtomicReference<Throwable> refusal = new AtomicReference<>();
    Heddle.run(
        HeddleOptions.defaults().withName("idle"),
        () -> {
          ExecutorService executor = Loop.current().executor();
          Inbox.Node late =
              new Inbox.Node() {
                @Override
                public void onArrival() {
                  refusal.set(catchThrowable(() -> executor.execute(() -> {})));
                }
              };
          return LoopRuntime.current().scheduler().inbox().post(late);
        });
    assertThat(refusal.get())
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage(
            "the loop 'idle' has no coroutine left, and is about to end; keep one running there as"
                + " long as other threads submit tasks");
  }

  // ---- a loop that is stopping ----

  @Test
  void loopThatIsStopping_rejectsFurtherTasks() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    CompletableFuture<Boolean> shutDown = new CompletableFuture<>();
    Loop<Integer> loop =
        Loop.start(
            HeddleOptions.defaults().withName("busy"),
            () -> {
              ScheduledExecutorService executor = Loop.current().executor();
              begun.countDown();
              try {
                return Heddle.await(new CompletableFuture<Integer>());
              } catch (Cancellation c) {
                refusal.complete(catchThrowable(() -> executor.execute(() -> {})));
                shutDown.complete(executor.isShutdown() && !executor.isTerminated());
                throw c;
              }
            });
    begun.await();
    loop.shutdown(Duration.ofHours(1));
    assertThat(refusal.get())
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("the loop 'busy' is stopping; submit before that, or start another");
    assertThat(shutDown.get()).isTrue();
    assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class);
  }

  /// The stop finds the tasks in the inbox, or queued as coroutines.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shutdownOfTheLoop_completesFuturesOfTasksThatHaveNotBegun(boolean queued) throws Exception {
    List<CompletableFuture<Integer>> supplied = new ArrayList<>();
    AtomicReference<Future<Integer>> submitted = new AtomicReference<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              ExecutorService executor = Loop.current().executor();
              if (queued) {
                Heddle.spawn(() -> Heddle.exit(0));
              }
              supplied.add(
                  CompletableFuture.supplyAsync(
                      () -> {
                        Heddle.delay(Duration.ofHours(1));
                        return 1;
                      },
                      executor));
              supplied.add(CompletableFuture.supplyAsync(() -> 42, executor));
              submitted.set(executor.submit(() -> 42));
              if (!queued) {
                Heddle.exit(0);
              }
              Heddle.yieldNow();
            }))
        .isInstanceOf(ExitException.class);
    assertThatThrownBy(supplied.get(0)::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(Cancellation.class);
    assertThat(supplied.get(1).join()).isEqualTo(42);
    assertThat(failureOf(submitted.get()))
        .isInstanceOf(LoopEndedException.class)
        .hasMessageContaining("has ended before the task");
  }

  @Test
  void shutdownOfTheLoop_completesTasksOfACompletionService() throws Exception {
    AtomicReference<ExecutorCompletionService<Integer>> service = new AtomicReference<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              service.set(new ExecutorCompletionService<>(Loop.current().executor()));
              var _ = service.get().submit(() -> 42);
              Heddle.exit(0);
            }))
        .isInstanceOf(ExitException.class);
    assertThat(service.get().take().get()).isEqualTo(42);
  }

  @Test
  void loopThatEndsAtOnce_reportsTasksThatNeverBegan() {
    OutOfMemoryError error = new OutOfMemoryError("for the test");
    Runnable dropped = () -> {};
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(
                  HeddleOptions.defaults().withName("doomed"),
                  () -> {
                    Heddle.spawn(() -> {
                      throw error;
                    });
                    ExecutorService executor = Loop.current().executor();
                    executor.execute(dropped);
                    executor.execute(dropped);
                    return Heddle.await(new CompletableFuture<Integer>());
                  }))
          .isSameAs(error);
      assertThat(reports.messages())
          .contains(
              "2 tasks of executors of the loop 'doomed' never began, since the loop has ended;"
                  + " the first one: "
                  + dropped.getClass().getName());
    }
  }

  // ---- one of several loops ----

  @Test
  void groupWithALoopThatStops_usesTheOthers() throws Exception {
    CompletableFuture<LoopRuntime> stopping = new CompletableFuture<>();
    CompletableFuture<LoopRuntime> other = new CompletableFuture<>();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    HeddleOptions patient = HeddleOptions.defaults().withGracePeriod(Duration.ofHours(1));
    Loop<Integer> first = Loop.start(patient, () -> stopsSlowly(stopping, release));
    Loop<Integer> second =
        Loop.start(() -> {
          other.complete(LoopRuntime.current());
          end.await();
          return 2;
        });
    List<LoopRuntime> loops = List.of(stopping.get(), other.get());
    ScheduledExecutorService executor = new LoopExecutor(loops, new CompletableFuture<>(), null);
    first.shutdown(Duration.ofHours(1));
    while (loops.getFirst().shutdown().takesTasks()) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < 4; i++) {
      assertThat(executor.submit(LoopRuntime::current).get()).isSameAs(loops.getLast());
      assertThat(executor.schedule(LoopRuntime::current, 0, TimeUnit.SECONDS).get())
          .isSameAs(loops.getLast());
    }
    release.countDown();
    end.countDown();
    assertThat(second.join()).isEqualTo(2);
    assertThatThrownBy(first::join).isInstanceOf(Cancellation.class);
    assertThatThrownBy(() -> executor.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("none of the 2 loops takes a task, as each has ended or stops; start others");
  }

  private static int stopsSlowly(CompletableFuture<LoopRuntime> self, CountDownLatch release)
      throws InterruptedException {
    self.complete(LoopRuntime.current());
    try {
      return Heddle.await(new CompletableFuture<Integer>());
    } finally {
      release.await(); // a clean-up that takes its time
    }
  }

  // ---- what has begun, and what waits for its time ----

  @Test
  void endOfTheLoop_rejectsFurtherTasks_andTerminatesTheExecutor() throws Exception {
    Loop<Integer> loop = Loop.start(HeddleOptions.defaults().withName("short"), () -> 1);
    ScheduledExecutorService executor = loop.executor();
    assertThat(loop.join()).isEqualTo(1);
    assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(executor.isShutdown() && executor.isTerminated()).isTrue();
    assertThatThrownBy(() -> executor.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("the loop 'short' has ended; submit before that, or start another");
    assertThatThrownBy(() -> executor.schedule(() -> 1, 1, TimeUnit.SECONDS))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(executor.shutdownNow()).isEmpty();
    executor.close();
  }

  @Test
  void shutdownOfTheLoop_cancelsTasksThatRun() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Loop<Integer> loop = Loop.start(() -> Heddle.await(new CompletableFuture<Integer>()));
    ExecutorService executor = loop.executor();
    Future<?> future =
        executor.submit(() -> {
          begun.countDown();
          Heddle.delay(Duration.ofHours(1));
        });
    begun.await();
    loop.shutdown(Duration.ofHours(1));
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
  }

  @Test
  void endOfTheLoop_failsWhatHasNotBegun_andWhatIsAbandoned() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Loop<Integer> loop = Loop.start(() -> Heddle.await(new CompletableFuture<Integer>()));
    ScheduledExecutorService executor = loop.executor();
    Future<Integer> inAnHour = executor.schedule(() -> 1, 1, TimeUnit.HOURS);
    Future<?> abandoned =
        executor.submit(() -> {
          begun.countDown();
          while (release.getCount() > 0) {
            try {
              release.await();
            } catch (InterruptedException _) {
              // swallows its cancellation
            }
          }
          return 1;
        });
    begun.await();
    loop.shutdown(Duration.ZERO);
    assertThat(failureOf(abandoned)).isInstanceOf(LoopEndedException.class);
    assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(failureOf(inAnHour)).isInstanceOf(LoopEndedException.class);
    release.countDown();
  }

  @Test
  void loopThatEndsWhileThreadsSubmit_completesOrRejectsEachTask() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      CountDownLatch end = new CountDownLatch(1);
      Loop<Integer> loop =
          Loop.start(() -> {
            end.await();
            return 1;
          });
      ExecutorService executor = loop.executor();
      List<Future<?>> accepted = new ArrayList<>();
      CompletableFuture<Integer> submitting =
          CompletableFuture.supplyAsync(() -> submitUntilRejected(executor, accepted, end));
      assertThat(submitting.get()).isGreaterThanOrEqualTo(10);
      assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
      assertThat(accepted).allMatch(Future::isDone);
      assertThat(loop.join()).isEqualTo(1);
    }
  }

  private static int submitUntilRejected(
      ExecutorService executor, List<Future<?>> accepted, CountDownLatch tenth) {
    try {
      while (true) {
        Future<?> future = executor.submit(() -> 1);
        accepted.add(future);
        if (accepted.size() % 10 == 0) {
          tenth.countDown();
          future.get(); // tasks without end would keep the loop alive
        }
      }
    } catch (RejectedExecutionException | ExecutionException _) {
      return accepted.size();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shutdownNow_whileThreadsSubmit_accountsForEachTask() throws Exception {
    try (LoopGroup group = LoopGroup.start(2)) {
      for (int round = 0; round < 5 * ROUNDS; round++) {
        ExecutorService executor = group.executor();
        List<Future<?>> accepted = new ArrayList<>();
        CountDownLatch some = new CountDownLatch(10);
        CompletableFuture<Void> submitting =
            CompletableFuture.runAsync(() -> submitWithoutPause(executor, accepted, some));
        some.await();
        List<Runnable> neverBegun = executor.shutdownNow();
        submitting.get();
        assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
        Set<Object> returned = Collections.newSetFromMap(new IdentityHashMap<>());
        returned.addAll(neverBegun);
        assertThat(returned).hasSameSizeAs(neverBegun);
        assertThat(accepted)
            .allMatch(future -> future.isDone() != returned.contains((Object) future));
      }
    }
  }

  private static void submitWithoutPause(
      ExecutorService executor, List<Future<?>> accepted, CountDownLatch some) {
    try {
      while (accepted.size() < MOST) {
        accepted.add(executor.submit(() -> 1));
        some.countDown();
      }
    } catch (RejectedExecutionException _) {
      // the end
    }
  }
}
