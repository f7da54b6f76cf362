// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ProtectTest {
  private final List<String> log = new ArrayList<>();

  private Object critical() {
    Heddle.delay(Duration.ofMillis(2));
    log.add("critical part done");
    return "result";
  }

  /// Spawns `body`, cancels it with each of `reasons` while it is parked, and returns it.
  private static <T> Coroutine<T> cancelled(dev.heddle.Body<T> body, Cancellation... reasons) {
    Coroutine<T> worker = Heddle.spawn(body);
    Heddle.yieldNow();
    for (Cancellation reason : reasons) {
      worker.cancel(reason);
    }
    return worker;
  }

  @Test
  @Tag("loop-80")
  void cancel_insideProtect_isThrownAtItsEnd() {
    Heddle.run(() -> {
      var worker =
          cancelled(
              () -> {
                Heddle.shield(this::critical);
                log.add("after");
                return 1;
              },
              new Cancellation("stop"));
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("critical part done");
  }

  @Test
  @Tag("loop-81")
  @Tag("loop-84")
  void cancel_insideProtect_canBeCaughtAroundItAndIsStillTheOutcome() {
    Cancellation stop = new Cancellation("stop");
    Heddle.run(() -> {
      var worker =
          cancelled(
              () -> {
                try {
                  Heddle.shield(this::critical);
                } catch (Cancellation c) {
                  log.add("caught " + c.getMessage());
                }
                return 1;
              },
              stop);
      assertThatThrownBy(worker::await).isSameAs(stop);
    });
    assertThat(log).containsExactly("critical part done", "caught stop");
  }

  @Test
  @Tag("loop-82")
  void severalCancels_insideOneProtect_areOneTheFirst() {
    Cancellation first = new Cancellation("first");
    List<Cancellation> caught = new ArrayList<>();
    Heddle.run(() -> {
      var worker =
          cancelled(
              () -> {
                try {
                  Heddle.shield(this::critical);
                } catch (Cancellation c) {
                  caught.add(c);
                }
                Heddle.yieldNow();
                return 1;
              },
              first,
              new Cancellation("second"),
              new Cancellation("third"));
      assertThatThrownBy(worker::await).isSameAs(first);
    });
    assertThat(caught).containsExactly(first);
  }

  @Test
  @Tag("loop-85")
  void nestedProtects_withoutACancel_runInOrder() {
    String result =
        Heddle.run(() ->
            Heddle.shield(() -> {
              log.add("outer");
              String inner =
                  Heddle.shield(() -> {
                    log.add("inner");
                    return "x";
                  });
              log.add("outer again");
              return inner;
            }));
    assertThat(result).isEqualTo("x");
    assertThat(log).containsExactly("outer", "inner", "outer again");
  }

  @Test
  @Tag("loop-85")
  @Tag("trap-20")
  void cancel_insideANestedProtect_waitsForTheOutermostOne() {
    Heddle.run(() -> {
      var worker =
          cancelled(
              () ->
                  Heddle.shield(() -> {
                    Heddle.shield(this::critical);
                    log.add("outer still protected");
                    Heddle.yieldNow();
                    Heddle.checkCancelled();
                    log.add("outer done");
                    return 1;
                  }),
              new Cancellation("stop"));
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("critical part done", "outer still protected", "outer done");
  }

  @Test
  @Tag("loop-86")
  void await_insideProtect_isTheResult() {
    String result =
        Heddle.run(() -> {
          var child = Heddle.spawn(() -> "child");
          return Heddle.shield(() -> child.await());
        });
    assertThat(result).isEqualTo("child");
  }

  @Test
  @Tag("trap-19")
  void failureInsideProtect_beatsTheCancellationThatCameMeanwhile() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker =
              cancelled(
                  () ->
                      Heddle.shield(() -> {
                        Heddle.delay(Duration.ofMillis(1));
                        throw failure;
                      }),
                  new Cancellation("stop"));
          assertThatThrownBy(worker::await).isSameAs(failure);
          return null;
        }));
  }

  @Test
  void limit_aroundProtect_isThrownWhenTheProtectedPartIsDone() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(1),
                    () ->
                        Heddle.shield(() -> {
                          Heddle.delay(Duration.ofMillis(4));
                          log.add("done");
                          return 1;
                        })))
            .isInstanceOf(DeadlineException.class));
    assertThat(log).containsExactly("done");
  }

  @Test
  void protect_insideAFailedScope_runsToItsEnd() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  s.launch("protected", () -> Heddle.shield(this::critical));
                  Heddle.yieldNow();
                  throw failure;
                })))
        .isSameAs(failure);
    assertThat(log).containsExactly("critical part done");
  }

  private static final Duration LONG = Duration.ofHours(1);

  private Object cuttable(String who) {
    try {
      Heddle.delay(LONG);
      return who + " was not cut";
    } catch (Cancellation c) {
      log.add(who + " cut");
      throw c;
    }
  }

  @Test
  void limitInsideProtect_runsOut_cutsTheBody() {
    Heddle.run(() ->
        Heddle.shield(() -> {
          assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(1), () -> cuttable("body")))
              .isInstanceOf(DeadlineException.class);
          return null;
        }));
    assertThat(log).containsExactly("body cut");
  }

  @Test
  void scopeInsideProtect_whoseMemberFails_cutsItsBody() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() ->
        Heddle.shield(() -> {
          assertThatThrownBy(() ->
                  Heddle.scope(s -> {
                    s.launch(
                        "failing",
                        () -> {
                          throw failure;
                        });
                    return cuttable("body");
                  }))
              .isSameAs(failure);
          return null;
        }));
    assertThat(log).containsExactly("body cut");
  }

  @Test
  void limitInsideProtect_ofACancelledCoroutine_endsBeforeTheCancellationIsThrown() {
    Heddle.run(() -> {
      var worker =
          cancelled(
              () ->
                  Heddle.shield(() -> {
                    assertThatThrownBy(
                            () -> Heddle.withTimeout(Duration.ofMillis(1), () -> cuttable("body")))
                        .isInstanceOf(DeadlineException.class);
                    log.add("protected part done");
                    return 1;
                  }),
              new Cancellation("stop"));
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("body cut", "protected part done");
  }

  @Test
  void protectInsideALimitInsideProtect_isHeldBackFromTheLimitOnly() {
    Heddle.run(() ->
        Heddle.shield(() -> {
          assertThatThrownBy(() ->
                  Heddle.withTimeout(Duration.ofMillis(1), () -> Heddle.shield(this::critical)))
              .isInstanceOf(DeadlineException.class);
          return null;
        }));
    assertThat(log).containsExactly("critical part done");
  }
}
