// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A coroutine as an object: its states, its outcome, its handlers.
@Timeout(300)
class CoroutineTest {
  @Test
  @Tag("loop-24")
  void coroutineThatYielded_isQueuedAndSuspended() {
    Heddle.run(() -> {
      var yielding =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            return 1;
          });
      Heddle.yieldNow();
      assertThat(yielding.isQueued()).isTrue();
      assertThat(yielding.isSuspended()).isTrue();
    });
  }

  @Test
  @Tag("loop-25")
  void coroutineThatEnded_inWhateverWay_isNeitherSuspendedNorQueued() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var returned = s.spawn(() -> 1);
          var thrown = s.spawn(() -> throwing(new IllegalStateException("x")));
          var cancelled = s.spawn(() -> 1);
          cancelled.cancel("no");
          Heddle.yieldNow();
          for (var ended : List.of(returned, thrown, cancelled)) {
            assertThat(ended.isDone()).isTrue();
            assertThat(ended.isSuspended()).isFalse();
            assertThat(ended.isQueued()).isFalse();
          }
          assertThatThrownBy(thrown::await).hasMessage("x");
          return null;
        }));
  }

  private static Object throwing(Exception e) throws Exception {
    throw e;
  }

  @Test
  @Tag("loop-26")
  void resultAndFailure_beforeTheEnd_areNull() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            return "done";
          });
      assertThat(worker.isStarted()).isFalse();
      Heddle.yieldNow();
      assertThat(worker.isStarted()).isTrue();
      assertThat(worker.result()).isNull();
      assertThat(worker.failure()).isNull();
      assertThat(worker.await()).isEqualTo("done");
      assertThat(worker.result()).isEqualTo("done");
      assertThat(worker.failure()).isNull();
    });
  }

  @Test
  @Tag("loop-30")
  void highPriority_returnsTheSameCoroutine() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> 1);
      assertThat(worker.setHighPriority()).isSameAs(worker);
    });
  }

  @Test
  void name_ofACoroutine_isWhatItWasGivenOrItsNumber() {
    Heddle.run(() -> {
      var named = Heddle.spawn("crawler", () -> Heddle.current().name());
      var unnamed = Heddle.spawn(() -> 1);
      assertThat(named.name()).isEqualTo("crawler");
      assertThat(named.await()).isEqualTo("crawler");
      assertThat(unnamed.name()).isEqualTo("coroutine-" + unnamed.id());
      assertThat(unnamed.id()).isNotEqualTo(named.id());
    });
  }

  @Test
  @Tag("loop-33")
  void future_ofAFinishedCoroutine_isCompleteAtOnce() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "done");
      worker.await();
      assertThat(worker.toCompletableFuture()).isCompletedWithValue("done");
    });
  }

  @Test
  @Tag("loop-34")
  void futures_ofOneCoroutine_completeInTheOrderTheyWereTaken() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> "done");
      var first = worker.toCompletableFuture().thenAccept(value -> log.add("first"));
      var second = worker.toCompletableFuture().thenAccept(value -> log.add("second"));
      Heddle.await(second);
      assertThat(first).isCompleted();
    });
    assertThat(log).containsExactly("first", "second");
  }

  @Test
  void future_ofAFailedCoroutine_failsWithTheSameThrowable() throws Exception {
    IllegalStateException failure = new IllegalStateException("x");
    CompletableFuture<Object> future =
        Heddle.run(
            () -> Heddle.supervise(s -> s.spawn(() -> throwing(failure)).toCompletableFuture()));
    assertThatThrownBy(future::join).isInstanceOf(CompletionException.class).hasCause(failure);
  }

  @Test
  void future_thatIsCancelled_leavesTheCoroutineAlone() {
    String result =
        Heddle.run(() -> {
          var worker =
              Heddle.spawn(() -> {
                Heddle.delay(Duration.ofMillis(1));
                return "done";
              });
          worker.toCompletableFuture().cancel(true);
          return worker.await();
        });
    assertThat(result).isEqualTo("done");
  }

  // ---- await ----

  @Test
  @Tag("loop-40")
  void await_ofACoroutineThatReturnsNull_isNull() {
    Heddle.run(() -> assertThat(Heddle.<@Nullable Object>spawn(() -> null).await()).isNull());
  }

  @Test
  @Tag("loop-41")
  @Tag("loop-306")
  @Tag("T8")
  void await_ofAFinishedCoroutine_costsNoSwitch() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> 42);
      Heddle.launch("other", () -> {});
      worker.await();
      Heddle.launch("queued", () -> {});
      var before = Heddle.counters();
      assertThat(worker.await()).isEqualTo(42);
      assertThat(Heddle.counters().switches()).isEqualTo(before.switches());
      assertThat(Heddle.counters().selfResumes()).isEqualTo(before.selfResumes());
    });
  }

  @Test
  @Tag("loop-42")
  @Tag("trap-18")
  void await_thrice_givesTheSameOutcomeEachTime() {
    IllegalStateException failure = new IllegalStateException("x");
    Cancellation cancellation = new Cancellation("stop");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Object value = new Object();
          var returned = s.spawn(() -> value);
          var failed = s.spawn(() -> throwing(failure));
          var cancelled = s.spawn(() -> 1);
          cancelled.cancel(cancellation);
          for (int i = 0; i < 3; i++) {
            assertThat(returned.await()).isSameAs(value);
            assertThatThrownBy(failed::await).isSameAs(failure);
            assertThatThrownBy(cancelled::await).isSameAs(cancellation);
          }
          return null;
        }));
  }

  @Test
  void await_ofACheckedFailure_givesEveryAwaiterTheOneWrapping() {
    IOException checked = new IOException("disk");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var failed = s.spawn(() -> throwing(checked));
          List<Throwable> got = new ArrayList<>();
          for (int i = 0; i < 2; i++) {
            s.launch(
                "awaiter",
                () -> {
                  try {
                    failed.await();
                  } catch (CoroutineException e) {
                    got.add(e);
                  }
                });
          }
          s.join();
          assertThat(got).hasSize(2);
          assertThat(got.get(0)).isSameAs(got.get(1)).hasCause(checked);
          assertThat(failed.failure()).isSameAs(got.get(0));
          return null;
        }));
  }

  @Test
  @Tag("loop-44")
  void cancel_ofAFinishedCoroutine_changesNothing() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var returned = s.spawn(() -> 7);
          var failed = s.spawn(() -> throwing(failure));
          Heddle.yieldNow();
          returned.cancel("late");
          failed.cancel("late");
          assertThat(returned.await()).isEqualTo(7);
          assertThatThrownBy(failed::await).isSameAs(failure);
          assertThat(returned.isCancelled()).isFalse();
          return null;
        }));
  }

  @Test
  void await_ofItself_isRefused() {
    assertThatThrownBy(() -> Heddle.run(() -> Heddle.current().await()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("awaits itself");
  }

  // ---- switch handlers ----

  @Test
  @Tag("loop-304")
  void switchHandler_isNotifiedOfEveryEnterAndLeaveAndOneFinish() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            Heddle.delay(Duration.ofMillis(1));
            return 1;
          });
      worker.addSwitchHandler((coroutine, kind) -> {
        assertThat(coroutine).isSameAs(worker);
        log.add(
            (kind == Switch.ENTER ? "enter" : "leave")
                + (kind == Switch.FINISH ? " for ever" : ""));
        return true;
      });
    });
    assertThat(log).containsExactly("enter", "leave", "enter", "leave", "enter", "leave for ever");
  }

  @Test
  @Tag("loop-304")
  void switchHandler_thatReturnsFalse_isNotCalledAgain() {
    int[] calls = new int[2];
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            Heddle.yieldNow();
            return 1;
          });
      worker.addSwitchHandler((coroutine, kind) -> ++calls[0] < 2);
      worker.addSwitchHandler((coroutine, kind) -> {
        calls[1]++;
        return true;
      });
    });
    assertThat(calls).containsExactly(2, 6);
  }

  @Test
  @Tag("loop-304")
  void switchHandler_addedByAHandler_isRefused() {
    List<Throwable> refused = new ArrayList<>();
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> 1);
      worker.addSwitchHandler((coroutine, kind) -> {
        try {
          coroutine.addSwitchHandler((c, k) -> true);
        } catch (IllegalStateException e) {
          refused.add(e);
        }
        return true;
      });
      assertThat(worker.await()).isEqualTo(1);
    });
    assertThat(refused).hasSize(2);
  }

  @Test
  void switchHandler_thatWaits_isRefusedWithAnError() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.current()
                  .addSwitchHandler((coroutine, kind) -> {
                    Heddle.yieldNow();
                    return true;
                  });
              Heddle.yieldNow();
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("switch handler");
  }

  private static SwitchHandler failingAt(boolean enterWanted, RuntimeException failure) {
    return (coroutine, kind) -> {
      if (kind == (enterWanted ? Switch.ENTER : Switch.FINISH)) {
        throw failure;
      }
      return true;
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("loop-304")
  void switchHandlerThatThrows_atTheStartOrTheEnd_failsOnlyItsCoroutine(boolean atTheStart) {
    IllegalStateException failure = new IllegalStateException("handler");
    List<String> log = new ArrayList<>();
    String result =
        Heddle.run(() ->
            Heddle.supervise(s -> {
              var failing = s.spawn(() -> log.add("body"));
              failing.addSwitchHandler(failingAt(atTheStart, failure));
              var beside =
                  s.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "beside";
                  });
              assertThatThrownBy(failing::await).isSameAs(failure);
              // another coroutine on the context that the failed one has left
              assertThat(s.spawn(() -> "next").await()).isEqualTo("next");
              return beside.await();
            }));
    assertThat(result).isEqualTo("beside");
    assertThat(log).hasSize(atTheStart ? 0 : 1);
  }

  @Test
  @Tag("loop-304")
  void switchHandlerThatThrows_atTheEndOfAFailedBody_leavesTheBodysFailure() {
    IllegalStateException failure = new IllegalStateException("body");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var failing = s.spawn(() -> throwing(failure));
          failing.addSwitchHandler(failingAt(false, new IllegalStateException("handler")));
          assertThatThrownBy(failing::await).isSameAs(failure);
          return null;
        }));
  }

  // ---- where it comes from ----

  private static int lineOfCaller() {
    return StackWalker.getInstance()
        .walk(frames -> frames.skip(1).findFirst())
        .orElseThrow()
        .getLineNumber();
  }

  @Test
  @Tag("loop-28")
  void site_ofASpawn_isItsFileAndLine() {
    List<Integer> lines = new ArrayList<>();
    List<Coroutine<?>> spawned = new ArrayList<>();
    Heddle.run(() ->
        Heddle.scope(s -> {
          lines.add(lineOfCaller() + 1);
          spawned.add(Heddle.spawn(() -> 1));
          lines.add(lineOfCaller() + 1);
          spawned.add(Heddle.spawn("named", () -> 1));
          lines.add(lineOfCaller() + 1);
          spawned.add(s.spawn(() -> 1));
          lines.add(lineOfCaller() + 1);
          s.launch("launched", () -> spawned.add(Heddle.current()));
          return null;
        }));
    assertThat(spawned).hasSize(4);
    for (int i = 0; i < spawned.size(); i++) {
      assertThat(spawned.get(i).toString())
          .contains(" spawned at ")
          .contains(CoroutineTest.class.getName())
          .endsWith("(CoroutineTest.java:" + lines.get(i) + ")");
    }
  }

  @Test
  @Tag("loop-28")
  void site_ofWorkOfAnotherThread_isTheClassOfItsBody() {
    try (Loop<Object> loop =
        Loop.start(() -> {
          Heddle.delay(Duration.ofHours(1));
          return "never";
        })) {
      assertThat(loop.submit(() -> Heddle.current().toString()).join())
          .endsWith(" spawned at " + CoroutineTest.class.getName());
    }
  }

  /// A mode that code switches on for what it calls, as many libraries do.
  private static final ThreadLocal<String> WINDOW = ThreadLocal.withInitial(() -> "closed");

  @Test
  @Tag("loop-97")
  void threadBoundMode_ofOneCoroutine_isNotSeenByThoseItSpawnsOrResumes() {
    List<String> seen = new ArrayList<>();
    Heddle.run(() -> {
      CompletableFuture<String> gate = new CompletableFuture<>();
      var resumed =
          Heddle.spawn(() -> {
            seen.add("before: " + WINDOW.get());
            Heddle.await(gate);
            return seen.add("resumed: " + WINDOW.get());
          });
      Heddle.yieldNow();
      WINDOW.set("open");
      var spawned = Heddle.spawn(() -> seen.add("spawned: " + WINDOW.get()));
      gate.complete("now");
      resumed.await();
      spawned.await();
      seen.add("own: " + WINDOW.get());
      WINDOW.remove();
      Heddle.spawn(() -> seen.add("on a used context: " + WINDOW.get())).await();
    });
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "before: closed",
            "spawned: closed",
            "resumed: closed",
            "own: open",
            "on a used context: closed");
  }

  @Test
  void prioritiesAndContexts_fromAnotherThread_areRefused() {
    Heddle.run(() -> {
      Coroutine<?> self = Heddle.current();
      for (Callable<?> call : List.<Callable<?>>of(self::setHighPriority, self::ownContext)) {
        assertThatThrownBy(() -> Heddle.offload(call))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("belongs to the loop");
      }
    });
  }
}
