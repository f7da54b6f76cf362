// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.simulation.VirtualTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A loop from its start to its end, however it comes.
@Tag("T18")
@Timeout(300)
class LoopTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Log log = new Log();

  // ---- run ----

  @Test
  void run_returnsMainsResultAfterEverythingHasEnded() {
    String result =
        Heddle.run(() -> {
          Heddle.launch(
              "worker",
              () -> {
                Heddle.delay(Duration.ofMillis(2));
                log.add("worker");
              });
          return "result";
        });
    assertThat(result).isEqualTo("result");
    assertThat(log).containsExactly("worker");
  }

  @Test
  void run_insideACoroutine_isRefusedNamingTheAlternatives() {
    assertThatThrownBy(() -> Heddle.run(() -> Heddle.run(() -> 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.scope")
        .hasMessageContaining("Loop.start");
  }

  @Test
  void run_onAVirtualThread_isItsResult() throws Exception {
    CompletableFuture<Boolean> onPlatformCarrier = new CompletableFuture<>();
    Thread.startVirtualThread(() ->
        onPlatformCarrier.complete(
            Heddle.run(() -> Heddle.spawn(() -> Heddle.current() != null).await())));
    assertThat(onPlatformCarrier.get()).isTrue();
  }

  @Test
  void run_inTwoThreadsAtOnce_keepsThemApart() throws Exception {
    CountDownLatch bothRun = new CountDownLatch(2);
    List<Loop<Long>> loops = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      loops.add(
          Loop.start(() -> {
            bothRun.countDown();
            bothRun.await();
            return Heddle.spawn(() -> Heddle.current().id()).await();
          }));
    }
    for (Loop<Long> loop : loops) {
      assertThat(loop.join()).isEqualTo(2);
    }
  }

  @Test
  @Tag("trap-11")
  void hiddenTimer_besideWork_neitherWakesNorKeepsTheLoop() {
    VirtualTime.run(() -> {
      EventSource.of(Heddle.daemonTimer(Duration.ofHours(24))).start();
      var before = Heddle.counters();
      Heddle.delay(Duration.ofMillis(3));
      assertThat(Heddle.counters().sleeps() - before.sleeps()).isEqualTo(1);
    });
  }

  // ---- shutdown ----

  @Test
  @Tag("loop-94")
  void shutdown_byUserCode_cancelsTheOthersAndEndsCleanly() {
    String result =
        Heddle.run(() -> {
          Heddle.launch("a", () -> log.sleep("a"));
          Heddle.launch("b", () -> log.sleep("b"));
          Heddle.yieldNow();
          Heddle.shutdown(LONG);
          return "clean";
        });
    assertThat(result).isEqualTo("clean");
    assertThat(log).containsExactly("a cut", "b cut");
  }

  @Test
  @Tag("loop-13")
  void spawn_duringShutdown_runs() {
    VirtualTime.run(() -> {
      Heddle.launch(
          "cleans up",
          () -> {
            try {
              Heddle.delay(LONG);
            } finally {
              Heddle.launch(
                  "late",
                  () -> {
                    Heddle.delay(Duration.ofMillis(1));
                    log.add("late one ran");
                  });
            }
          });
      Heddle.yieldNow();
      Heddle.shutdown(LONG);
    });
    assertThat(log).containsExactly("late one ran");
  }

  @Test
  void shutdown_letsCleanupSuspendUntilItsDeadline() {
    VirtualTime.run(() -> {
      Heddle.launch(
          "cleans up",
          () -> {
            try {
              Heddle.delay(LONG);
            } finally {
              Heddle.delay(Duration.ofMillis(2));
              log.add("cleaned up");
            }
          });
      Heddle.yieldNow();
      Heddle.shutdown(LONG);
    });
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  void shutdown_pastItsDeadline_throwsAtEverySuspensionEvenUnderProtect() {
    int[] thrown = new int[1];
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Heddle.launch(
            "stubborn",
            () ->
                Heddle.shield(() -> {
                  while (thrown[0] < 3) {
                    try {
                      Heddle.delay(LONG);
                    } catch (Cancellation c) {
                      thrown[0]++;
                    }
                  }
                  return 1;
                }));
        Heddle.yieldNow();
        Heddle.shutdown(Duration.ofMillis(2));
      });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("1 coroutine did not end by the shutdown deadline")
          .contains("'stubborn' waits for a timer");
    }
    assertThat(thrown[0]).isEqualTo(3);
  }

  @Test
  void shutdown_withAForeignWaitThatSwallowsInterrupts_namesAndAbandonsIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Throwable> afterwards = new CompletableFuture<>();
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Heddle.launch(
            "deaf",
            () -> {
              awaitUninterruptibly(release);
              try {
                Heddle.yieldNow();
                afterwards.complete(new AssertionError("went on"));
              } catch (Throwable e) {
                afterwards.complete(e);
                throw e;
              }
            });
        Heddle.yieldNow();
        Heddle.shutdown(Duration.ofMillis(2));
      });
      assertThat(reports.messages()).hasSize(1);
      assertThat(reports.messages().getFirst()).contains("'deaf'").contains("abandoned");
    }
    release.countDown();
    assertThat(afterwards.get()).isInstanceOf(LoopEndedException.class);
  }

  @Test
  void supervisedScope_endedPastTheDeadlineWithAMemberLeft_stillReportsItsFailures() {
    CountDownLatch release = new CountDownLatch(1);
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Heddle.launch(
            "owner",
            () ->
                Heddle.supervise(s -> {
                  s.spawn(
                      "failing",
                      () -> {
                        throw new IllegalStateException("nobody takes me");
                      });
                  s.spawn(
                      "deaf",
                      () -> {
                        awaitUninterruptibly(release);
                        return null;
                      });
                  Heddle.delay(LONG);
                  return null;
                }));
        Heddle.yieldNow();
        Heddle.yieldNow();
        Heddle.shutdown(Duration.ofMillis(2));
      });
      assertThat(reports.messages()).anyMatch(m -> m.contains("'failing'"));
    }
    release.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // deaf on purpose: the loop must end all the same
      }
    }
  }

  @Test
  @Tag("loop-10")
  void failureAtTheRoot_cancelsTheOthersGracefully() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch("other", () -> log.sleep("other"));
              Heddle.launch(
                  "failing",
                  () -> {
                    throw failure;
                  });
              log.sleep("main");
            }))
        .isSameAs(failure);
    assertThat(log).containsExactlyInAnyOrder("main cut", "other cut");
  }

  // ---- exit ----

  @Test
  void exit_endsTheLoopGracefullyWithItsCode() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch("other", () -> log.sleep("other"));
              Heddle.yieldNow();
              Heddle.exit(7);
            }))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(7));
    assertThat(log).containsExactly("other cut");
  }

  @Test
  void exit_inACoroutine_leavesItAtOnceAndTheFirstCodeCounts() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch(
                  "exits",
                  () -> {
                    try {
                      Heddle.exit(3);
                      log.add("went on");
                    } finally {
                      Heddle.launch("second", () -> Heddle.exit(4));
                    }
                  });
              log.sleep("main");
            }))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(3));
    assertThat(log).containsExactly("main cut");
  }

  // ---- Loop ----

  @Test
  void start_runsMainOnAThreadOfItsOwn() {
    Loop<String> loop =
        Loop.start(
            HeddleOptions.defaults().withName("workshop"),
            () -> Heddle.offload(() -> "done by " + Thread.currentThread().getName()));
    assertThat(loop.join()).startsWith("done by workshop-offload");
    assertThat(loop.isDone()).isTrue();
    assertThat(loop.result()).isCompletedWithValue(loop.join());
  }

  @Test
  void join_ofALoopThatFailed_throwsTheSameObject() {
    IllegalStateException failure = new IllegalStateException("x");
    Loop<Object> loop =
        Loop.start(() -> {
          throw failure;
        });
    assertThatThrownBy(loop::join).isSameAs(failure);
  }

  @Test
  void shutdown_ofALoopFromOutside_cancelsItsMain() throws Exception {
    CountDownLatch asleep = new CountDownLatch(1);
    Loop<Object> loop =
        Loop.start(() -> {
          asleep.countDown();
          log.sleep("main");
          return "slept";
        });
    asleep.await();
    loop.shutdown(LONG);
    assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class);
    assertThat(log).containsExactly("main cut");
  }

  @Test
  void close_ofALoop_stopsItAndWaitsUntilItHasEnded() {
    Loop<Object> left;
    try (Loop<Object> loop =
        Loop.start(() -> {
          Heddle.delay(Duration.ofHours(1));
          return "never";
        })) {
      loop.submit(() -> "it runs").join();
      left = loop;
    }
    assertThat(left.isDone()).isTrue();
    assertThatThrownBy(left::join).isInstanceOf(Cancellation.class);
  }

  @Test
  void close_ofALoopWhoseMainHasFailed_leavesTheFailureToJoin() {
    Loop<Object> loop =
        Loop.start(() -> {
          throw new IllegalStateException("main");
        });
    var _ = loop.result().exceptionally(_ -> "failed").join();
    loop.close();
    assertThatThrownBy(loop::join).isInstanceOf(IllegalStateException.class).hasMessage("main");
  }

  @Test
  void close_inACoroutineOfTheLoop_isRefused() {
    assertThatThrownBy(() -> Heddle.run(() -> Loop.current().close()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wait from another thread");
  }

  @Test
  void inCoroutine_isTrueInCoroutinesAndNowhereElse() throws Exception {
    assertThat(Heddle.inCoroutine()).isFalse();
    Heddle.run(() -> {
      assertThat(Heddle.inCoroutine()).isTrue();
      assertThat(Heddle.offload(Heddle::inCoroutine)).as("beside the loop").isFalse();
    });
  }

  @Test
  void shutdown_ofALoopThatHasEnded_changesNothing() {
    Loop<String> loop = Loop.start(() -> "done");
    assertThat(loop.join()).isEqualTo("done");
    loop.shutdown(Duration.ZERO);
    assertThat(loop.join()).isEqualTo("done");
  }

  @Test
  void join_insideACoroutineOfAnotherLoop_suspendsOnlyThatCoroutine() {
    CountDownLatch ticked = new CountDownLatch(3);
    Loop<String> other =
        Loop.start(() -> {
          ticked.await();
          return "other";
        });
    String result =
        Heddle.run(() -> {
          Heddle.background(
              "ticker",
              () -> {
                while (true) {
                  ticked.countDown();
                  Heddle.delay(Duration.ofMillis(1));
                }
              });
          return other.join();
        });
    assertThat(result).isEqualTo("other");
  }

  @Test
  void coroutine_ofAnotherLoop_cannotBeAwaitedDirectly() throws Exception {
    CompletableFuture<Coroutine<String>> handle = new CompletableFuture<>();
    CompletableFuture<CompletableFuture<String>> future = new CompletableFuture<>();
    Loop<String> loop =
        Loop.start(() -> {
          var worker =
              Heddle.spawn(() -> {
                Heddle.delay(Duration.ofMillis(5));
                return "elsewhere";
              });
          handle.complete(worker);
          future.complete(worker.toCompletableFuture());
          return worker.await();
        });
    Coroutine<String> foreign = handle.get();
    CompletableFuture<String> outcome = future.get();
    Heddle.run(() -> {
      if (!foreign.isDone()) {
        assertThatThrownBy(foreign::await)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("toCompletableFuture");
      }
      assertThat(Heddle.await(outcome)).isEqualTo("elsewhere");
    });
    assertThat(loop.join()).isEqualTo("elsewhere");
  }

  @Test
  void interruptOfTheCarrier_whileTheLoopSleeps_endsItGracefully() throws Exception {
    CountDownLatch asleep = new CountDownLatch(1);
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                Heddle.run(() -> {
                  asleep.countDown();
                  log.sleep("main");
                });
              } catch (Throwable e) {
                ended.complete(e);
              }
            });
    asleep.await();
    // best effort: an interrupt before the sleep is cleared by the next mount, so send it again
    while (!ended.isDone()) {
      thread.interrupt();
      Thread.onSpinWait();
    }
    assertThat(ended.get()).isInstanceOf(Cancellation.class);
    assertThat(log).containsExactly("main cut");
  }

  // ---- ends that went wrong ----

  @Test
  void mainAbandonedAtTheDeadline_run_throws() {
    CountDownLatch release = new CountDownLatch(1);
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(() -> {
                Heddle.shutdown(Duration.ofMillis(2));
                awaitUninterruptibly(release);
                return "value";
              }))
          .isInstanceOf(LoopEndedException.class)
          .hasMessageContaining("'main'")
          .hasMessageContaining("abandoned");
      assertThat(reports.messages()).hasSize(1);
    } finally {
      release.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, Integer.MIN_VALUE})
  void exitWithMinusOne_andOtherUnusualCodes_runThrowsThatCode(int code) {
    assertThatThrownBy(() -> Heddle.run(() -> Heddle.exit(code)))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void exit_withMinusOneFirst_isNotReplacedByALaterCode() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch(
                  "second",
                  () -> {
                    try {
                      Heddle.delay(LONG);
                    } finally {
                      Heddle.exit(4);
                    }
                  });
              Heddle.yieldNow();
              Heddle.exit(-1);
            }))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(-1));
  }

  @Test
  void shutdownWithoutADeadline_isRefusedAtTheCallAndHarmsNothing() {
    String result =
        Heddle.run(() -> {
          var beside =
              Heddle.spawn(() -> {
                for (int i = 0; i < 3; i++) {
                  Heddle.yieldNow();
                }
                return "beside";
              });
          assertThatThrownBy(() -> Heddle.shutdown(null)).isInstanceOf(NullPointerException.class);
          assertThatThrownBy(() -> Heddle.shutdown(Duration.ofMillis(-1)))
              .isInstanceOf(IllegalArgumentException.class);
          return beside.await();
        });
    assertThat(result).isEqualTo("beside");
  }

  @Test
  void shutdownFromOutside_withoutADeadline_isRefusedAtTheCall() {
    CountDownLatch go = new CountDownLatch(1);
    Loop<String> loop =
        Loop.start(() -> {
          go.await();
          return "done";
        });
    assertThatThrownBy(() -> loop.shutdown(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> loop.shutdown(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a shutdown deadline must not be negative: PT-0.000000001S");
    go.countDown();
    assertThat(loop.join()).isEqualTo("done");
  }

  @Test
  void loopJoin_usersCompletionException_isNotUnwrapped() {
    CompletionException mine = new CompletionException("mine", new IllegalStateException("cause"));
    Loop<Object> loop =
        Loop.start(() -> {
          throw mine;
        });
    assertThatThrownBy(loop::join).isSameAs(mine);
    assertThatThrownBy(loop::join).isSameAs(mine);
  }

  /// The wake-up comes while the carrier, on its way to sleep, opens its first selector.
  @Test
  void wakeUpWhileTheSelectorOpens_isNotLost() throws Exception {
    for (int i = 0; i < 500; i++) {
      long after = i % 80 * 5_000L;
      CompletableFuture<Trigger> go = new CompletableFuture<>();
      Thread puller = Thread.ofPlatform().start(() -> pull(go.join(), after));
      Heddle.run(() -> {
        Trigger trigger = Heddle.trigger("pulled from outside");
        Listener listener = Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Heddle.background("acceptor", listener::accept);
        go.complete(trigger);
        Heddle.await(trigger);
      });
      puller.join();
    }
  }

  private static void pull(Trigger trigger, long afterNanos) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < afterNanos) {
      Thread.onSpinWait();
    }
    trigger.fire();
  }
}
