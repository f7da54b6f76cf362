// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waiting for a scope: from outside, for so long, and after it was cancelled.
@Timeout(300)
class ScopeJoinTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final IllegalStateException failure = new IllegalStateException("x");
  private final Log log = new Log();

  // ---- from outside ----

  @Test
  @Tag("loop-118")
  void join_fromOutsideWithADeadline_returnsWithTheLastMember() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("quick", () -> log.add("quick"));
      scope.join(Deadline.after(LONG));
      assertThat(log).containsExactly("quick");
      assertThat(Heddle.counters().timers()).isZero();
      assertThat(scope.spawn(() -> "open still").await()).isEqualTo("open still");
    });
  }

  @Test
  @Tag("loop-118")
  void join_whoseDeadlineRunsOut_leavesTheMembersAlone() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("slow", () -> log.sleep("slow"));
      assertThatThrownBy(() -> scope.join(Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> Heddle.await(scope, Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(scope.isCancelled()).isFalse();
      assertThat(log).isEmpty();
      scope.close();
    });
  }

  @Test
  @Tag("loop-122")
  void join_withATokenThatFires_leavesTheMembersAlone() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("slow", () -> log.sleep("slow"));
      var token = Heddle.timer(Duration.ofMillis(1));
      assertThatThrownBy(() -> scope.join(token)).isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> Heddle.await(scope, token))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(scope.isCancelled()).isFalse();
      scope.close();
    });
  }

  /// The warnings about futures that nobody used.
  private static List<String> warningsAfter(dev.heddle.Action main) {
    try (Reports reports = new Reports()) {
      Heddle.run(main);
      return reports.messages();
    }
  }

  @Test
  @Tag("loop-122")
  void futureAsTheTokenOfAJoin_countsAsUsed() {
    assertThat(
            warningsAfter(() -> {
              Scope scope = Scope.detached();
              var token = Heddle.<Integer>promise("token of a join");
              scope.join(token.future());
              token.complete(1);
              var other = Heddle.<Integer>promise("token of a wait after the cancellation");
              scope.cancel("over");
              scope.awaitCancelled(other.future());
              other.complete(1);
            }))
        .isEmpty();
    assertThat(warningsAfter(() -> Heddle.<Integer>promise("unused").complete(1)))
        .as("what would be said else")
        .hasSize(1);
  }

  @Test
  @Tag("loop-120")
  void join_fromOutside_waitsForMembersThatMembersSpawn() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      spawnDown(scope, 3);
      scope.join();
      assertThat(log).containsExactly("level 3", "level 2", "level 1", "level 0");
    });
  }

  private void spawnDown(Scope scope, int depth) {
    scope.launch(
        "level",
        () -> {
          Heddle.delay(Duration.ofMillis(1));
          log.add("level " + depth);
          if (depth > 0) {
            spawnDown(scope, depth - 1);
          }
        });
  }

  @Test
  @Tag("loop-121")
  void join_fromOutside_waitsForTheScopesThatMembersHaveOpened() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch(
          "member",
          () -> {
            try (Scope below = Scope.open()) {
              Scope grandchild = below.child();
              grandchild.launch(
                  "leaf",
                  () -> {
                    Heddle.delay(Duration.ofMillis(1));
                    log.add("leaf");
                  });
              below.join();
            }
          });
      scope.join();
      assertThat(log).containsExactly("leaf");
    });
  }

  @Test
  void join_byAnOutsiderThatIsCancelled_leavesTheMembersAlone() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("member", () -> log.sleep("member"));
      var joiner =
          Heddle.spawn(() -> {
            scope.join();
            return 1;
          });
      Heddle.yieldNow();
      joiner.cancel("stop");
      assertThatThrownBy(joiner::await).hasMessage("stop");
      assertThat(scope.isCancelled()).isFalse();
      assertThat(log).isEmpty();
      scope.close();
    });
  }

  @Test
  void join_byAnOutsider_leavesTheBackgroundMembersAlone() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.background("heartbeat", () -> log.sleep("heartbeat"));
      scope.launch("work", () -> log.add("work"));
      scope.join();
      assertThat(log).containsExactly("work");
      scope.close();
    });
    assertThat(log).containsExactly("work", "heartbeat cut");
  }

  @Test
  void join_inABlocksOwnBody_isABarrierThatLeavesTheBackgroundAlone() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          s.background("heartbeat", () -> log.sleep("heartbeat"));
          for (int round = 1; round <= 2; round++) {
            String what = "round " + round;
            s.launch("work", () -> log.add(what));
            s.join();
            log.add("joined");
          }
          return null;
        }));
    assertThat(log).containsExactly("round 1", "joined", "round 2", "joined", "heartbeat cut");
  }

  @Test
  @Tag("loop-96")
  void join_fromOutsideOfACancelledScope_throwsWhenItsMembersHaveEnded() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("member", () -> log.sleep("member"));
      Heddle.yieldNow();
      scope.cancel("msg");
      assertThat(scope.isClosed()).isFalse();
      assertThatThrownBy(scope::join)
          .isInstanceOf(Cancellation.class)
          .hasMessage("the scope was cancelled: msg");
      assertThat(log).containsExactly("member cut");
    });
  }

  // ---- from inside ----

  @Test
  void join_byAMember_isRefused() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("member", () -> assertRefused(scope));
      scope.join();
    });
    assertThat(log).hasSize(3);
  }

  @Test
  void join_byAMemberOfAScopeBelow_isRefused() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch(
          "member",
          () ->
              Heddle.scope(s -> {
                s.launch("below", () -> assertRefused(scope));
                return null;
              }));
      scope.child().launch("in a child", () -> assertRefused(scope));
      scope.join();
    });
    assertThat(log).hasSize(6);
  }

  private void assertRefused(Scope scope) {
    for (dev.heddle.Action wait :
        List.<dev.heddle.Action>of(scope::join, scope::awaitCancelled, () -> Heddle.await(scope))) {
      assertThatThrownBy(wait::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("wait from outside");
      log.add("refused");
    }
  }

  @Test
  void join_ofAScopeOfAnotherLoop_isRefused() {
    Heddle.run(() -> {
      Scope ofAnother = dev.heddle.Loop.start(Scope::detached).join();
      assertThatThrownBy(ofAnother::join).isInstanceOf(IllegalStateException.class);
    });
  }

  // ---- after the cancellation ----

  @Test
  @Tag("loop-124")
  void awaitCancelled_ofAScopeThatWasNot_isRefused() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      assertThatThrownBy(scope::awaitCancelled)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has not been cancelled");
    });
  }

  private Scope failingInItsCleanup() {
    Scope scope = Scope.detached();
    scope.launch(
        "member",
        () -> {
          try {
            Heddle.delay(LONG);
          } catch (Cancellation c) {
            Heddle.yieldNow();
            throw failure;
          }
        });
    Heddle.yieldNow();
    return scope;
  }

  @Test
  @Tag("loop-125")
  void awaitCancelled_withAHandler_givesItTheFailureOfACleanupAndReturns() {
    Heddle.run(() -> {
      Scope scope = failingInItsCleanup();
      scope.cancel("stop");
      scope.awaitCancelled((failed, coroutine, thrown) -> {
        assertThat(failed).isSameAs(scope);
        assertThat(coroutine.name()).isEqualTo("member");
        assertThat(thrown).isSameAs(failure);
        log.add("handled");
      });
      log.add("returned");
    });
    assertThat(log).containsExactly("handled", "returned");
  }

  @Test
  @Tag("loop-125")
  void awaitCancelled_withAHandler_givesItTheFailureThatCancelledTheScope() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Scope child = s.child();
          child.launch(
              "member",
              () -> {
                throw failure;
              });
          Heddle.yieldNow();
          child.awaitCancelled(
              (failed, coroutine, thrown) -> log.add("handled " + thrown.getMessage()));
          return null;
        }));
    assertThat(log).containsExactly("handled x");
  }

  @Test
  @Tag("loop-126")
  void awaitCancelled_withoutAHandler_throwsTheFailureOfACleanup() {
    Heddle.run(() -> {
      Scope scope = failingInItsCleanup();
      scope.cancel("stop");
      assertThatThrownBy(scope::awaitCancelled).isSameAs(failure);
    });
  }

  @Test
  @Tag("loop-126")
  void awaitCancelled_ofMembersThatEndWell_returns() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("member", () -> log.sleep("member"));
      Heddle.yieldNow();
      scope.cancel("stop");
      scope.awaitCancelled(Deadline.after(LONG));
      scope.awaitCancelled();
    });
    assertThat(log).containsExactly("member cut");
  }

  @Test
  void awaitCancelled_whoseDeadlineRunsOut_stopsWaiting() {
    VirtualTime.run(() -> {
      Scope scope = Scope.detached();
      var hanging =
          scope.spawn(() -> {
            Heddle.shield(() -> Heddle.delay(Duration.ofMillis(20)));
            return 1;
          });
      Heddle.yieldNow();
      scope.cancel("stop");
      assertThatThrownBy(() -> scope.awaitCancelled(Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(hanging.isDone()).isFalse();
      scope.awaitCancelled();
    });
  }

  @Test
  void awaitCancelled_thatIsRefused_leavesTheScopeWithoutAHandler() {
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  Scope child = s.child();
                  assertThatThrownBy(() ->
                          child.awaitCancelled((failed, coroutine, thrown) -> log.add("handled")))
                      .isInstanceOf(IllegalStateException.class);
                  child.launch(
                      "member",
                      () -> {
                        throw failure;
                      });
                  Heddle.delay(LONG);
                  return null;
                })))
        .isSameAs(failure);
    assertThat(log).isEmpty();
  }
}
