// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CompositeException;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The completion handlers of coroutines and scopes: when and where they run, and what becomes of
/// what they throw.
@Timeout(300)
class CompletionHandlerTest {
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

  private static List<RuntimeException> three() {
    return List.of(
        new IllegalStateException("first"),
        new IllegalStateException("second"),
        new IllegalStateException("third"));
  }

  // ---- completion handlers of coroutines ----

  @Test
  void handlerOfTheLastCoroutine_runsToItsEndBeforeTheLoopEnds() {
    List<String> log = new ArrayList<>();
    Heddle.run(() ->
        Heddle.current()
            .onCompletion(c -> {
              log.add("begins");
              Heddle.delay(Duration.ofMillis(1));
              log.add("ends");
            }));
    assertThat(log).containsExactly("begins", "ends");
  }

  @Test
  @Tag("loop-32")
  @Tag("loop-34")
  void completionHandlers_runInOrderInAnotherCoroutineAfterTheEnd() {
    Heddle.run(() -> {
      Coroutine<?>[] runner = new Coroutine<?>[1];
      var worker = Heddle.spawn(() -> "done");
      worker.onCompletion(ended -> {
        runner[0] = Heddle.current();
        assertThat(ended).isSameAs(worker);
        log.add("first " + ended.result());
      });
      worker.onCompletion(ended -> log.add("second"));
      worker.await();
      log.add("awaited");
      Heddle.yieldNow();
      assertThat(runner[0]).isNotSameAs(worker).isNotSameAs(Heddle.current());
    });
    assertThat(log).containsExactly("awaited", "first done", "second");
  }

