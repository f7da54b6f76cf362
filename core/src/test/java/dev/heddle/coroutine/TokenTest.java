// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waits that something else may end.
@Timeout(300)
class TokenTest {
  private static final Duration LONG = Duration.ofHours(1);

  private static Coroutine<String> slow(Scope scope) {
    return scope.spawn(
        "slow",
        () -> {
          Heddle.delay(LONG);
          return "never";
        });
  }

  private static Coroutine<Object> failing(Scope scope, RuntimeException failure) {
    return scope.spawn(
        "failing",
        () -> {
          Heddle.yieldNow();
          throw failure;
        });
  }

  @Test
  @Tag("loop-45")
  void await_whoseDeadlineRunsOut_stopsWaitingAndLeavesTheWorkRunning() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker = slow(s);
          assertThatThrownBy(() -> worker.await(Deadline.after(Duration.ofMillis(1))))
              .isInstanceOf(DeadlineException.class);
          assertThat(worker.isDone()).isFalse();
          assertThat(worker.isCancelled()).isFalse();
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  void await_withinItsDeadline_isTheResult() {
    String result = Heddle.run(() -> Heddle.spawn(() -> "done").await(Deadline.after(LONG)));
    assertThat(result).isEqualTo("done");
  }

  @Test
  void await_withADeadlineThatIsOver_throwsUnlessTheResultIsThere() {
    Heddle.run(() -> {
      Deadline over = Deadline.after(Duration.ofNanos(1));
      var never = Heddle.spawn(() -> Heddle.await(new CompletableFuture<String>()));
      assertThatThrownBy(() -> never.await(over)).isInstanceOf(DeadlineException.class);
      never.cancel("enough");
      var done = Heddle.spawn(() -> "done");
      done.await();
      assertThat(done.await(over)).isEqualTo("done");
    });
  }

