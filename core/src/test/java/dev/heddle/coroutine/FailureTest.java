// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.event.NotifyHook;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where a failure goes: to those who wait, else to the scope, and to nobody twice.
@Timeout(300)
class FailureTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final IllegalStateException failure = new IllegalStateException("x");
  private final Log log = new Log();

  private Object fail() {
    throw failure;
  }

  @Test
  @Tag("loop-10")
  void failure_thatIsNotAwaited_endsTheRunAfterWhatRanBefore() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch("before", () -> log.add("before"));
              Heddle.spawn(this::fail);
            }))
        .isSameAs(failure);
    assertThat(log).containsExactly("before");
  }

  @Test
  @Tag("loop-12")
  void failure_ofANestedCoroutine_unwindsNeitherParentNorSibling() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            s.launch(
                "parent",
                () -> {
                  s.spawn(this::fail);
                  Heddle.yieldNow();
                  log.add("parent goes on");
                });
            return null;
          }));
      assertThat(log).containsExactly("parent goes on");
      assertThat(reports.failures()).containsExactly(failure);
    }
    assertThat(failure.getStackTrace()[0].getMethodName()).isEqualTo("<init>");
  }

  @Test
  @Tag("trap-18")
  void failure_thatAnAwaiterTakes_leavesTheScopeAlone() {
    try (Reports reports = new Reports()) {
      String result =
          Heddle.run(() ->
              Heddle.scope(s -> {
                var sibling =
                    s.spawn(() -> {
                      Heddle.delay(Duration.ofMillis(1));
                      return "sibling";
                    });
                var failing = s.spawn(this::fail);
                assertThatThrownBy(failing::await).isSameAs(failure);
                return sibling.await();
              }));
      assertThat(result).isEqualTo("sibling");
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  @Tag("trap-18")
  void failure_thatIsNotAwaited_cancelsSiblingsAndBodyAndIsThrownByTheScope() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                s.launch("sibling", () -> log.sleep("sibling"));
                s.spawn(this::fail);
                log.sleep("body");
                return null;
              }))
          .isSameAs(failure);
      log.add("after the scope");
    });
    assertThat(log).containsExactlyInAnyOrder("sibling cut", "body cut", "after the scope");
    assertThat(log.getLast()).isEqualTo("after the scope");
  }

  @Test
  void failure_ofTheBody_cancelsTheMembersAndIsThrown() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.launch("member", () -> log.sleep("member"));
                  Heddle.yieldNow();
                  throw failure;
                }))
            .isSameAs(failure));
    assertThat(log).containsExactly("member cut");
  }

  @Test
  @Tag("loop-134")
  void failure_inAnInnerScope_cancelsTheMembersOfTheOuterOne() {
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(outer -> {
                  outer.launch("outer member", () -> log.sleep("outer member"));
                  outer.launch(
                      "with an inner scope",
                      () ->
                          Heddle.scope(inner -> {
                            inner.launch("inner member", () -> log.sleep("inner member"));
                            Heddle.yieldNow();
                            inner.spawn(this::fail);
                            return null;
                          }));
                  return null;
                })))
        .isSameAs(failure);
    assertThat(log).containsExactly("inner member cut", "outer member cut");
  }

  @Test
  @Tag("loop-134")
  @Tag("trap-19")
  void furtherFailures_duringTheUnwinding_standInTheReportOfTheFirstWhichIsThrown() {
    IllegalStateException second = new IllegalStateException("second");
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(() ->
                  Heddle.scope(s -> {
                    s.launch(
                        "cleans up badly",
                        () -> {
                          try {
                            Heddle.delay(LONG);
                          } finally {
                            log.add("cleaning");
                            throwSecond(second);
                          }
                        });
                    s.spawn(this::fail);
                    return null;
                  })))
          .isSameAs(failure);
      assertThat(log).containsExactly("cleaning");
      assertThat(reports.failures()).isEmpty();
      assertThat(merged(failure)).containsExactly(second);
    }
  }

  private static List<Throwable> merged(Throwable kept) {
    FailureReport report = Heddle.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  private static void throwSecond(RuntimeException second) {
    throw second;
  }

  @Test
  void failure_ofTheSameThrowableTwice_isNoFurtherFailure() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              Heddle.run(() ->
                  Heddle.scope(s -> {
                    s.spawn(this::fail);
                    s.spawn(this::fail);
                    return null;
                  })))
          .isSameAs(failure);
      assertThat(reports.failures()).isEmpty();
      assertThat(failure.getSuppressed()).isEmpty();
    }
  }

  // ---- supervised ----

  @Test
  @Tag("trap-18")
  void supervisedFailure_thatWasNotObserved_isReportedOnceAtTheEnd() {
    try (Reports reports = new Reports()) {
      String result =
          Heddle.run(() ->
              Heddle.supervise(s -> {
                s.spawn(this::fail);
                Heddle.delay(Duration.ofMillis(1));
                assertThat(reports.failures()).isEmpty();
                return "result";
              }));
      assertThat(result).isEqualTo("result");
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  @Tag("trap-18")
  void supervisedFailure_takenByALateAwaiter_isNotReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            var failing = s.spawn(this::fail);
            Heddle.yieldNow();
            assertThat(failing.isDone()).isTrue();
            assertThatThrownBy(failing::await).isSameAs(failure);
            assertThatThrownBy(failing::await).isSameAs(failure);
            return null;
          }));
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  @Tag("trap-18")
  void failure_thatFailedTheScope_isTheSameForALateAwaiter() {
    Heddle.run(() -> {
      Coroutine<?>[] failing = new Coroutine<?>[1];
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                failing[0] = s.spawn(this::fail);
                return null;
              }))
          .isSameAs(failure);
      assertThatThrownBy(failing[0]::await).isSameAs(failure);
    });
  }

  // ---- what is wrapped ----

  @Test
  void checkedException_leavingRun_isWrappedOnce() {
    IOException checked = new IOException("disk");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s ->
                    Heddle.withTimeout(
                        LONG,
                        () ->
                            Heddle.shield(() -> {
                              throw checked;
                            })))))
        .isExactlyInstanceOf(CoroutineException.class)
        .cause()
        .isSameAs(checked);
  }

  @Test
  void checkedException_ofAMember_isWrappedOnceOnItsWayThroughScopes() {
    IOException checked = new IOException("disk");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(outer ->
                    Heddle.scope(inner -> {
                      inner.spawn(() -> {
                        throw checked;
                      });
                      return null;
                    }))))
        .isExactlyInstanceOf(CoroutineException.class)
        .cause()
        .isSameAs(checked);
  }

  @Test
  void uncheckedException_leavingRun_isTheSameObjectUnchanged() {
    assertThatThrownBy(() -> Heddle.run(() -> Heddle.scope(s -> fail()))).isSameAs(failure);
    assertThat(failure.getSuppressed()).isEmpty();
    assertThat(failure.getCause()).isNull();
  }

  @Test
  void error_leavingRun_isTheSameObject() {
    AssertionError error = new AssertionError("e");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.spawn(
                      () -> {
                        throw error;
                      })
                  .await();
            }))
        .isSameAs(error);
  }

  @Test
  void cancellation_thatEscapesACoroutineNotCancelled_isAnOrdinaryFailure() {
    Cancellation stray = new Cancellation("stray");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  s.spawn(() -> {
                    throw stray;
                  });
                  return null;
                })))
        .isSameAs(stray);
  }

  private static int endless(int depth) {
    return depth < 0 ? 0 : endless(depth + 1) + 1;
  }

  @Test
  @Tag("loop-98")
  @Tag("trap-23")
  void stackOverflow_inOneCoroutine_failsThatOneOnly() {
    String result =
        Heddle.run(() ->
            Heddle.supervise(s -> {
              var deep = s.spawn(() -> endless(0));
              var beside = s.spawn(() -> "beside");
              assertThatThrownBy(deep::await).isInstanceOf(StackOverflowError.class);
              return beside.await();
            }));
    assertThat(result).isEqualTo("beside");
  }

  @Test
  void offloadedCall_thatFails_throwsItsFailureInTheCoroutine() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.offload(this::fail)).isSameAs(failure);
      assertThatThrownBy(() ->
              Heddle.offload(() -> {
                throw new IOException("disk");
              }))
          .isInstanceOf(CoroutineException.class)
          .hasCauseInstanceOf(IOException.class);
      assertThat(Heddle.offload(() -> Thread.currentThread().isVirtual())).isFalse();
    });
  }

  // ---- failures that fail themselves ----

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("getMessage");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("toString");
    }
  }

  private static final class HostileChecked extends Exception {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("OverrideThrowableToString") // users do, and it may fail
    @Override
    public String toString() {
      throw new StackOverflowError("toString");
    }
  }

  private static boolean isThrownBy(Action action, Throwable expected) {
    try {
      action.run();
      return false;
    } catch (Throwable e) {
      // no assertion library here: it would print the exception
      return e == expected;
    }
  }

  @Test
  void exceptionWhoseToStringThrows_failsOnlyItsScope() {
    Hostile hostile = new Hostile();
    String result =
        Heddle.run(() -> {
          var beside =
              Heddle.spawn(() -> {
                Heddle.delay(Duration.ofMillis(1));
                return "beside";
              });
          boolean same =
              isThrownBy(
                  () ->
                      Heddle.scope(s -> {
                        s.launch("sibling", () -> log.sleep("sibling"));
                        s.launch(
                            "hostile",
                            () -> {
                              throw hostile;
                            });
                        log.sleep("body");
                        return null;
                      }),
                  hostile);
          assertThat(same).isTrue();
          return beside.await();
        });
    assertThat(result).isEqualTo("beside");
    assertThat(log).containsExactlyInAnyOrder("sibling cut", "body cut");
  }

  @Test
  void exceptionWhoseToStringThrows_inABodyOrAtTheRoot_isThrownUnchanged() {
    Hostile hostile = new Hostile();
    Action body =
        () ->
            Heddle.scope(s -> {
              s.launch("member", () -> log.sleep("member"));
              Heddle.yieldNow();
              throw hostile;
            });
    assertThat(isThrownBy(() -> Heddle.run(body), hostile)).isTrue();
    assertThat(log).containsExactly("member cut");
    Action atTheRoot =
        () -> {
          Heddle.launch(
              "hostile",
              () -> {
                throw hostile;
              });
          log.sleep("main");
        };
    assertThat(isThrownBy(() -> Heddle.run(atTheRoot), hostile)).isTrue();
    assertThat(log).containsExactly("member cut", "main cut");
  }

  @Test
  void exceptionWhoseToStringThrows_thatIsNotTaken_isReported() {
    Hostile hostile = new Hostile();
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            s.launch(
                "hostile",
                () -> {
                  throw hostile;
                });
            return null;
          }));
      assertThat(reports.failures().size()).isOne();
      assertThat(reports.failures().getFirst() == hostile).isTrue();
    }
  }

  @Test
  void checkedExceptionWhoseToStringThrows_isWrappedWithTheNameOfItsClass() {
    HostileChecked hostile = new HostileChecked();
    CoroutineException got = null;
    try {
      Heddle.run(() -> {
        throw hostile;
      });
    } catch (CoroutineException e) {
      got = e;
    }
    assertThat(got != null && got.getCause() == hostile).isTrue();
    assertThat(got.getMessage()).isEqualTo(HostileChecked.class.getName());
  }

  @Test
  @Tag("trap-18")
  void failureWhoseAwaiterLeavesBeforeAHookHasRun_failsTheScope() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              List<Coroutine<?>> awaiters = new ArrayList<>();
              Promise<String> go = Heddle.promise();
              Heddle.spawn(
                      () -> {
                        go.future().await();
                        awaiters.getFirst().cancel("stop");
                        return null;
                      })
                  .setHighPriority();
              Coroutine<Object> failing =
                  Heddle.spawn(() -> {
                    Heddle.yieldNow();
                    go.complete("before it fails");
                    throw failure;
                  });
              NotifyHook hook = (event, result, error) -> {};
              failing.event().subscribe(hook);
              awaiters.add(Heddle.spawn(() -> failing.await()));
            }))
        .isSameAs(failure);
  }
}
