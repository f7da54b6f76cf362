// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.ExitException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Microtask;
import dev.heddle.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What stops a loop, in which order things happen then, and what `run` throws in the end. Where
/// time matters, it is virtual.
@Tag("T18")
@Timeout(300)
class ShutdownTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final HeddleOptions OPTIONS =
      HeddleOptions.defaults()
          .withShutdownDeadline(Duration.ofSeconds(10))
          .withGracePeriod(Duration.ofSeconds(5));

  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private final Simulation world = new Simulation(1);

  private void run(Action main) {
    world.run(
        OPTIONS,
        () -> {
          main.run();
          return null;
        });
  }

  /// Starts a coroutine, and lets the others run until it waits: here any of them may be next.
  private static void launchAndLetWait(String name, Action action) {
    Coroutine<?> launched =
        Heddle.spawn(
            name,
            () -> {
              action.run();
              return true;
            });
    while (!launched.isSuspended()) {
      Heddle.yieldNow();
    }
  }

  /// A coroutine that no cancellation reaches before the deadline.
  private static void launchStubborn() {
    launchAndLetWait("stubborn", () -> Heddle.shield(() -> Heddle.delay(HOUR)));
  }

  /// A coroutine that does something when it is cancelled.
  private void launchCleaningUp(String name, Action cleanup) {
    launchAndLetWait(
        name,
        () -> {
          try {
            Heddle.delay(HOUR);
          } finally {
            try {
              cleanup.run();
            } finally {
              log.add(name + " has cleaned up");
            }
          }
        });
  }

  private static void fail(String message) {
    throw new IllegalStateException(message);
  }

  // ---- several requests ----

  @Test
  void loneCoroutineThatSwallowsEveryCancellation_doesNotOutliveTheDeadline() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(
                  HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(1)),
                  () -> {
                    Heddle.shutdown(Duration.ofMillis(1));
                    while (true) {
                      try {
                        Heddle.delay(Duration.ofMillis(1));
                      } catch (Cancellation swallowed) {
                        // again and again
                      }
                    }
                  }))
          .isInstanceOf(Throwable.class);
      assertThat(reports.messages()).anyMatch(m -> m.contains("main"));
    }
  }

  @Test
  void coroutinesThatHaveNotStarted_areNotStartedAfterAnOutOfMemoryError() {
    List<String> started = new ArrayList<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch(
                  "dying",
                  () -> {
                    throw new OutOfMemoryError("as if");
                  });
              Heddle.launch("next", () -> started.add("next"));
              Heddle.yieldNow();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(started).isEmpty();
  }

  @Test
  void futureOfACoroutineThatTheLoopLeavesBehind_isToldSo() {
    List<CompletableFuture<?>> left = new ArrayList<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              left.add(
                  Heddle.spawn(() -> Heddle.await(Heddle.promise().future()))
                      .toCompletableFuture());
              Heddle.yieldNow();
              throw new OutOfMemoryError("as if");
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(left.getFirst()).isCompletedExceptionally();
  }

  @Test
  void shutdownTwice_theEarlierDeadlineCounts() {
    try (Reports _ = new Reports()) {
      run(() -> {
        launchStubborn();
        Heddle.shutdown(HOUR.dividedBy(2));
        Heddle.shutdown(Duration.ofSeconds(3));
        Heddle.shutdown(Duration.ofMinutes(3));
      });
    }
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void exitAfterShutdown_bringsItsCodeAndItsDeadline() {
    try (Reports _ = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                launchStubborn();
                launchCleaningUp("exits", () -> Heddle.exit(4));
                Heddle.shutdown(HOUR.dividedBy(2));
              }))
          .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(4))
          .hasMessage("exit(4)");
    }
    assertThat(world.elapsed()).isEqualTo(OPTIONS.shutdownDeadline());
  }

  @Test
  void shutdownRequests_fromManyThreads_allCount() throws Exception {
    CompletableFuture<Loop<?>> running = new CompletableFuture<>();
    Loop<String> loop =
        Loop.start(() -> {
          running.complete(Loop.current());
          try {
            Heddle.delay(HOUR);
          } finally {
            Heddle.shield(() -> Heddle.delay(HOUR));
          }
          return "never";
        });
    try (Reports _ = new Reports()) {
      Loop<?> same = running.get();
      Thread first = Thread.ofPlatform().start(() -> loop.shutdown(HOUR));
      first.join();
      same.shutdown(Duration.ofMillis(2));
      assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class);
    }
  }

  // ---- failures ----

  @Test
  void secondFailure_whileTheLoopStops_leavesTheOthersTheGracePeriod() {
    IllegalStateException first = new IllegalStateException("first");
    try (Reports _ = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                launchStubborn();
                launchCleaningUp("second", () -> fail("second"));
                Heddle.launch(
                    "first",
                    () -> {
                      throw first;
                    });
              }))
          .isSameAs(first);
    }
    assertThat(world.elapsed()).isEqualTo(OPTIONS.gracePeriod());
    FailureReport report = Heddle.reportOf(first);
    assertThat(report).isNotNull();
    assertThat(report.merged())
        .singleElement()
        .hasToString("java.lang.IllegalStateException: second");
  }

  @Test
  void failureAfterExit_isLoggedAndTheExitIsThrown() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                launchCleaningUp("fails", () -> fail("in the clean-up"));
                Heddle.exit(3);
              }))
          .isInstanceOf(ExitException.class);
      assertThat(reports.failures()).singleElement().asString().contains("in the clean-up");
    }
  }

  @Test
  void exitAfterAFailure_doesNotHideIt() {
    assertThatThrownBy(() ->
            run(() -> {
              launchCleaningUp("exits", () -> Heddle.exit(0));
              fail("the reason");
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the reason");
  }

  @Test
  @Tag("T6")
  void failureOfTheRuntime_letsTheOthersCleanUp() {
    IllegalStateException defect = new IllegalStateException("defect");
    assertThatThrownBy(() ->
            run(() -> {
              launchCleaningUp("other", () -> Heddle.delay(Duration.ofMillis(1)));
              world
                  .loop()
                  .scheduler()
                  .post(
                      new Microtask() {
                        @Override
                        protected void run() {
                          throw defect;
                        }
                      });
              Heddle.delay(HOUR);
            }))
        .isSameAs(defect);
    assertThat(log).containsExactly("other has cleaned up");
  }

  @Test
  @Tag("loop-98")
  @Tag("trap-23")
  void outOfMemory_endsTheLoopAtOnceWithoutCleanUpOrClosers() {
    OutOfMemoryError end = new OutOfMemoryError("for a test");
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                Heddle.onShutdown(() -> log.add("closed"));
                launchCleaningUp("other", () -> {});
                Heddle.launch(
                    "ends it",
                    () -> {
                      throw end;
                    });
                Heddle.delay(HOUR);
              }))
          .isSameAs(end);
      assertThat(reports.messages()).isEmpty();
    }
    assertThat(log).isEmpty();
    assertThat(world.elapsed()).isZero();
  }

  @Test
  @Tag("loop-98")
  void outOfMemoryOfTheLastCoroutine_endsTheLoopWithoutClosersOrAReport() {
    OutOfMemoryError end = new OutOfMemoryError("for a test");
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                Heddle.onShutdown(() -> log.add("closed"));
                throw end;
              }))
          .isSameAs(end);
      assertThat(reports.messages()).isEmpty();
    }
    assertThat(log).isEmpty();
  }

  // ---- who spawns meanwhile ----

  @Test
  @Tag("loop-13")
  @Tag("trap-22")
  void spawnInACancelledScope_whileTheLoopStops_runsAtTheRoot() {
    run(() -> {
      launchAndLetWait(
          "owner",
          () ->
              Heddle.scope(s -> {
                try {
                  Heddle.delay(HOUR);
                } finally {
                  assertThat(s.isCancelled()).isTrue();
                  Heddle.launch("late", this::delayAndLog);
                }
                return null;
              }));
      Heddle.shutdown(Duration.ofSeconds(9));
    });
    assertThat(log).containsExactly("late ran");
  }

  private void delayAndLog() {
    Heddle.delay(Duration.ofSeconds(1));
    log.add("late ran");
  }

  @Test
  void spawnWhileTheLoopStops_isCancelledAtTheDeadline() {
    try (Reports reports = new Reports()) {
      run(() -> {
        launchCleaningUp("spawner", () -> launchCleaningUp("late", () -> {}));
        Heddle.shutdown(Duration.ofSeconds(9));
      });
      assertThat(log).containsExactly("spawner has cleaned up", "late has cleaned up");
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("1 coroutine did not end by the shutdown deadline\n")
          .contains("'late' waits for a timer");
    }
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void spawnPastTheDeadline_isRefused() {
    try (Reports _ = new Reports()) {
      run(() -> {
        launchAndLetWait(
            "late",
            () -> {
              try {
                Heddle.shield(() -> Heddle.delay(HOUR));
              } catch (Cancellation c) {
                // as every call that waits
                assertThatThrownBy(() -> Heddle.spawn(() -> log.add("spawned")))
                    .isInstanceOf(Cancellation.class);
                log.add("refused");
              }
            });
        Heddle.shutdown(Duration.ofSeconds(1));
      });
    }
    assertThat(log).containsExactly("refused");
  }

  // ---- nothing can go on ----

  @Test
  void cleanUpThatCannotBeWoken_isCancelledWithoutWaitingForTheDeadline() {
    try (Reports reports = new Reports()) {
      run(() -> {
        launchCleaningUp("waits", () -> Heddle.promise("never").future().await());
        Heddle.shutdown(HOUR);
      });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("nothing could wake them")
          .contains("'waits' waits for");
    }
    assertThat(world.elapsed()).isZero();
  }

  // ---- the caller ----

  @Test
  void interruptedCaller_isInterruptedAgainAfterwards_howeverTheLoopEnds() {
    Thread.currentThread().interrupt();
    Heddle.run(() -> Heddle.delay(Duration.ofMillis(1)));
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThatThrownBy(() -> Heddle.run(() -> fail("x"))).hasMessage("x");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void interruptThatStopsTheLoop_isTheCallersAfterwards() throws Exception {
    AtomicBoolean stopping = new AtomicBoolean();
    CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
    Thread caller =
        Thread.ofPlatform()
            .start(() -> {
              try {
                Heddle.run(() -> sleepUntilCancelled(stopping));
              } catch (Cancellation _) {
                interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
              }
            });
    while (!stopping.get()) {
      // only where it sleeps: elsewhere the JDK clears the interrupt at the next mount
      if (caller.getState() == Thread.State.TIMED_WAITING) {
        caller.interrupt();
      }
      Thread.onSpinWait();
    }
    assertThat(interruptedAfterwards.get()).isTrue();
  }

  private static void sleepUntilCancelled(AtomicBoolean stopping) {
    try {
      Heddle.delay(HOUR);
    } finally {
      stopping.set(true);
    }
  }

  // ---- Loop.current ----

  @Test
  @Tag("loop-310")
  void currentLoop_askedForOften_isNotRetained() throws Exception {
    CompletableFuture<Loop<?>> one = new CompletableFuture<>();
    Heddle.run(() -> {
      for (int i = 0; i < 1_000; i++) {
        one.complete(Loop.current());
      }
      LoopRuntime root = LoopRuntime.current();
      assertThat(root.outcome().getNumberOfDependents()).isZero();
      assertThat(one.get().isDone()).isFalse();
    });
    assertThat(one.get().isDone()).isTrue();
    assertThat(one.get().join()).isNull();
  }

  @Test
  void currentLoop_thatEndsWithAnyFailure_throwsTheSameObject() {
    for (RuntimeException failure :
        List.of(
            new IllegalStateException("main"),
            new CompletionException(new IllegalStateException("within")))) {
      CompletableFuture<Loop<?>> running = new CompletableFuture<>();
      assertThatThrownBy(() ->
              Heddle.run(() -> {
                running.complete(Loop.current());
                throw failure;
              }))
          .isSameAs(failure);
      assertThatThrownBy(() -> running.join().join()).isSameAs(failure);
      assertThatThrownBy(() -> running.join().result().join()).isInstanceOf(Exception.class);
    }
  }

  @Test
  void currentLoop_inAnotherThread_stopsItAndWaitsForItsEnd() throws Exception {
    CompletableFuture<Loop<?>> running = new CompletableFuture<>();
    Thread stopper =
        Thread.ofPlatform()
            .start(() -> {
              Loop<?> loop = running.join();
              loop.shutdown(HOUR);
              log.add("ended with " + loop.join());
            });
    String result =
        Heddle.run(() -> {
          launchCleaningUp("other", () -> {});
          running.complete(Loop.current());
          return "result";
        });
    stopper.join();
    assertThat(result).isEqualTo("result");
    assertThat(log).containsExactly("other has cleaned up", "ended with result");
  }

  @Test
  void joinOfTheOwnLoop_isRefused() {
    Heddle.run(() -> {
      Loop<?> own = Loop.current();
      assertThatThrownBy(own::join)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("own loop");
    });
  }
}
