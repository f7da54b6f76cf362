// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Scopes cancelled so that members that have started may finish: what those may still do, and that
/// the loop does not wait for them.
@Timeout(300)
class LeftToFinishTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  private void sleep(String who) {
    try {
      Heddle.delay(LONG);
      log.add(who + " slept");
    } catch (Cancellation c) {
      log.add(who + " cut: " + c.getMessage());
      throw c;
    }
  }

  private void steps(String who, int count) {
    for (int i = 0; i < count; i++) {
      Heddle.yieldNow();
    }
    log.add(who + " finished");
  }

  private static Scope left(Scope scope) {
    scope.cancel("enough", CancelMode.DRAIN);
    return scope;
  }

  // ---- what it does ----

  @Test
  void startedMembers_finish_andOthersNeverRun() {
    Heddle.run(() -> {
      Scope scope = Scope.current().child();
      scope.launch("started", () -> steps("started", 3));
      Heddle.yieldNow();
      var late = scope.spawn(() -> log.add("late ran"));
      left(scope);
      assertThat(scope.isCancelled()).isTrue();
      assertThatThrownBy(() -> scope.spawn(() -> 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cancelled scope");
      assertThatThrownBy(late::await).isInstanceOf(Cancellation.class).hasMessage("enough");
      scope.awaitCancelled();
      assertThat(scope.isClosed()).isTrue();
    });
    assertThat(log).containsExactly("started finished");
  }

  @Test
  void startedMember_mayStillSpawnInAScopeOfItsOwn() {
    Heddle.run(() -> {
      Scope scope = Scope.current().child();
      scope.launch(
          "started",
          () ->
              Heddle.scope(s -> {
                s.launch("before", () -> steps("before", 2));
                Heddle.yieldNow();
                Heddle.yieldNow();
                s.launch("after", () -> steps("after", 2));
                return null;
              }));
      Heddle.yieldNow();
      left(scope).awaitCancelled();
    });
    assertThat(log).containsExactly("before finished", "after finished");
  }

  @Test
  void childScopes_areLeftToFinishToo() {
    Heddle.run(() -> {
      Scope scope = Scope.current().child();
      Scope below = scope.child();
      below.launch("started", () -> steps("started", 3));
      Heddle.yieldNow();
      below.launch("late", () -> log.add("late ran"));
      left(scope);
      assertThat(below.isCancelled()).isTrue();
      scope.awaitCancelled();
    });
    assertThat(log).containsExactly("started finished");
  }

  @Test
  void bodyOfABlock_goesOn() {
    String result =
        Heddle.run(() ->
            Heddle.scope(s -> {
              s.launch("started", () -> steps("started", 2));
              Heddle.yieldNow();
              left(s);
              Heddle.yieldNow();
              return "went on";
            }));
    assertThat(result).isEqualTo("went on");
    assertThat(log).containsExactly("started finished");
  }

  @Test
  void backgroundMembers_areCancelledWhenTheOthersHaveFinished() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.background("heartbeat", () -> sleep("heartbeat"));
        scope.launch("started", () -> steps("started", 2));
        Heddle.yieldNow();
        left(scope);
      }
    });
    assertThat(log).containsExactly("started finished", "heartbeat cut: everything else is done");
  }

  @Test
  void close_waitsForThemUncancelled() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("started", () -> steps("started", 3));
        Heddle.yieldNow();
        left(scope);
      }
      log.add("closed");
    });
    assertThat(log).containsExactly("started finished", "closed");
  }

  @Test
  void close_thatIsCancelled_cancelsThemAndThrowsItsCancellation() {
    Heddle.run(() -> {
      var owner =
          Heddle.spawn(() -> {
            try (Scope scope = Scope.open()) {
              scope.launch("started", () -> sleep("started"));
              Heddle.yieldNow();
              left(scope);
            }
            log.add("went on");
            return 1;
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      owner.cancel("stop");
      assertThatThrownBy(owner::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("started cut: stop");
  }

  @Test
  void cancel_afterwards_cutsThem() {
    Heddle.run(() -> {
      Scope scope = Scope.current().child();
      scope.launch("started", () -> sleep("started"));
      Heddle.yieldNow();
      left(scope).cancel("now");
      scope.awaitCancelled();
    });
    assertThat(log).containsExactly("started cut: now");
  }

  // ---- the loop does not wait for them ----

  @Test
  @Tag("loop-290")
  @Tag("loop-289")
  void onlyThoseLeft_areCancelledAndTheRunEnds() {
    String result =
        Heddle.run(() -> {
          Scope scope = Scope.detached();
          scope.launch("in a long delay", () -> sleep("sleeper"));
          Heddle.yieldNow();
          left(scope);
          return "result";
        });
    assertThat(result).isEqualTo("result");
    assertThat(log).containsExactly("sleeper cut: everything else is done");
  }

  @Test
  @Tag("loop-93")
  @Tag("loop-289")
  void onlyThoseLeft_awaitingEachOther_areNoDeadlock() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      Coroutine<?>[] pair = new Coroutine<?>[2];
      for (int i = 0; i < 2; i++) {
        int other = 1 - i;
        pair[i] =
            scope.spawn(() -> {
              try {
                return pair[other].await();
              } finally {
                log.add("cut");
              }
            });
      }
      Heddle.yieldNow();
      left(scope);
    });
    assertThat(log).containsExactly("cut", "cut");
  }

  @Test
  @Tag("loop-289")
  void thoseLeft_haveTheirGraceToCleanUp() {
    VirtualTime.run(() -> {
      Scope scope = Scope.detached();
      scope.launch(
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
      left(scope);
    });
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  @Tag("loop-289")
  void thoseLeft_whoseGraceIsOver_areCutAtEverySuspension() {
    HeddleOptions impatient = HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(2));
    Heddle.run(
        impatient,
        () -> {
          Scope scope = Scope.detached();
          scope.launch(
              "clings",
              () -> {
                for (int i = 0; i < 3; i++) {
                  try {
                    sleep("clinging");
                  } catch (Cancellation c) {
                    log.add("again");
                  }
                }
              });
          Heddle.yieldNow();
          left(scope);
        });
    assertThat(log).filteredOn("again"::equals).hasSize(3);
  }

  @Test
  @Tag("loop-290")
  void membersOfScopesThatThoseLeftHaveOpened_doNotKeepTheLoopEither() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch(
          "started",
          () ->
              Heddle.scope(s -> {
                Heddle.yieldNow();
                Heddle.yieldNow();
                s.launch("spawned later", () -> sleep("spawned later"));
                return null;
              }));
      Heddle.yieldNow();
      left(scope);
      Heddle.yieldNow();
      Heddle.yieldNow();
      Heddle.yieldNow();
    });
    assertThat(log).containsExactly("spawned later cut: everything else is done");
  }

  @Test
  @Tag("loop-302")
  void secondSafeCancel_countsThemOnce() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("one", () -> sleep("one"));
      scope.launch("other", () -> sleep("other"));
      Heddle.launch("needed", () -> steps("needed", 6));
      Heddle.yieldNow();
      left(left(left(scope)));
    });
    // were they counted off twice, they would be cut before the needed one had finished
    assertThat(log.getFirst()).isEqualTo("needed finished");
    assertThat(log).hasSize(3);
  }

  @Test
  @Tag("loop-302")
  void safeCancelOfATreeAfterOneOfItsParts_countsThemOnce() {
    Heddle.run(() -> {
      Scope above = Scope.detached();
      Scope below = above.child();
      below.launch("left", () -> sleep("left"));
      above.launch("left above", () -> sleep("left above"));
      Heddle.launch("needed", () -> steps("needed", 6));
      Heddle.yieldNow();
      left(below);
      left(above);
      left(below);
    });
    assertThat(log.getFirst()).isEqualTo("needed finished");
    assertThat(log).hasSize(3);
  }

  // ---- with others ----

  @Test
  @Tag("loop-289")
  void joiner_waitsForThoseLeft() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      scope.launch("left", () -> steps("left", 5));
      Heddle.yieldNow();
      left(scope);
      Heddle.launch(
          "joiner",
          () -> {
            scope.awaitCancelled();
            log.add("joined");
          });
    });
    assertThat(log).containsExactly("left finished", "joined");
  }

  @Test
  void membersThatDrain_andAwaitEachOtherDuringAJoin_areCancelledFirst() {
    Heddle.run(() -> {
      Scope scope = Scope.detached();
      Coroutine<?>[] pair = new Coroutine<?>[2];
      pair[0] = scope.spawn(() -> pair[1].await());
      pair[1] = scope.spawn(() -> pair[0].await());
      Heddle.yieldNow();
      left(scope).awaitCancelled();
      log.add("joined");
    });
    assertThat(log).containsExactly("joined");
  }

  @Test
  void othersInADeadlock_areOneStill() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Scope scope = Scope.detached();
              Coroutine<?>[] pair = new Coroutine<?>[2];
              pair[0] = Heddle.spawn(() -> pair[1].await());
              pair[1] = Heddle.spawn(() -> pair[0].await());
              var left = scope.spawn(() -> pair[0].await());
              Heddle.yieldNow();
              left(scope);
              assertThat(left.isDone()).isFalse();
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("2 coroutines in waiting");
  }

  @Test
  void failureOfOneLeft_goesWhereFailuresGo() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Scope scope = Scope.detached();
              scope.launch(
                  "left",
                  () -> {
                    Heddle.yieldNow();
                    throw failure;
                  });
              Heddle.yieldNow();
              left(scope);
              sleep("main");
            }))
        .isSameAs(failure);
    assertThat(log).hasSize(1);
  }
}
