// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where a scope may be closed, and what its end says about failures and cancellations.
@Timeout(300)
class ScopeEndTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Log log = new Log();

  // ---- closed in the wrong place ----

  @Test
  void scopeBlock_closedFromInsideItself_isRefusedAndItsMembersGoOn() {
    String result =
        Heddle.run(() ->
            Heddle.scope(s -> {
              var member =
                  s.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "member done";
                  });
              assertThatThrownBy(s::close).isInstanceOf(IllegalStateException.class);
              assertThat(s.isClosed()).isFalse();
              return member.await();
            }));
    assertThat(result).isEqualTo("member done");
  }

  @Test
  void enclosingScope_closedFromInsideABlock_isRefusedAndItsMembersGoOn() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        var member =
            outer.spawn(() -> {
              Heddle.delay(Duration.ofMillis(1));
              return "member done";
            });
        Heddle.scope(inner -> {
          assertThatThrownBy(outer::close)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("inside a block");
          return null;
        });
        assertThat(outer.isClosed()).isFalse();
        assertThat(member.await()).isEqualTo("member done");
      }
    });
  }

  @Test
  void scopeOpenedInsideABlock_closedThere_leavesTheMembersOfTheBlock() {
    String result =
        Heddle.run(() ->
            Heddle.scope(block -> {
              var member =
                  block.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "member done";
                  });
              Scope opened = Scope.open();
              opened.launch("cut", () -> log.sleep("cut"));
              Heddle.yieldNow();
              opened.close();
              assertThat(block.isClosed()).isFalse();
              return member.await();
            }));
    assertThat(result).isEqualTo("member done");
    assertThat(log).containsExactly("cut cut");
  }

  // ---- what nobody joined ----

  private void failingMember(RuntimeException failure, Scope scope) {
    scope.launch(
        "failing",
        () -> {
          throw failure;
        });
    Heddle.yieldNow();
  }

  @Test
  void failureOfAScopeThatWasNotJoined_isReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        try (Scope scope = Scope.open()) {
          failingMember(failure, scope);
        }
        while (reports.failures().isEmpty()) {
          Heddle.yieldNow(); // it is logged beside the loop
        }
        assertThat(reports.failures()).containsExactly(failure);
      });
      assertThat(reports.failures()).hasSize(1);
    }
  }

  @Test
  void failureOfAScopeLeftOpen_isReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> failingMember(failure, Scope.open()));
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void failureOfAScopeThatWasJoined_isNotReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        try (Scope scope = Scope.open()) {
          failingMember(failure, scope);
          assertThatThrownBy(scope::join).isSameAs(failure);
        }
      });
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  @Tag("loop-96")
  void join_ofACancelledScope_throwsWhenItsMembersHaveEnded() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("member", () -> log.sleep("member"));
        Heddle.yieldNow();
        scope.cancel("msg");
        assertThat(scope.isClosed()).isFalse();
        assertThatThrownBy(scope::join)
            .isInstanceOf(Cancellation.class)
            .hasMessage("the scope was cancelled: msg");
        assertThat(log).containsExactly("member cut");
      }
    });
  }

  @Test
  void join_twice_afterItEndedTheBackgroundMembers_returnsBothTimes() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.background("watcher", () -> log.sleep("watcher"));
        Heddle.yieldNow();
        scope.join();
        scope.join();
      }
    });
    assertThat(log).containsExactly("watcher cut");
  }

  // ---- failures that meet ----

  @Test
  @Tag("trap-18")
  @Tag("trap-19")
  void scopeThatFailedWithTheCancellationOfAnother_throwsALaterFailureAndLosesNone() {
    IllegalStateException ofMember = new IllegalStateException("member");
    IllegalStateException ofBody = new IllegalStateException("body");
    Heddle.run(() -> {
      Cancellation first = new Cancellation("of somebody else");
      var cancelled = Heddle.spawn(() -> 1);
      cancelled.cancel(first);
      Heddle.yieldNow();
      Throwable thrown =
          catchThrowable(() ->
              Heddle.scope(s -> {
                s.launch(
                    "fails later",
                    () ->
                        Heddle.shield(() -> {
                          Heddle.yieldNow();
                          throw ofMember;
                        }));
                s.launch("awaits it in vain, and fails with that", cancelled::await);
                try {
                  Heddle.delay(LONG);
                } catch (Cancellation _) {
                  throw ofBody;
                }
                return null;
              }));
      assertThat(thrown).isSameAs(ofMember);
      assertThat(Heddle.reportOf(ofMember).merged()).containsExactlyInAnyOrder(first, ofBody);
    });
  }

  @Test
  @Tag("trap-17")
  void limitThatRunsOutWhileAFailedScopeEnds_isThrownAtTheNextSuspension() {
    IllegalStateException failure = new IllegalStateException("x");
    VirtualTime.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(1),
                    () -> {
                      try {
                        Heddle.scope(s -> {
                          s.launch(
                              "fails behind the limit",
                              () ->
                                  Heddle.shield(() -> {
                                    Heddle.delay(Duration.ofMillis(5));
                                    throw failure;
                                  }));
                          return null;
                        });
                      } catch (IllegalStateException e) {
                        log.add("caught " + e.getMessage());
                      }
                      Heddle.yieldNow();
                      log.add("went on");
                    }))
            .isInstanceOf(DeadlineException.class));
    assertThat(log).containsExactly("caught x");
  }

  @Test
  @Tag("trap-17")
  void cancellationThatAScopeMeetsAsItFails_isThrownAtTheNextSuspension() {
    Heddle.run(() -> {
      var owner =
          Heddle.spawn(() -> {
            try {
              Heddle.scope(s -> {
                s.launch(
                    "fails in its cleanup",
                    () -> {
                      try {
                        Heddle.delay(LONG);
                      } finally {
                        log.add("cut");
                        Integer.parseInt("no number");
                      }
                    });
                return null;
              });
            } catch (NumberFormatException e) {
              log.add("caught");
            }
            Heddle.yieldNow();
            return log.add("went on");
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      owner.cancel("stop");
      assertThatThrownBy(owner::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cut", "caught");
  }

  @Test
  @Tag("T18")
  @Tag("trap-18")
  void failuresPastTheShutdownDeadline_ofMembersWhoseScopeHasEnded_areReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        for (boolean supervised : new boolean[] {false, true}) {
          Heddle.launch(
              "owner",
              () -> {
                ScopeBody<Object> body =
                    s -> {
                      s.launch("late", () -> failLate(failure));
                      return log;
                    };
                Heddle.shield(() -> supervised ? Heddle.supervise(body) : Heddle.scope(body));
              });
        }
        Heddle.launch(
            "stop",
            () -> {
              Heddle.yieldNow();
              Heddle.yieldNow();
              Heddle.shutdown(Duration.ofMillis(1));
            });
      });
      assertThat(reports.messages())
          .filteredOn("a member failed after the end of its scope"::equals)
          .hasSize(2);
      assertThat(reports.failures()).filteredOn(f -> f == failure).hasSize(2);
    }
  }

  private static void failLate(RuntimeException failure) throws Exception {
    try {
      Heddle.shield(() -> Heddle.delay(LONG));
    } catch (Cancellation _) {
      throw failure;
    }
  }

  // ---- who does not end ----

  @Test
  void close_thatWaitsBeyondTheGracePeriod_namesWhoHasNotEndedOnceAndGoesOnWaiting() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        try (Scope outer = Scope.open()) {
          outer.launch(
              "owner",
              () ->
                  Heddle.scope(inner -> {
                    inner.launch(
                        "slow", () -> Heddle.shield(() -> Heddle.delay(Duration.ofMinutes(1))));
                    return null;
                  }));
          outer.launch("quick", () -> log.sleep("quick"));
          Heddle.yieldNow();
          Heddle.yieldNow();
        }
        log.add("closed");
      });
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .startsWith("2 coroutines have not ended within the grace period")
          .contains("coroutine-4 'slow' waits for", "at " + ScopeEndTest.class.getName());
    }
    assertThat(log).containsExactly("quick cut", "closed");
  }

  @Test
  void backgroundCoroutine_thatSwallowsItsCancellation_isNamedWhenEverythingElseIsDone() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() -> {
        Heddle.background(
            "stubborn",
            () -> {
              while (reports.messages().isEmpty()) {
                try {
                  Heddle.delay(Duration.ofSeconds(1));
                } catch (Cancellation c) {
                  log.add("swallowed");
                }
              }
            });
        Heddle.yieldNow();
      });
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .contains("the root scope waits", "'stubborn' ");
    }
    assertThat(log).contains("swallowed");
  }
}