  @Test
  @Tag("loop-33")
  void completionHandler_ofAFinishedCoroutine_runsAtOnceInPlace() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "done");
      worker.await();
      Coroutine<?> self = Heddle.current();
      worker.onCompletion(ended -> log.add("in place: " + (Heddle.current() == self)));
      log.add("after");
      assertThatThrownBy(() -> worker.onCompletion(throwing(failure))).isSameAs(failure);
    });
    assertThat(log).containsExactly("in place: true", "after");
  }

  @Test
  void completionHandler_isCalledHoweverItEnds() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var cancelled =
              s.spawn(() -> {
                log.sleep("cancelled");
                return 1;
              });
          cancelled.onCompletion(c -> log.add("cancelled: " + c.isCancelled()));
          var neverStarted = s.spawn(() -> 1);
          neverStarted.onCompletion(c -> log.add("never started: " + c.isCancelled()));
          neverStarted.cancel("before");
          var failing = s.spawn(this::fail);
          failing.onCompletion(c -> log.add("failed: " + c.failure().getMessage()));
          assertThatThrownBy(failing::await).isSameAs(failure);
          cancelled.cancel("stop");
          return null;
        }));
    assertThat(log)
        .containsExactlyInAnyOrder(
            "cancelled cut", "cancelled: true", "never started: true", "failed: x");
  }

  @Test
  @Tag("loop-36")
  @Tag("trap-21")
  void bodyAndHandlersThatFail_areReportedToTheScopesHandlerAsTwo() {
    List<RuntimeException> three = three();
    List<Coroutine<?>> told = new ArrayList<>();
    Heddle.run(() -> {
      Coroutine<?>[] worker = new Coroutine<?>[1];
      Heddle.scope(s -> {
        s.handleFailures((scope, coroutine, thrown) -> {
          told.add(coroutine);
          handled.add(thrown);
        });
        worker[0] = s.spawn(this::fail);
        three.forEach(e -> worker[0].onCompletion(throwing(e)));
        return null;
      });
      assertThat(told).containsExactly(worker[0], worker[0]);
    });
    assertThat(handled).hasSize(2);
    assertThat(handled.getFirst()).isSameAs(failure);
    assertThat(handled.getLast()).isInstanceOf(CompositeException.class);
    assertThat(((CompositeException) handled.getLast()).failures())
        .containsExactlyElementsOf(three);
  }

  @Test
  @Tag("loop-37")
  void handlersThatFail_ofAnAwaitedCoroutine_areReportedToTheScopesHandlerAlone() {
    List<RuntimeException> three = three();
    Heddle.run(() ->
        Heddle.scope(s -> {
          s.handleFailures((scope, coroutine, thrown) -> handled.add(thrown));
          var worker = s.spawn(this::fail);
          three.forEach(e -> worker.onCompletion(throwing(e)));
          assertThatThrownBy(worker::await).isSameAs(failure);
          return null;
        }));
    assertThat(handled).hasSize(1);
    assertThat(((CompositeException) handled.getFirst()).failures())
        .containsExactlyElementsOf(three);
  }

  @Test
  @Tag("loop-38")
  void onCompletion_withNothingToCall_isRefusedAndTheCoroutineGoesOn() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "done");
      assertThatThrownBy(() -> worker.onCompletion(null)).isInstanceOf(NullPointerException.class);
      assertThat(worker.await()).isEqualTo("done");
    });
  }

  @Test
  void handlerThatFails_withoutAnObserver_failsTheScopeOnce() {
    IOException thrown = new IOException("handler");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.spawn(() -> 1).onCompletion(throwing(thrown));
                  log.sleep("body");
                  return null;
                }))
            .isInstanceOf(CoroutineException.class)
            .hasCause(thrown)
            .satisfies(e ->
                assertThat(Heddle.reportOf(e).coroutine())
                    .as("attributed to whom it acts for")
                    .isEqualTo("coroutine-2")));
    assertThat(log).containsExactly("body cut");
  }

  @Test
  void handlerThatFails_inASupervisedScope_isReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            s.spawn(() -> 1).onCompletion(throwing(failure));
            return null;
          }));
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  @Tag("trap-22")
  void completionHandler_isNotCancelledWithTheScope_andSpawnsOutsideIt() {
    Heddle.run(() -> {
      Scope outside = Scope.current();
      try (Scope scope = Scope.open()) {
        scope
            .spawn(() -> {
              log.sleep("member");
              return 1;
            })
            .onCompletion(ended -> {
              Heddle.delay(Duration.ofMillis(1));
              log.add("handler done");
              assertThat(Scope.current()).isSameAs(outside);
            });
        Heddle.yieldNow();
      }
      log.add("scope closed");
    });
    assertThat(log).containsExactly("member cut", "handler done", "scope closed");
  }

  // ---- completion handlers of scopes ----

  @Test
  @Tag("loop-113")
  @Tag("loop-116")
  void completionHandlerOfAScope_runsWhenItIsClosedInAnotherCoroutine() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      scope.onCompletion(ended -> {
        assertThat(ended).isSameAs(scope);
        assertThat(scope.isClosed()).isTrue();
        log.add("handler in " + Heddle.current().name());
      });
      scope.launch("member", () -> log.add("member"));
      scope.join();
      log.add("joined");
      scope.close();
      log.add("closed");
    });
    assertThat(log).containsExactly("member", "joined", "handler in completion handlers", "closed");
  }

  @Test
  @Tag("loop-113")
  void completionHandlerOfAChild_runsWhenItHasEnded() {
    Heddle.run(() -> {
      Scope child = Scope.current().child();
      child.onCompletion(ended -> log.add("handler"));
      child.launch("member", () -> log.add("member"));
      Heddle.yieldNow();
      assertThat(log).containsExactly("member");
      child.cancel("over");
      Heddle.yieldNow();
    });
    assertThat(log).containsExactly("member", "handler");
  }

  @Test
  void completionHandlerOfAChild_runsAtTheLatestWhenTheLoopEnds() {
    Heddle.run(() -> {
      Scope.detached().onCompletion(ended -> log.add("handler"));
    });
    assertThat(log).containsExactly("handler");
  }

  @Test
  @Tag("loop-114")
  void completionHandlerOfAClosedScope_runsAtOnce() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      scope.close();
      scope.onCompletion(ended -> log.add("at once"));
      log.add("after");
    });
    assertThat(log).containsExactly("at once", "after");
  }

  @Test
  @Tag("loop-117")
  void handlersOfAScopeThatFail_areReportedToItsFailureHandlerAsOne() {
    List<RuntimeException> three = three();
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.handleFailures((failed, coroutine, thrown) -> handled.add(thrown));
        three.forEach(e -> scope.onCompletion(throwing(e)));
      }
      assertThat(handled).hasSize(1);
    });
    assertThat(((CompositeException) handled.getFirst()).failures())
        .containsExactlyElementsOf(three);
  }

  @Test
  void handlerOfAScopeThatFails_isThrownByTheBlockAndByClose() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                s.onCompletion(throwing(failure));
                return null;
              }))
          .isSameAs(failure);
      Scope scope = Scope.open();
      scope.onCompletion(throwing(failure));
      assertThatThrownBy(scope::close).isSameAs(failure);
      assertThat(scope.isClosed()).isTrue();
    });
  }

  @Test
  void handlerOfAChildThatFails_goesToTheScopeAbove() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.child().onCompletion(throwing(failure));
                  return null;
                }))
            .isSameAs(failure));
  }

  @Test
  @Tag("loop-133")
  void handlersOfAllLevelsOfACancelledTree_runAndTheFailureSurfacesAtTheEnd() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.onCompletion(ended -> log.add("scope's"));
                  Scope child = s.child();
                  child.onCompletion(ended -> log.add("child's"));
                  var member =
                      child.spawn(() -> {
                        log.sleep("member");
                        return 1;
                      });
                  member.onCompletion(ended -> log.add("member's first"));
                  member.onCompletion(throwing(failure));
                  member.onCompletion(ended -> log.add("member's last"));
                  Heddle.yieldNow();
                  s.cancel("all");
                  Heddle.yieldNow();
                  return null;
                }))
            .isSameAs(failure));
    assertThat(log)
        .containsExactly("member cut", "member's first", "member's last", "child's", "scope's");
  }
}