  @Test
  @Tag("loop-46")
  void await_ofOneCancelledBeforeTheDeadline_throwsItsCancellation() {
    Cancellation manual = new Cancellation("manual");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker = slow(s);
          s.launch("canceller", () -> worker.cancel(manual));
          assertThatThrownBy(() -> worker.await(Deadline.after(LONG))).isSameAs(manual);
          return null;
        }));
  }

  @Test
  @Tag("loop-48")
  void await_withATokenThatFailedBefore_throwsAtOnceWithItsErrorAsTheCause() {
    IllegalStateException failure = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var token = failing(s, failure);
          assertThatThrownBy(token::await).isSameAs(failure);
          var worker = slow(s);
          long switches = Heddle.counters().switches();
          assertThatThrownBy(() -> worker.await(token))
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(failure);
          assertThat(Heddle.counters().switches()).isEqualTo(switches);
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-49")
  void await_whoseTokenFiresWithAValue_throwsWithoutACause() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker = slow(s);
          var token = s.spawn(() -> "fired");
          assertThatThrownBy(() -> worker.await(token))
              .isInstanceOf(WaitCancelledException.class)
              .hasNoCause();
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-49")
  void await_whoseTokenFails_throwsWithItsErrorAsTheCause() {
    IllegalStateException failure = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker = slow(s);
          var token = failing(s, failure);
          assertThatThrownBy(() -> worker.await(token))
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(failure);
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-49")
  void await_whoseTokenIsCancelled_throwsWithThatCancellationAsTheCause() {
    Cancellation cancellation = new Cancellation("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker = slow(s);
          var token = slow(s);
          s.launch("canceller", () -> token.cancel(cancellation));
          assertThatThrownBy(() -> worker.await(token))
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(cancellation);
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-50")
  void await_withATokenCancelledBefore_wrapsThatCancellation() {
    Cancellation cancellation = new Cancellation("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var token = slow(s);
          token.cancel(cancellation);
          Heddle.yieldNow();
          var worker = slow(s);
          assertThatThrownBy(() -> worker.await(token))
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(cancellation);
          worker.cancel("enough");
          return null;
        }));
  }

  @Test
  @Tag("loop-52")
  void await_withItselfAsTheToken_isTheValue() {
    String result =
        Heddle.run(() -> {
          var worker = Heddle.spawn(() -> "value");
          return worker.await(worker);
        });
    assertThat(result).isEqualTo("value");
  }

  @Test
  @Tag("trap-12")
  void tokens_thatLostTheRace_keepNothingArmed() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "value");
      worker.await(Deadline.after(LONG));
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void oneTimer_asTheTokenOfSeveralWaits_endsThemAll() {
    int[] ended = new int[1];
    Heddle.run(() -> {
      var token = Heddle.timer(Duration.ofMillis(2));
      var never =
          Heddle.spawn(() -> {
            Heddle.delay(LONG);
            return 1;
          });
      Coroutine<?>[] waiting = new Coroutine<?>[5];
      for (int i = 0; i < 5; i++) {
        waiting[i] =
            Heddle.spawn(() -> {
              assertThatThrownBy(() -> never.await(token))
                  .isInstanceOf(WaitCancelledException.class);
              ended[0]++;
              return 1;
            });
      }
      for (Coroutine<?> c : waiting) {
        c.await();
      }
      assertThatThrownBy(() -> never.await(token)).isInstanceOf(WaitCancelledException.class);
      never.cancel("enough");
    });
    assertThat(ended[0]).isEqualTo(5);
  }

  @Test
  void triggerThatEndedOneWait_endsNoOther() {
    Heddle.run(() -> {
      Trigger stop = Heddle.trigger("stop");
      Promise<String> never = Heddle.promise("never");
      stop.fire();
      assertThatThrownBy(() -> never.future().await(stop))
          .isInstanceOf(WaitCancelledException.class);
      Heddle.launch("completing", () -> never.complete("came"));
      assertThat(never.future().await(stop)).isEqualTo("came");
    });
  }

  @Test
  void triggerThatCutOneBlock_cutsNoOther() {
    Heddle.run(() -> {
      Trigger stop = Heddle.trigger("stop");
      stop.fire();
      assertThatThrownBy(() -> Heddle.cancelWhen(stop, () -> Heddle.delay(LONG)))
          .isInstanceOf(WaitCancelledException.class);
      String result =
          Heddle.cancelWhen(
              stop,
              () -> {
                Heddle.delay(Duration.ofMillis(1));
                return "whole";
              });
      assertThat(result).isEqualTo("whole");
    });
  }

  // ---- stages of other libraries ----

  @Test
  void awaitStage_whoseDeadlineRunsOut_leavesNothingOnIt() {
    Heddle.run(() -> {
      CompletableFuture<String> stage = new CompletableFuture<>();
      assertThatThrownBy(() -> Heddle.await(stage, Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(stage.getNumberOfDependents()).isZero();
      stage.complete("late");
      assertThat(Heddle.await(stage, Deadline.after(LONG))).isEqualTo("late");
    });
  }

  @Test
  void awaitStage_whoseTokenFires_leavesNothingOnIt() {
    Heddle.run(() -> {
      CompletableFuture<String> stage = new CompletableFuture<>();
      Promise<String> token = Heddle.promise();
      Heddle.launch("firing", () -> token.complete("enough"));
      assertThatThrownBy(() -> Heddle.await(stage, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(stage.getNumberOfDependents()).isZero();
      stage.complete("late");
      assertThat(Heddle.await(stage, token.future())).isEqualTo("late");
    });
  }

  @Test
  void awaitOfAStage_completedByAnotherThread_isItsValue() {
    String result =
        Heddle.run(() -> {
          CompletableFuture<String> stage = new CompletableFuture<>();
          Thread.ofPlatform().start(() -> stage.complete("from outside"));
          return Heddle.await(stage);
        });
    assertThat(result).isEqualTo("from outside");
  }

  @Test
  void awaitOfAStage_thatFailed_throwsWhatItFailedWith() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() -> {
      CompletableFuture<String> stage =
          CompletableFuture.<String>failedFuture(failure).thenApply(x -> x);
      assertThatThrownBy(() -> Heddle.await(stage)).isSameAs(failure);
    });
  }

  @Test
  void awaitOfAStage_thatIsCancelled_leavesTheStageAlone() {
    Heddle.run(() -> {
      CompletableFuture<String> stage = new CompletableFuture<>();
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(1), () -> Heddle.await(stage)))
          .isInstanceOf(DeadlineException.class);
      assertThat(stage).isNotDone();
      stage.complete("late");
      assertThat(Heddle.await(stage)).isEqualTo("late");
    });
  }

  // ---- blocks that a token or a deadline ends ----

  @Test
  void within_whoseTokenFires_cutsTheBodyAndThrows() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      var token = Heddle.timer(Duration.ofMillis(2));
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  token,
                  () -> {
                    try {
                      Heddle.delay(LONG);
                    } finally {
                      log.add("cut");
                    }
                  }))
          .isInstanceOf(WaitCancelledException.class)
          .hasNoCause();
      Heddle.yieldNow();
      assertThat(Heddle.current().isCancelled()).isFalse();
    });
    assertThat(log).containsExactly("cut");
  }

  @Test
  void within_whoseTokenFails_saysWhatItFailedWith() {
    IllegalStateException failure = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var token = failing(s, failure);
          assertThatThrownBy(() -> Heddle.cancelWhen(token, () -> Heddle.delay(LONG)))
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(failure);
          return null;
        }));
  }

  @Test
  void within_aTokenThatHasFiredBefore_cutsTheBodyAtItsFirstWait() {
    Heddle.run(() -> {
      var token = Heddle.spawn(() -> "fired");
      token.await();
      List<String> log = new ArrayList<>();
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  token,
                  () -> {
                    log.add("began");
                    Heddle.delay(LONG);
                  }))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(log).containsExactly("began");
    });
  }

  @Test
  void within_whoseBodyIsQuickerThanItsToken_isItsResultAndLeavesNoTimer() {
    Heddle.run(() -> {
      var token = Heddle.timer(LONG);
      assertThat(Heddle.cancelWhen(token, () -> "quick")).isEqualTo("quick");
      assertThat(Heddle.withDeadline(Deadline.after(LONG), () -> "quick")).isEqualTo("quick");
      assertThat(Heddle.withDeadline(Deadline.never(), () -> "quick")).isEqualTo("quick");
      assertThat(EventSource.of(token).subscribers()).isZero();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void within_aDeadlineSharedByTwoBlocks_cutsBoth() {
    Heddle.run(() -> {
      Deadline shared = Deadline.after(Duration.ofMillis(2));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> Heddle.withDeadline(shared, () -> Heddle.delay(LONG)))
            .isInstanceOf(DeadlineException.class)
            .hasMessageContaining("withDeadline(deadline)");
      }
    });
  }

  @Test
  void within_ofTokensOneInsideTheOther_throwsAtTheOneThatFired() {
    Heddle.run(() -> {
      var outer = Heddle.timer(Duration.ofMillis(1));
      var inner = Heddle.timer(LONG);
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  outer,
                  () -> {
                    try {
                      Heddle.cancelWhen(inner, () -> Heddle.delay(LONG));
                    } catch (WaitCancelledException e) {
                      throw new AssertionError("the inner block took it", e);
                    }
                  }))
          .isInstanceOf(WaitCancelledException.class);
    });
  }

  // ---- a token that fails is never lost ----

  @Test
  @Tag("trap-19")
  void within_whoseBodyFailsAsItsTokenDoes_throwsTheOneAndReportsTheOther() {
    IllegalStateException ofBody = new IllegalStateException("body");
    IllegalStateException ofToken = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Promise<Object> promise = Heddle.promise();
          Coroutine<Object> token =
              s.spawn(() -> {
                promise.fail(ofBody);
                throw ofToken;
              });
          assertThatThrownBy(() -> Heddle.cancelWhen(token, () -> promise.future().await()))
              .isSameAs(ofBody);
          return null;
        }));
    FailureReport report = Heddle.reportOf(ofBody);
    assertThat(report == null ? List.of() : report.merged()).isEqualTo(List.of(ofToken));
  }

  @Test
  @Tag("trap-19")
  void within_whoseTokenFailsBesideACancellation_throwsWhatWouldBeLost() {
    IllegalStateException ofToken = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          List<Coroutine<?>> cut = new ArrayList<>();
          Coroutine<Object> token =
              s.spawn(() -> {
                Heddle.yieldNow();
                cut.getFirst().cancel("stop");
                throw ofToken;
              });
          cut.add(s.spawn(() -> Heddle.cancelWhen(token, () -> Heddle.promise().future().await())));
          assertThatThrownBy(cut.getFirst()::await)
              .isInstanceOf(WaitCancelledException.class)
              .hasCause(ofToken);
          return null;
        }));
  }

  @Test
  void within_whoseBodyGoesOnAfterItsTokenHasFailed_throwsWithThatFailure() {
    IllegalStateException ofToken = new IllegalStateException("token");
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            Coroutine<Object> token = failing(s, ofToken);
            assertThatThrownBy(() ->
                    Heddle.cancelWhen(
                        token,
                        () -> {
                          try {
                            Heddle.delay(LONG);
                          } catch (Cancellation _) {
                            // safe: that is what this test is about
                          }
                          return "went on";
                        }))
                .isInstanceOf(WaitCancelledException.class)
                .hasCause(ofToken);
            return null;
          }));
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  void within_whoseBodyEndsWithoutAWaitAfterItsTokenHasFailed_reportsThat() {
    IllegalStateException ofToken = new IllegalStateException("token");
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            Coroutine<Object> token = failing(s, ofToken);
            while (!token.isDone()) {
              Heddle.yieldNow();
            }
            String result = Heddle.cancelWhen(token, () -> "ended");
            assertThat(result).isEqualTo("ended");
            return null;
          }));
      assertThat(reports.failures()).containsExactly(ofToken);
    }
  }
}
