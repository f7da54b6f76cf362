// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who belongs to a scope, who waits for it, and whom its cancellation reaches.
@Timeout(300)
class ScopeTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Log log = new Log();

  @Test
  @Tag("loop-18")
  void spawn_intoAClosedScope_isRefused() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      scope.close();
      assertThat(scope.isClosed()).isTrue();
      assertThatThrownBy(() -> scope.spawn(() -> 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed scope");
    });
  }

  @Test
  @Tag("loop-106")
  void cancel_ofAScopeWithParkedMembers_givesEachACancellationOfItsOwn() {
    List<Throwable> got = new ArrayList<>();
    Heddle.run(() -> {
      Scope scope = Scope.open();
      for (int i = 0; i < 2; i++) {
        scope.launch(
            "member",
            () -> {
              try {
                Heddle.delay(LONG);
              } catch (Cancellation c) {
                got.add(c);
              }
            });
      }
      Heddle.yieldNow();
      scope.cancel("msg");
      scope.close();
      assertThat(scope.isCancelled()).isTrue();
      assertThat(scope.isClosed()).isTrue();
      assertThatThrownBy(() -> scope.spawn(() -> 1)).isInstanceOf(IllegalStateException.class);
    });
    assertThat(got).hasSize(2);
    assertThat(got.get(0)).hasMessage("msg").isNotSameAs(got.get(1));
    assertThat(got.get(0).getCause()).hasMessage("msg").isSameAs(got.get(1).getCause());
  }

  @Test
  void spawn_intoACancelledScope_isRefused() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.cancel("msg");
        assertThatThrownBy(() -> scope.spawn("late", () -> 1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("'late'")
            .hasMessageContaining("cancelled scope (msg);");
      }
    });
  }

  @Test
  @Tag("loop-108")
  void cancel_ofAParentScope_reachesTheScopesOfItsMembers() {
    Heddle.run(() -> {
      Scope parent = Scope.open();
      for (String child : List.of("child 1", "child 2")) {
        parent.launch(
            child,
            () ->
                Heddle.scope(s -> {
                  s.launch(child + " member", () -> log.sleep(child + " member"));
                  return null;
                }));
      }
      Heddle.yieldNow();
      Heddle.yieldNow();
      parent.cancel("all");
      parent.close();
    });
    assertThat(log).containsExactlyInAnyOrder("child 1 member cut", "child 2 member cut");
  }

  private void level(Scope[] scopes, int depth) {
    Heddle.scope(s -> {
      scopes[depth] = s;
      s.launch("member " + depth, () -> log.sleep("member " + depth));
      if (depth < 3) {
        s.launch("level " + (depth + 1), () -> level(scopes, depth + 1));
      }
      return null;
    });
  }

  @Test
  @Tag("loop-109")
  void cancel_inTheMiddleOfATree_reachesOnlyTheDescendants() {
    Heddle.run(() -> {
      Scope[] scopes = new Scope[4];
      Heddle.launch(
          "sibling branch",
          () ->
              Heddle.scope(s -> {
                log.sleep("sibling");
                return null;
              }));
      var root =
          Heddle.spawn(() -> {
            level(scopes, 0);
            return null;
          });
      for (int i = 0; i < 6; i++) {
        Heddle.yieldNow();
      }
      scopes[2].cancel("middle");
      for (int i = 0; i < 6; i++) {
        Heddle.yieldNow();
      }
      assertThat(log).containsExactlyInAnyOrder("member 2 cut", "member 3 cut");
      assertThat(scopes[0].isCancelled()).isFalse();
      assertThat(scopes[1].isCancelled()).isFalse();
      log.clear();
      root.cancel("rest");
      Heddle.shutdown(Duration.ofSeconds(5));
    });
    assertThat(log).containsExactlyInAnyOrder("member 0 cut", "member 1 cut", "sibling cut");
  }

  @Test
  @Tag("loop-110")
  void cancel_ofOneChildScope_leavesParentAndSiblingsAndAnotherCanFollow() {
    VirtualTime.run(() ->
        Heddle.scope(parent -> {
          Scope[] children = new Scope[3];
          for (int i = 0; i < 3; i++) {
            int number = i;
            parent.launch(
                "child " + i,
                () -> {
                  try (Scope child = Scope.open()) {
                    children[number] = child;
                    child.launch(
                        "member",
                        () -> {
                          Heddle.delay(Duration.ofMillis(5));
                          log.add("member " + number);
                        });
                    child.join();
                  }
                });
          }
          Heddle.yieldNow();
          Heddle.yieldNow();
          children[0].cancel("first");
          Heddle.yieldNow();
          children[2].cancel("third");
          return null;
        }));
    assertThat(log).containsExactly("member 1");
  }

  @Test
  @Tag("loop-112")
  void isCancelled_ofAScope_isAboutTheWholeScope() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      var one = scope.spawn(() -> 1);
      one.cancel("alone");
      Heddle.yieldNow();
      assertThat(scope.isCancelled()).isFalse();
      scope.cancel("all");
      assertThat(scope.isCancelled()).isTrue();
      scope.close();
    });
  }

  @Test
  @Tag("loop-118")
  void join_withALimit_endsWithTheLastMember() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("quick", () -> log.add("quick"));
        Heddle.withTimeout(
            LONG,
            () -> {
              scope.join();
              log.add("joined");
              return null;
            });
      }
    });
    assertThat(log).containsExactly("quick", "joined");
  }

  private void spawnDown(Scope scope, int depth) {
    Heddle.delay(Duration.ofMillis(1));
    log.add("level " + depth);
    if (depth > 0) {
      scope.launch("level", () -> spawnDown(scope, depth - 1));
    }
  }

  @Test
  @Tag("loop-120")
  void join_waitsForMembersThatMembersSpawned() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("level", () -> spawnDown(scope, 3));
        scope.join();
        assertThat(log).hasSize(4);
      }
    });
  }

  @Test
  @Tag("loop-121")
  void scope_waitsForTheScopesInsideItsMembers() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        s.launch(
            "child",
            () ->
                Heddle.scope(child -> {
                  child.launch(
                      "grandchild",
                      () ->
                          Heddle.scope(grandchild -> {
                            grandchild.launch(
                                "leaf",
                                () -> {
                                  Heddle.delay(Duration.ofMillis(1));
                                  log.add("leaf");
                                });
                            return null;
                          }));
                  return null;
                }));
        return null;
      });
      log.add("scope ended");
    });
    assertThat(log).containsExactly("leaf", "scope ended");
  }

  @Test
  @Tag("loop-125")
  @Tag("loop-126")
  void failure_whileAMemberCleansUp_reachesTheJoiner() {
    IllegalStateException failure = new IllegalStateException("cleanup");
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch(
            "member",
            () -> {
              try {
                Heddle.delay(LONG);
              } catch (Cancellation c) {
                throw failure;
              }
            });
        Heddle.yieldNow();
        scope.cancel("stop");
        assertThatThrownBy(scope::join).isSameAs(failure);
      }
    });
  }

  @Test
  @Tag("loop-132")
  void limitAroundAScope_whenItRunsOut_cancelsTheMembers() {
    VirtualTime.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(5),
                  () ->
                      Heddle.scope(s -> {
                        s.launch("member", () -> log.sleep("member"));
                        return null;
                      })))
          .isInstanceOf(DeadlineException.class);
      log.add("after");
    });
    assertThat(log).containsExactly("member cut", "after");
  }

  // ---- the owner ----

  @Test
  void openedScope_whoseMemberFails_throwsAtTheJoinAndLeavesItsOwnerAlone() {
    IllegalStateException failure = new IllegalStateException("x");
    VirtualTime.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("sibling", () -> log.sleep("sibling"));
        scope.spawn(() -> {
          throw failure;
        });
        Heddle.delay(Duration.ofMillis(1));
        log.add("owner goes on");
        assertThatThrownBy(scope::join).isSameAs(failure);
      }
    });
    assertThat(log).containsExactly("sibling cut", "owner goes on");
  }

  @Test
  void close_withoutAJoin_cancelsAndAwaitsTheMembers() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("member", () -> log.sleep("member"));
        Heddle.yieldNow();
      }
      log.add("closed");
    });
    assertThat(log).containsExactly("member cut", "closed");
  }

  @Test
  void close_byAnotherCoroutine_isRefused() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch(
            "thief",
            () ->
                assertThatThrownBy(scope::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("opened it"));
        scope.join();
      }
    });
  }

  @Test
  void spawn_withoutAScope_goesToTheInnermostOne() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        Heddle.launch(
            "inner",
            () -> {
              Heddle.delay(Duration.ofMillis(1));
              log.add("inner");
            });
        return null;
      });
      log.add("scope ended");
      Heddle.launch("outer", () -> log.add("outer"));
    });
    assertThat(log).containsExactly("inner", "scope ended", "outer");
  }

  // ---- background members ----

  @Test
  void backgroundMember_isCancelledWhenTheOthersAreDone() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        s.background("heartbeat", () -> log.sleep("heartbeat"));
        s.launch(
            "work",
            () -> {
              Heddle.delay(Duration.ofMillis(1));
              log.add("work");
            });
        return null;
      });
      log.add("after");
    });
    assertThat(log).containsExactly("work", "heartbeat cut", "after");
  }

  @Test
  void backgroundMemberOfTheRoot_isCancelledWhenTheOthersAreDone() {
    Heddle.run(() -> {
      Heddle.background("watcher", () -> log.sleep("watcher"));
      Heddle.launch("work", () -> log.add("work"));
    });
    assertThat(log).containsExactly("work", "watcher cut");
  }

  @Test
  void backgroundMember_thatFails_failsTheScope() {
    IllegalStateException failure = new IllegalStateException("watcher");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  s.background(
                      "watcher",
                      () -> {
                        throw failure;
                      });
                  log.sleep("body");
                  return null;
                })))
        .isSameAs(failure);
    assertThat(log).containsExactly("body cut");
  }

  @Test
  void join_endsTheBackgroundMembersToo() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.background("watcher", () -> log.sleep("watcher"));
        scope.launch("work", () -> log.add("work"));
        scope.join();
        log.add("joined");
      }
    });
    assertThat(log).containsExactly("work", "watcher cut", "joined");
  }

  // ---- many ----

  /// Trees of scopes with random delays, failures and cancellations: none is left when its block
  /// ends, and the loop counts nobody.
  @Test
  void randomTrees_howeverTheyEnd_leaveNoCoroutineBehind() {
    Long only = Long.getLong("heddle.seed");
    for (long seed = only == null ? 0 : only; seed < (only == null ? 200 : only + 1); seed++) {
      Random random = new Random(seed);
      try (Reports reports = new Reports()) {
        String description = "seed " + seed;
        Heddle.run(() -> {
          int before = Heddle.counters().coroutines();
          try {
            tree(random, 3);
          } catch (IllegalStateException | DeadlineException e) {
            log.add("failed");
          }
          assertThat(Heddle.counters().coroutines()).as(description).isEqualTo(before);
        });
        assertThat(reports.messages()).as(description).noneMatch(m -> m.contains("abandoned"));
      }
    }
    assertThat(log).isNotEmpty();
  }

  private void tree(Random random, int depth) {
    Heddle.scope(s -> {
      int members = 1 + random.nextInt(4);
      for (int i = 0; i < members; i++) {
        s.launch("member", () -> live(random, depth, s));
      }
      live(random, 0, s);
      return null;
    });
  }

  private void live(Random random, int depth, Scope scope) {
    switch (random.nextInt(12)) {
      case 0 -> throw new IllegalStateException("random");
      case 1, 2 -> Heddle.delay(Duration.ofNanos(random.nextInt(300_000)));
      case 3 ->
          Heddle.withTimeout(
              Duration.ofNanos(random.nextInt(100_000)),
              () -> {
                Heddle.delay(Duration.ofNanos(random.nextInt(200_000)));
                return null;
              });
      case 4 ->
          Heddle.shield(() -> {
            Heddle.delay(Duration.ofNanos(random.nextInt(200_000)));
            return null;
          });
      case 5, 6, 7 -> {
        if (depth > 0) {
          tree(random, depth - 1);
        }
      }
      case 8 -> scope.background("background", () -> Heddle.delay(LONG));
      default -> Heddle.yieldNow();
    }
  }
}
