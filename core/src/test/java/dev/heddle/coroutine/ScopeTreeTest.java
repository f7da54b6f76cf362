// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What stands below a scope, what keeps it open, and how far a cancellation reaches.
@Timeout(300)
class ScopeTreeTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Log log = new Log();

  private void ticks(int count) {
    for (int i = 0; i < count; i++) {
      Heddle.yieldNow();
    }
  }

  // ---- the tree ----

  @Test
  @Tag("loop-105")
  void children_ofAScope_areThoseDirectlyBelow() {
    Heddle.run(() -> {
      try (Scope parent = Scope.open()) {
        Scope first = parent.child();
        Scope second = parent.child();
        Scope below = first.child();
        assertThat(parent.children()).containsExactly(first, second);
        assertThat(first.children()).containsExactly(below);
        second.close();
        assertThat(parent.children()).containsExactly(first);
      }
    });
  }

  @Test
  @Tag("loop-105")
  void scopesOpenedBelow_byItsOwnerAndByAMember_areItsChildren() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        Scope inner = Scope.open();
        Scope[] ofMember = new Scope[1];
        outer.launch(
            "member",
            () ->
                Heddle.scope(s -> {
                  ofMember[0] = s;
                  Heddle.yieldNow();
                  return null;
                }));
        Heddle.yieldNow();
        assertThat(outer.children()).containsExactly(inner, ofMember[0]);
        assertThat(inner.children()).isEmpty();
        ticks(2);
        assertThat(outer.children()).containsExactly(inner);
      }
    });
  }

  @Test
  void root_isAboveAllAndCurrentIsTheInnermost() {
    Heddle.run(() -> {
      Scope root = Scope.root();
      assertThat(Scope.current()).isSameAs(root);
      Heddle.scope(s -> {
        assertThat(Scope.current()).isSameAs(s);
        assertThat(root.children()).containsExactly(s);
        return null;
      });
      assertThat(root.children()).isEmpty();
    });
  }

  @Test
  void root_isNeitherJoinedNorCancelledNorClosed() {
    Heddle.run(() -> {
      Scope root = Scope.root();
      for (dev.heddle.Action refused :
          List.<dev.heddle.Action>of(
              root::join, root::close, () -> root.cancel("x"), () -> root.cancelAfter(LONG))) {
        assertThatThrownBy(refused::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("Heddle.shutdown");
      }
    });
  }

  @Test
  @Tag("loop-121")
  void join_ofAScope_waitsForWhatItsChildrenStillDo() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        Scope grandchild = outer.child().child();
        grandchild.launch(
            "leaf",
            () -> {
              Heddle.delay(Duration.ofMillis(1));
              grandchild.launch(
                  "next leaf",
                  () -> {
                    Heddle.delay(Duration.ofMillis(1));
                    log.add("next leaf");
                  });
              log.add("leaf");
            });
        outer.join();
        assertThat(log).containsExactly("leaf", "next leaf");
      }
    });
  }

  @Test
  void backgroundMember_withAScopeOfItsOwn_doesNotKeepTheScopeOpen() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        s.background(
            "watcher",
            () ->
                Heddle.scope(inner -> {
                  inner.launch("watcher's", () -> log.sleep("watcher's"));
                  return null;
                }));
        s.launch("work", () -> ticks(3));
        return null;
      });
      log.add("scope ended");
    });
    assertThat(log).containsExactly("watcher's cut", "scope ended");
  }

  @Test
  void backgroundMemberOfAChild_isCancelledWhenTheScopeAboveIsDone() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        s.child().background("heartbeat", () -> log.sleep("heartbeat"));
        s.launch("work", () -> ticks(2));
        return null;
      });
      log.add("scope ended");
    });
    assertThat(log).containsExactly("heartbeat cut", "scope ended");
  }

  @Test
  void join_ofAnOwner_leavesItsIdleChildrenOpen() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        Scope child = outer.child();
        child.background("heartbeat", () -> log.sleep("heartbeat"));
        Heddle.yieldNow();
        outer.join();
        assertThat(log).containsExactly("heartbeat cut");
        assertThat(child.isCancelled()).isFalse();
        assertThat(child.spawn(() -> "goes on").await()).isEqualTo("goes on");
      }
    });
  }

  // ---- a child's life ----

  @Test
  @Tag("loop-18")
  void childCancelledWithNothingInside_isClosedAndRefusesSpawns() {
    for (CancelMode mode : CancelMode.values()) {
      Heddle.run(() -> {
        Scope child = Scope.current().child();
        child.cancel("over", mode);
        assertThat(child.isClosed()).isTrue();
        assertThatThrownBy(() -> child.spawn(() -> 1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("closed scope");
      });
    }
  }

  @Test
  @Tag("loop-106")
  void childCancelledWithMembers_isClosedAfterTheyHaveEnded() {
    Heddle.run(() -> {
      Scope child = Scope.current().child();
      child.launch("one", () -> log.sleep("one"));
      child.launch("other", () -> log.sleep("other"));
      Heddle.yieldNow();
      child.cancel("msg");
      assertThat(child.isClosed()).isFalse();
      Heddle.yieldNow();
      assertThat(child.isClosed()).isTrue();
      assertThat(log).containsExactly("one cut", "other cut");
    });
  }

  @Test
  void close_ofAChildByAnybodyOutside_cancelsItsMembersAndWaits() {
    Heddle.run(() -> {
      Scope child = Scope.detached();
      child.launch("member", () -> log.sleep("member"));
      Heddle.yieldNow();
      Heddle.spawn(
              () -> {
                child.close();
                return log.add("closed");
              })
          .await();
      child.close();
      assertThat(log).containsExactly("member cut", "closed");
    });
  }

  @Test
  void child_isClosedWithTheScopeAbove() {
    Heddle.run(() -> {
      Scope[] child = new Scope[1];
      Heddle.scope(s -> {
        child[0] = s.child().child();
        return null;
      });
      assertThat(child[0].isClosed()).isTrue();
      assertThat(child[0].isCancelled()).isFalse();
    });
  }

  @Test
  void close_fromInside_isRefused() {
    Heddle.run(() -> {
      Scope child = Scope.current().child();
      child.launch(
          "member",
          () ->
              assertThatThrownBy(child::close)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("from outside"));
    });
  }

  @Test
  void scope_asATokenOrAnAwaitable_firesWhenItIsClosed() {
    Heddle.run(() -> {
      Scope child = Scope.current().child();
      child.launch("member", () -> log.sleep("member"));
      Heddle.yieldNow();
      Heddle.launch("closer", child::close);
      Heddle.await(child.event());
      assertThat(child.isClosed()).isTrue();
      Heddle.await(child.event());
    });
  }

  // ---- how far a cancellation reaches ----

  @Test
  @Tag("loop-108")
  void cancel_ofAScope_reachesItsChildrenAtOnce() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        Scope child = outer.child();
        Scope grandchild = child.child();
        var ofChild =
            child.spawn(() -> {
              log.sleep("child's");
              return 1;
            });
        var ofGrandchild =
            grandchild.spawn(() -> {
              log.sleep("grandchild's");
              return 1;
            });
        Heddle.yieldNow();
        outer.cancel("all");
        assertThat(child.isCancelled()).isTrue();
        assertThat(grandchild.isCancelled()).isTrue();
        assertThat(ofChild.isCancelled()).isTrue();
        assertThat(ofGrandchild.isCancelled()).isTrue();
      }
    });
    assertThat(log).containsExactlyInAnyOrder("child's cut", "grandchild's cut");
  }

  @Test
  @Tag("loop-109")
  void cancel_ofAChild_leavesParentAndSiblingsAlone() {
    Heddle.run(() -> {
      try (Scope parent = Scope.open()) {
        Scope cancelled = parent.child();
        Scope below = cancelled.child();
        Scope sibling = parent.child();
        cancelled.cancel("only this");
        assertThat(below.isCancelled()).isTrue();
        assertThat(parent.isCancelled()).isFalse();
        assertThat(sibling.isCancelled()).isFalse();
      }
    });
  }

  /// A coroutine that is inside a protect block, inside a scope with a member.
  private Coroutine<?> protectedInsideAScope(Coroutine<?>[] member) {
    return Heddle.spawn(() ->
        Heddle.scope(s -> {
          member[0] =
              s.spawn(() -> {
                log.sleep("member");
                return 1;
              });
          Heddle.shield(() -> {
            ticks(3);
            log.add("protected part done");
          });
          return 1;
        }));
  }

  @Test
  void cancel_ofACoroutine_reachesTheMembersOfItsScopesWhileItIsProtected() {
    Heddle.run(() -> {
      Coroutine<?>[] member = new Coroutine<?>[1];
      var worker = protectedInsideAScope(member);
      ticks(2);
      worker.cancel("stop");
      assertThat(member[0].isCancelled()).isTrue();
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("member cut", "protected part done");
  }

  @Test
  void cancel_ofACoroutineInAForeignWaitItSwallows_reachesTheMembersOfItsScopes() {
    Heddle.run(() -> {
      Coroutine<?>[] member = new Coroutine<?>[1];
      var latch = new java.util.concurrent.CountDownLatch(1);
      var worker =
          Heddle.spawn(() ->
              Heddle.scope(s -> {
                member[0] =
                    s.spawn(() -> {
                      try {
                        log.sleep("member");
                      } finally {
                        latch.countDown();
                      }
                      return 1;
                    });
                Heddle.uninterruptibly(() -> latch.await()); // goes on when the member was told
                return 1;
              }));
      ticks(2);
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("member cut");
  }

  @Test
  void cancel_ofACoroutine_leavesScopesInsideItsProtectBlockAlone() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() ->
              Heddle.shield(() ->
                  Heddle.scope(s -> {
                    var member =
                        s.spawn(() -> {
                          ticks(3);
                          return "not cut";
                        });
                    log.add(member.await());
                    return 1;
                  })));
      ticks(2);
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("not cut");
  }

  @Test
  void cancel_ofAnOuterScope_leavesScopesInsideAProtectBlockOfAMemberAlone() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        outer.launch(
            "member",
            () ->
                Heddle.shield(() ->
                    Heddle.scope(s -> {
                      s.launch(
                          "inside",
                          () -> {
                            ticks(3);
                            log.add("inside done");
                          });
                      return null;
                    })));
        ticks(2);
        outer.cancel("all");
      }
    });
    assertThat(log).containsExactly("inside done");
  }

  @Test
  void limit_thatRunsOut_reachesTheMembersOfScopesInsideItOnly() {
    VirtualTime.run(() -> {
      try (Scope outside = Scope.open()) {
        outside.launch("outside", () -> ticks(1));
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(2),
                    () ->
                        Heddle.scope(s -> {
                          s.launch("inside", () -> log.sleep("inside"));
                          Heddle.shield(() -> {
                            while (log.isEmpty()) {
                              Heddle.delay(Duration.ofMillis(1)); // until the member was told
                            }
                          });
                          return 1;
                        })))
            .isInstanceOf(dev.heddle.DeadlineException.class);
        assertThat(outside.isCancelled()).isFalse();
      }
    });
    assertThat(log).containsExactly("inside cut");
  }

  @Test
  @Tag("trap-22")
  void scopeOpenedInACleanup_isNotReachedByWhatIsCleanedUpAfter() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        outer.launch(
            "member",
            () -> {
              try {
                Heddle.delay(LONG);
              } finally {
                Heddle.scope(s -> {
                  s.launch(
                      "flush",
                      () -> {
                        ticks(3);
                        log.add("flushed");
                      });
                  return null;
                });
              }
            });
        Heddle.yieldNow();
        outer.cancel("once");
        ticks(2);
        outer.cancel("twice");
      }
    });
    assertThat(log).containsExactly("flushed");
  }

  @Test
  void spawnIntoACancelledScope_byABodyThatIsToBeCancelled_throwsTheCancellation() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.launch(
                      "failing",
                      () -> {
                        throw failure;
                      });
                  try {
                    Heddle.yieldNow();
                  } catch (Cancellation c) {
                    log.add("cut");
                    throw c;
                  }
                  return null;
                }))
            .isSameAs(failure));
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() ->
              Heddle.scope(s -> {
                Heddle.current().cancel("stop");
                assertThatThrownBy(() -> s.spawn(() -> 1))
                    .isInstanceOf(Cancellation.class)
                    .hasMessage("stop");
                assertThatThrownBy(() -> s.spawn(() -> 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("cancelled scope");
                return 1;
              }));
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cut");
  }

  private void nest(Scope above, int left) {
    if (left > 0) {
      nest(above.child(), left - 1);
    } else {
      above.launch("deepest", () -> log.sleep("deepest"));
    }
  }

  @Test
  void cancel_ofATreeDeeperThanAStack_reachesTheDeepest() {
    Heddle.run(() -> {
      Scope top = Scope.current().child();
      Scope above = top;
      for (int i = 0; i < 100_000; i++) {
        above = above.child();
      }
      nest(above, 10);
      Heddle.yieldNow();
      top.close();
      assertThat(above.isClosed()).isTrue();
    });
    assertThat(log).containsExactly("deepest cut");
  }

  // ---- a limit for a scope ----

  @Test
  @Tag("loop-132")
  void cancelAfter_whenItRunsOut_cancelsTheMembersAndEndsTheScope() {
    VirtualTime.run(() -> {
      Scope child = Scope.current().child();
      child.launch("member", () -> log.sleep("member"));
      child.cancelAfter(Duration.ofMillis(2));
      Heddle.await(child.event());
      assertThat(child.isCancelled()).isTrue();
      assertThat(child.isClosed()).isTrue();
    });
    assertThat(log).containsExactly("member cut");
  }

  @Test
  @Tag("loop-132")
  void cancelAfter_ofAScopeThatEndsBefore_leavesNoTimer() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.cancelAfter(LONG);
        scope.cancelAfter(LONG);
        assertThat(Heddle.counters().timers()).isEqualTo(1);
        assertThat(scope.spawn(() -> "done").await()).isEqualTo("done");
      }
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("loop-132")
  void cancelAfter_ofABlock_cutsItsBodyToo() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.cancelAfter(Duration.ofMillis(1));
                  log.sleep("body");
                  return null;
                }))
            .isInstanceOf(Cancellation.class)
            .hasMessageContaining("cancelAfter(PT0.001S)"));
    assertThat(log).containsExactly("body cut");
  }

  @Test
  void cancelAfter_thatIsRefused_leavesTheLimitThatWasThere() {
    VirtualTime.run(() -> {
      Scope child = Scope.current().child();
      child.launch("member", () -> log.sleep("member"));
      child.cancelAfter(Duration.ofMillis(2));
      assertThatThrownBy(() -> child.cancelAfter(Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class);
      Heddle.delay(Duration.ofMillis(3));
      assertThat(log).containsExactly("member cut");
    });
  }
}
