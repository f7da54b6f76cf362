// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.event.Deadline;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The failure handlers of scopes: whom they are told of, when, and what becomes of what they
/// throw.
@Timeout(300)
class ScopeHandlerTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final IllegalStateException failure = new IllegalStateException("x");
  private final Log log = new Log();
  private final List<Throwable> handled = new ArrayList<>();

  private Object fail() {
    throw failure;
  }

  private static <S> CompletionHandler<S> throwing(Exception thrown) {
    return ended -> {
      throw thrown;
    };
  }

  private static List<Throwable> merged(Throwable kept) {
    FailureReport report = Heddle.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  // ---- failure handlers ----

  @Test
  @Tag("loop-128")
  void failureHandler_isNotifiedOfEachFailure_andTheOthersGoOn() {
    Heddle.run(() -> {
      List<Coroutine<?>> failed = new ArrayList<>();
      List<Coroutine<?>> told = new ArrayList<>();
      Scope[] scopes = new Scope[2];
      Heddle.scope(s -> {
        scopes[0] = s;
        s.handleFailures((scope, coroutine, thrown) -> {
          scopes[1] = scope;
          told.add(coroutine);
          handled.add(thrown);
        });
        failed.add(s.spawn(this::fail));
        failed.add(s.spawn(this::fail));
        s.launch(
            "sibling",
            () -> {
              Heddle.yieldNow();
              Heddle.yieldNow();
              log.add("sibling done");
            });
        return null;
      });
      assertThat(told).containsExactlyElementsOf(failed);
      assertThat(scopes[1]).isSameAs(scopes[0]);
    });
    assertThat(handled).containsExactly(failure, failure);
    assertThat(log).containsExactly("sibling done");
  }

  @Test
  @Tag("loop-130")
  void handlersSetRepeatedly_theLastOneIsInForce() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          for (String name : List.of("first", "second", "last")) {
            s.handleFailures((scope, coroutine, thrown) -> log.add(name));
            s.handleChildFailures((scope, coroutine, thrown) -> log.add(name + " of children"));
          }
          s.spawn(this::fail);
          s.child().spawn(this::fail);
          return null;
        }));
    assertThat(log).containsExactly("last", "last of children");
  }

  @Test
  void failureHandler_mayWaitAndTheScopeEndsAfterIt() {
    Heddle.run(() -> {
      Heddle.scope(s -> {
        s.handleFailures((scope, coroutine, thrown) -> {
          Heddle.delay(Duration.ofMillis(1));
          log.add("handled");
        });
        s.spawn(this::fail);
        return null;
      });
      log.add("scope ended");
    });
    assertThat(log).containsExactly("handled", "scope ended");
  }

  @Test
  void failureHandler_thatCancelsItsScope_isNotCancelledItself() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.handleFailures((failed, coroutine, thrown) -> {
          failed.cancel("one failed");
          Heddle.yieldNow();
          log.add("handler done");
        });
        scope.launch("sibling", () -> log.sleep("sibling"));
        scope.spawn(this::fail);
        scope.join(); // cancelled meanwhile, but not before
      }
    });
    assertThat(log).containsExactly("sibling cut", "handler done");
  }

  @Test
  void failureHandler_thatThrowsTheFailure_handsItOn() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.handleFailures((scope, coroutine, thrown) -> {
                    throw failure;
                  });
                  s.spawn(this::fail);
                  log.sleep("body");
                  return null;
                }))
            .isSameAs(failure));
    assertThat(log).containsExactly("body cut");
    assertThat(merged(failure)).isEmpty();
  }

  @Test
  void failureHandler_thatFailsItself_failsTheScopeAndTheReportHasBoth() {
    IOException second = new IOException("handler");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.handleFailures((scope, coroutine, thrown) -> {
                    throw second;
                  });
                  s.spawn(this::fail);
                  return null;
                }))
            .isInstanceOf(CoroutineException.class)
            .hasCause(second)
            .satisfies(e -> assertThat(merged(e)).containsExactly(failure)));
  }

  @Test
  void awaitedFailure_isNotTheHandlersBusiness() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          s.handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
          assertThatThrownBy(s.spawn(this::fail)::await).isSameAs(failure);
          return null;
        }));
    assertThat(handled).isEmpty();
  }

  @Test
  void rootsFailureHandler_isNotifiedOfTheCoroutinesButNotOfMain() {
    assertThatThrownBy(() ->
            VirtualTime.run(() -> {
              Scope.root().handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
              Heddle.spawn(this::fail);
              Heddle.delay(Duration.ofMillis(1));
              throw new IOException("main");
            }))
        .isInstanceOf(CoroutineException.class)
        .hasCauseInstanceOf(IOException.class);
    assertThat(handled).containsExactly(failure);
  }

  // ---- children ----

  @Test
  @Tag("loop-129")
  void childFailureHandler_isNotifiedOfAChildsFailure_andTheParentGoesOn() {
    VirtualTime.run(() -> {
      try (Scope parent = Scope.open()) {
        Scope child = parent.child();
        parent.handleChildFailures((scope, coroutine, thrown) -> {
          assertThat(scope).isSameAs(child);
          handled.add(thrown);
        });
        parent.launch(
            "member",
            () -> {
              Heddle.delay(Duration.ofMillis(1));
              log.add("member done");
            });
        child.launch("sibling", () -> log.sleep("sibling in the child"));
        child.spawn(this::fail);
        parent.join();
        assertThat(parent.isCancelled()).isFalse();
        assertThat(child.isClosed()).isTrue();
      }
    });
    assertThat(handled).containsExactly(failure);
    assertThat(log).containsExactly("sibling in the child cut", "member done");
  }

  @Test
  void childsFailure_withoutAHandlerForChildren_goesToTheParentsFailureHandler() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          s.handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
          s.child().child().spawn(this::fail);
          return null;
        }));
    assertThat(handled).containsExactly(failure);
  }

  @Test
  @Tag("loop-134")
  void childsFailure_withoutAnyHandler_failsTheScopesAboveAndTheReportHasWhatCameLater() {
    IllegalStateException second = new IllegalStateException("second");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.launch("member", () -> log.sleep("member"));
                  s.spawn(
                          () -> {
                            log.sleep("with a handler");
                            return 1;
                          })
                      .onCompletion(throwing(second));
                  Heddle.yieldNow();
                  s.child().child().spawn(this::fail);
                  log.sleep("body");
                  return null;
                }))
            .isSameAs(failure));
    assertThat(log).containsExactlyInAnyOrder("member cut", "with a handler cut", "body cut");
    assertThat(merged(failure)).containsExactly(second);
    assertThat(failure.getSuppressed()).isEmpty();
  }

  @Test
  void failureOfAChild_thatIsJoined_isTheJoiners() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          Scope child = s.child();
          child.launch(
              "failing",
              () -> {
                Heddle.yieldNow();
                fail();
              });
          assertThatThrownBy(child::join).isSameAs(failure);
          assertThatThrownBy(child::join).isSameAs(failure);
          assertThat(s.isCancelled()).isFalse();
          return null;
        }));
  }

  @Test
  void childsFailure_whoseJoinerLeavesWithoutIt_goesToTheParent() {
    VirtualTime.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  Scope child = s.child();
                  child.launch(
                      "slow to end",
                      () -> {
                        try {
                          Heddle.delay(LONG);
                        } finally {
                          Heddle.delay(Duration.ofMillis(5));
                        }
                      });
                  child.launch(
                      "failing",
                      () -> {
                        Heddle.yieldNow();
                        fail();
                      });
                  var joiner = Heddle.spawn(() -> joined(child));
                  Heddle.yieldNow();
                  Heddle.yieldNow();
                  assertThat(child.isCancelled()).isTrue();
                  joiner.cancel("not interested");
                  log.sleep("body");
                  return null;
                }))
            .isSameAs(failure));
    assertThat(log).containsExactly("body cut");
  }

  private Object joined(Scope scope) {
    scope.join();
    return log.add("joined");
  }

  @Test
  void childsFailure_inASupervisedScope_isKeptForAJoinerElseReported() {
    IllegalStateException taken = new IllegalStateException("taken");
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            Scope joinedLater = s.child();
            joinedLater.spawn(() -> {
              throw taken;
            });
            s.child().spawn(this::fail);
            Heddle.yieldNow();
            Heddle.yieldNow();
            assertThatThrownBy(joinedLater::join).isSameAs(taken);
            return null;
          }));
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void failureOfAScopeThatWasNotJoined_goesToTheHandlerForChildren() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.scope(s -> {
            s.handleChildFailures((scope, coroutine, thrown) -> handled.add(thrown));
            try (Scope unjoined = Scope.open()) {
              unjoined.spawn(this::fail);
              Heddle.yieldNow();
            }
            return null;
          }));
      assertThat(reports.failures()).isEmpty();
    }
    assertThat(handled).containsExactly(failure);
  }

  // ---- who gets the failure of a child scope ----

  private void joinInVain(Scope scope) {
    assertThatThrownBy(() -> scope.join(Deadline.after(Duration.ofMillis(1))))
        .isInstanceOf(DeadlineException.class);
  }

  private Scope failingWithOneWhoIsSlow(Scope parent) {
    Scope child = parent.child();
    child.launch("slow", () -> Heddle.shield(() -> Heddle.delay(LONG)));
    child.spawn(this::fail);
    Heddle.yieldNow();
    return child;
  }

  @Test
  @Tag("trap-18")
  void failureOfAChild_thatJoinersLeaveInVain_isReportedOnce() {
    VirtualTime.run(() ->
        Heddle.supervise(s -> {
          s.handleChildFailures((scope, coroutine, thrown) -> handled.add(thrown));
          Scope child = failingWithOneWhoIsSlow(s);
          joinInVain(child);
          joinInVain(child);
          return null;
        }));
    assertThat(handled).containsExactly(failure);
  }

  @Test
  @Tag("trap-18")
  void failureOfAChildOfASupervisedScope_thatJoinersLeaveInVain_isReportedOnce() {
    try (Reports reports = new Reports()) {
      VirtualTime.run(() ->
          Heddle.supervise(s -> {
            joinInVain(failingWithOneWhoIsSlow(s));
            return null;
          }));
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  private Scope failing(Scope parent) {
    Scope child = parent.child();
    child.launch(
        "failing",
        () -> {
          Heddle.yieldNow();
          throw failure;
        });
    return child;
  }

  @Test
  @Tag("trap-18")
  void failureOfAChild_whoseEndIsAwaited_isTheAwaitersAlone() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          s.handleChildFailures((scope, coroutine, thrown) -> handled.add(thrown));
          Scope child = failing(s);
          assertThatThrownBy(() -> Await.of(List.of(child)).all()).isSameAs(failure);
          Heddle.yieldNow();
          return null;
        }));
    assertThat(handled).isEmpty();
  }

  @Test
  @Tag("trap-18")
  void failureOfAChildOfAFailFastScope_whoseEndIsAwaited_cancelsNothingElse() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          Scope child = failing(s);
          assertThatThrownBy(() -> Heddle.await(child)).isSameAs(failure);
          Heddle.yieldNow();
          return null;
        }));
  }

  @Test
  @Tag("trap-18")
  void failureOfAChildOfASupervisedScope_whoseEndIsAwaited_isNotReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            Scope awaited = failing(s);
            assertThatThrownBy(() -> Heddle.await(awaited)).isSameAs(failure);
            Scope awaitedLate = failing(s);
            awaitUntilClosed(awaitedLate);
            assertThatThrownBy(() -> Heddle.await(awaitedLate)).isSameAs(failure);
            return null;
          }));
      assertThat(reports.failures()).isEmpty();
    }
  }

  private static void awaitUntilClosed(Scope scope) {
    while (!scope.isClosed()) {
      Heddle.yieldNow();
    }
  }

  @Test
  @Tag("trap-18")
  void failureOfAChild_whoseAwaiterLeavesBeforeItsEnd_isTheParents() {
    VirtualTime.run(() ->
        Heddle.supervise(s -> {
          s.handleChildFailures((scope, coroutine, thrown) -> handled.add(thrown));
          Scope child = s.child();
          child.launch("slow", () -> Heddle.shield(() -> Heddle.delay(LONG)));
          child.spawn(this::fail);
          assertThatThrownBy(() -> Heddle.await(child, Deadline.after(Duration.ofMillis(1))))
              .isInstanceOf(DeadlineException.class);
          return null;
        }));
    assertThat(handled).containsExactly(failure);
  }

  // ---- a handler that waits for itself ----

  @Test
  void failureHandler_thatJoinsItsOwnCancelledScope_isRefused() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          Scope child = s.child();
          child.handleFailures((scope, coroutine, thrown) -> {
            scope.cancel("one failed");
            assertThatThrownBy(scope::join)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("for itself");
            log.add("handled");
          });
          child.spawn(() -> {
            child.cancel("over");
            return fail();
          });
          return null;
        }));
    assertThat(log).containsExactly("handled");
  }

  // ---- the JVM at its end ----

  @Test
  @Tag("loop-98")
  @Tag("trap-23")
  void outOfMemory_endsTheRunOnceAndCallsNoHandler() {
    OutOfMemoryError exhausted = new OutOfMemoryError("as if");
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(() -> {
                Scope.root().handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
                Heddle.supervise(s -> {
                  s.handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
                  var worker =
                      s.spawn(() -> {
                        throw exhausted;
                      });
                  worker.onCompletion(ended -> log.add("handler"));
                  Heddle.delay(LONG);
                  return null;
                });
              }))
          .isSameAs(exhausted);
      assertThat(reports.failures()).isEmpty();
    }
    assertThat(handled).isEmpty();
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-98")
  @Tag("trap-23")
  void outOfMemory_inAHandler_endsTheRunAndCallsNoOther() {
    OutOfMemoryError exhausted = new OutOfMemoryError("as if");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Scope.root().handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
              Heddle.onShutdown(() -> log.add("closed"));
              var worker = Heddle.spawn(() -> "done");
              worker.onCompletion(ended -> {
                throw exhausted;
              });
              worker.onCompletion(ended -> log.add("second handler"));
              try {
                Heddle.delay(LONG);
              } finally {
                log.add("cleaned up");
              }
            }))
        .isSameAs(exhausted);
    assertThat(handled).isEmpty();
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-98")
  @Tag("trap-23")
  void outOfMemory_inAFailureHandler_endsTheRun() {
    OutOfMemoryError exhausted = new OutOfMemoryError("as if");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Scope.root()
                  .handleFailures((scope, coroutine, thrown) -> {
                    throw exhausted;
                  });
              Heddle.launch("failing", this::fail);
              try {
                Heddle.delay(LONG);
              } finally {
                log.add("cleaned up");
              }
            }))
        .isSameAs(exhausted);
    assertThat(log).isEmpty();
  }
}
