// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cancelling one coroutine: when it is thrown, how often, and what it never does.
@Timeout(300)
class CancellationTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  private Object sleep(String who) {
    try {
      Heddle.delay(LONG);
      log.add(who + " slept");
    } catch (Cancellation c) {
      log.add(who + " cut: " + c.getMessage());
      throw c;
    }
    return who;
  }

  @Test
  @Tag("loop-74")
  @Tag("W3")
  void cancel_beforeStart_neverRunsBody() {
    Cancellation given = new Cancellation("given");
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> log.add("ran"));
      worker.cancel(given);
      assertThatThrownBy(worker::await).isSameAs(given);
      assertThat(worker.isStarted()).isTrue();
      assertThat(worker.isCancelled()).isTrue();
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-76")
  void cancel_ofOneInADelay_isThrownThere() {
    Cancellation given = new Cancellation("given");
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> sleep("worker"));
      Heddle.yieldNow();
      worker.cancel(given);
      assertThatThrownBy(worker::await).isSameAs(given);
      assertThat(Heddle.counters().timers()).isZero();
    });
    assertThat(log).containsExactly("worker cut: given");
  }

  @Test
  @Tag("loop-76")
  void cancel_ofOneInASuspend_isThrownThere() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            log.add("went on");
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-76")
  void cancel_ofOneThatAwaits_leavesTheAwaitedRunning() {
    Heddle.run(() -> {
      var awaited =
          Heddle.spawn(() -> {
            Heddle.delay(Duration.ofMillis(2));
            return "done";
          });
      var waiting = Heddle.spawn(() -> awaited.await());
      Heddle.yieldNow();
      waiting.cancel("stop");
      assertThatThrownBy(waiting::await).hasMessage("stop");
      assertThat(awaited.await()).isEqualTo("done");
    });
  }

  @Test
  @Tag("loop-78")
  void cancel_ofItsOwnScopeByARunningMember_letsItsCodeEndAndIsItsOutcome() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        var worker =
            scope.spawn(() -> {
              scope.cancel("own scope");
              log.add("runs to the end");
              return "result";
            });
        assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("own scope");
        assertThat(worker.isCancelled()).isTrue();
      }
    });
    assertThat(log).containsExactly("runs to the end");
  }

  @Test
  @Tag("loop-88")
  void cancelTwice_ofAParkedCoroutine_theFirstWins() {
    Cancellation first = new Cancellation("first");
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> sleep("worker"));
      Heddle.yieldNow();
      worker.cancel(first);
      worker.cancel(new Cancellation("second"));
      assertThatThrownBy(worker::await).isSameAs(first);
    });
    assertThat(log).containsExactly("worker cut: first");
  }

  @Test
  @Tag("trap-1")
  void cancel_ofOneThatIsWokenButHasNotRun_isThrownInPlaceOfTheResult() {
    Heddle.run(() -> {
      var source =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            return "value";
          });
      var woken =
          Heddle.spawn(() -> {
            source.await();
            log.add("got the value");
            return 1;
          });
      Heddle.launch(
          "canceller",
          () -> {
            Heddle.yieldNow(); // source ends before this goes on, woken runs behind it
            assertThat(source.isDone()).isTrue();
            assertThat(woken.isQueued()).isTrue();
            woken.cancel("between");
          });
      assertThatThrownBy(woken::await).hasMessage("between");
      assertThat(source.await()).isEqualTo("value");
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("trap-17")
  void catchException_doesNotSwallowACancellation() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              Heddle.delay(LONG);
            } catch (Exception e) {
              log.add("swallowed");
            }
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("trap-17")
  void swallowedCancellation_isTheOutcomeAllTheSame() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              Heddle.delay(LONG);
            } catch (Cancellation c) {
              log.add("swallowed");
            }
            return "result";
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("stop");
    });
    assertThat(log).containsExactly("swallowed");
  }

  @Test
  void failureDuringTheCleanup_isTheOutcome() {
    IllegalStateException failure = new IllegalStateException("cleanup");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker =
              s.spawn(() -> {
                try {
                  Heddle.delay(LONG);
                } finally {
                  fail(failure);
                }
                return 1;
              });
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).isSameAs(failure);
          return null;
        }));
  }

  private static void fail(RuntimeException failure) {
    throw failure;
  }

  @Test
  @Tag("loop-292")
  void checkCancelled_inALongComputation_throwsWhatIsPending() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.checkCancelled();
            Heddle.current().cancel("stop");
            log.add("still computes");
            Heddle.checkCancelled();
            log.add("never");
            return 1;
          });
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("still computes");
  }

  // ---- two stages ----

  @Test
  void deliveredCancellation_withinTheGracePeriod_letsTheCleanupSuspend() {
    VirtualTime.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              Heddle.delay(LONG);
            } finally {
              Heddle.yieldNow();
              Heddle.delay(Duration.ofMillis(2));
              log.add("cleaned up");
            }
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  void deliveredCancellation_afterTheGracePeriod_isThrownAtEverySuspension() {
    HeddleOptions impatient = HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(5));
    Heddle.run(
        impatient,
        () -> {
          var worker =
              Heddle.spawn(() -> {
                for (int i = 0; i < 4; i++) {
                  try {
                    Heddle.delay(LONG);
                  } catch (Cancellation c) {
                    log.add(c.getMessage());
                  }
                }
                return 1;
              });
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).hasMessage("stop");
        });
    assertThat(log).containsExactly("stop", "stop", "stop", "stop");
  }

  @Test
  @Tag("trap-11")
  void gracePeriod_ofACoroutineThatEnds_leavesNoTimer() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> sleep("worker"));
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  // ---- limits ----

  @Test
  void within_whoseBodyIsQuick_isItsResultAndLeavesNoTimer() {
    Heddle.run(() -> {
      assertThat(Heddle.withTimeout(LONG, () -> "quick")).isEqualTo("quick");
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void within_whoseLimitRunsOut_unwindsTheBodyAndThrows() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(2), () -> sleep("body")))
          .isInstanceOf(DeadlineException.class)
          .hasCauseInstanceOf(Cancellation.class);
      Heddle.yieldNow();
      assertThat(Heddle.current().isCancelled()).isFalse();
    });
    assertThat(log).hasSize(1);
    assertThat(log.getFirst()).startsWith("body cut");
  }

  @Test
  @Tag("trap-17")
  void nestedLimits_whenTheOuterRunsOutFirst_throwAtTheOuter() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(2),
                  () -> {
                    try {
                      return Heddle.withTimeout(LONG, () -> sleep("body"));
                    } catch (DeadlineException e) {
                      log.add("inner took it");
                      return null;
                    }
                  }))
          .isInstanceOf(DeadlineException.class)
          .hasMessageContaining("0.002S");
    });
    assertThat(log).hasSize(1);
  }

  @Test
  @Tag("trap-17")
  void nestedLimits_whenTheInnerRunsOutFirst_throwAtTheInner() {
    Heddle.run(() -> {
      String result =
          Heddle.withTimeout(
              LONG,
              () -> {
                assertThatThrownBy(
                        () -> Heddle.withTimeout(Duration.ofMillis(2), () -> sleep("body")))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("0.002S");
                return "outer goes on";
              });
      assertThat(result).isEqualTo("outer goes on");
    });
  }

  @Test
  @Tag("trap-17")
  void limit_thatRanOut_explainsTheEndOfAMemberAwaitedAfterIt() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(1),
                  () ->
                      Heddle.scope(s -> {
                        var member = s.spawn(() -> sleep("member"));
                        try {
                          sleep("body");
                        } catch (Cancellation swallowed) {
                          log.add("swallowed");
                        }
                        return member.await();
                      })))
          .isInstanceOf(DeadlineException.class);
    });
    assertThat(log).contains("swallowed");
  }

  private static void computeFor(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("trap-17")
  void nestedLimits_thatRunOutTogether_throwAtTheOuter() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(1),
                  () ->
                      Heddle.withTimeout(
                          Duration.ofMillis(1),
                          () -> {
                            computeFor(Duration.ofMillis(3)); // past both of them
                            return sleep("body");
                          })))
          .isInstanceOf(DeadlineException.class);
      Heddle.yieldNow();
      Heddle.delay(Duration.ofMillis(1));
    });
  }

  @Test
  @Tag("trap-17")
  void cancel_ofOneInALimit_isNotTakenForTheLimit() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              return Heddle.withTimeout(LONG, () -> sleep("body"));
            } catch (DeadlineException e) {
              log.add("taken for the limit");
              return null;
            }
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("body cut: stop");
  }

  @Test
  @Tag("trap-17")
  void cancel_whileALimitIsCleanedUp_isNotLost() {
    Heddle.run(() -> {
      Coroutine<?>[] self = new Coroutine<?>[1];
      self[0] =
          Heddle.spawn(() -> {
            try {
              Heddle.withTimeout(
                  Duration.ofMillis(1),
                  () -> {
                    try {
                      return sleep("body");
                    } finally {
                      self[0].cancel("outer");
                    }
                  });
            } catch (DeadlineException e) {
              log.add("limit");
            }
            Heddle.yieldNow();
            log.add("lost");
            return 1;
          });
      assertThatThrownBy(self[0]::await).hasMessage("outer");
    });
    assertThat(log).endsWith("limit").doesNotContain("lost");
  }

  @Test
  @Tag("trap-17")
  void limit_thatWasNotDelivered_endsWithItsBlock() {
    Heddle.run(() -> {
      String result =
          Heddle.withTimeout(
              Duration.ofMillis(1),
              () -> {
                computeFor(Duration.ofMillis(3));
                return "computed";
              });
      assertThat(result).isEqualTo("computed");
      Heddle.yieldNow();
      Heddle.delay(Duration.ofMillis(1));
    });
  }

  @Test
  @Tag("trap-17")
  void cancel_whileAScopeIsJoined_isThrownAfterItsMembersEnded() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.scope(s -> {
              s.launch("member", () -> sleep("member"));
              return null;
            });
            log.add("went on");
            return 1;
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      worker.cancel("outer");
      assertThatThrownBy(worker::await).hasMessage("outer");
    });
    assertThat(log).containsExactly("member cut: outer");
  }

  @Test
  @Tag("trap-17")
  void cancel_whileTheMembersOfAClosedScopeEnd_isThrownAtTheNextSuspension() {
    VirtualTime.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try (Scope scope = Scope.open()) {
              scope.launch(
                  "slow to end",
                  () -> {
                    try {
                      Heddle.delay(LONG);
                    } finally {
                      Heddle.delay(Duration.ofMillis(5));
                    }
                  });
              Heddle.yieldNow();
            }
            log.add("closed");
            Heddle.yieldNow();
            log.add("lost");
            return 1;
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      Heddle.yieldNow();
      worker.cancel("outer");
      assertThatThrownBy(worker::await).hasMessage("outer");
    });
    assertThat(log).containsExactly("closed");
  }

  @Test
  @Tag("trap-22")
  void coroutine_spawnedByCleanupOutsideTheScope_isNotCancelledWithIt() {
    VirtualTime.run(() ->
        Heddle.scope(outer -> {
          try (Scope inner = Scope.open()) {
            inner.launch(
                "member",
                () -> {
                  try {
                    Heddle.delay(LONG);
                  } finally {
                    outer.launch(
                        "cleanup",
                        () -> {
                          Heddle.delay(Duration.ofMillis(1));
                          log.add("cleaned up");
                        });
                  }
                });
            Heddle.yieldNow();
          }
          return null;
        }));
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  void cancel_withNothing_isRefusedAndNothingIsCancelled() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "done");
      Scope scope = Scope.current().child();
      assertThatThrownBy(() -> worker.cancel((String) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> worker.cancel((Cancellation) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> scope.cancel(null)).isInstanceOf(NullPointerException.class);
      assertThat(worker.isCancelled()).isFalse();
      assertThat(scope.isCancelled()).isFalse();
      assertThat(worker.await()).isEqualTo("done");
    });
  }
}
