// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.event.EventStream;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Failures that came at a moment in which nobody was there to take them: each reaches somebody,
/// and only once.
@Timeout(300)
@Tag("trap-18")
class LostFailureTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final IllegalStateException failure = new IllegalStateException("a real failure");

  private @Nullable Object fail() {
    throw failure;
  }

  private AutoCloseable failing() {
    return this::fail;
  }

  private static List<Throwable> mergedInto(Throwable kept) {
    FailureReport report = Heddle.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  private static List<Throwable> reportsOf(Action main) {
    try (Reports reports = new Reports()) {
      Heddle.run(main);
      return reports.failures();
    }
  }

  // ---- what a wait has collected when it is cancelled ----

  private void cancelledWhileItsPartFails(java.util.function.Consumer<Coroutine<?>> wait) {
    Promise<String> go = Heddle.promise();
    var failing =
        Heddle.spawn(
            "failing",
            () -> {
              go.future().await();
              throw failure;
            });
    var waiter = Heddle.spawn("waiter", () -> wait.accept(failing));
    Heddle.yieldNow();
    Heddle.yieldNow();
    go.complete("go");
    Heddle.launch("canceller", () -> waiter.cancel("not needed"));
  }

  @Test
  void failureCollectedByAll_whoseWaiterIsCancelledBeforeItRuns_stopsTheLoop() {
    assertThatThrownBy(() ->
            Heddle.run(() -> cancelledWhileItsPartFails(part -> Await.allSettled(List.of(part)))))
        .isSameAs(failure);
  }

  @Test
  void failureCollectedByAny_whoseWaiterIsCancelledBeforeItRuns_stopsTheLoop() {
    assertThatThrownBy(
            () -> Heddle.run(() -> cancelledWhileItsPartFails(part -> Await.race(List.of(part)))))
        .isSameAs(failure);
  }

  @Test
  void failureCollectedByFirstSuccess_whoseWaiterIsCancelledBeforeItRuns_stopsTheLoop() {
    assertThatThrownBy(
            () -> Heddle.run(() -> cancelledWhileItsPartFails(part -> Await.any(List.of(part)))))
        .isSameAs(failure);
  }

  @Test
  void failuresCollectedByAll_whoseWaiterIsCancelledLater_stopTheLoopAsOne() {
    IllegalStateException second = new IllegalStateException("second");
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Promise<String> go = Heddle.promise();
              Promise<String> never = Heddle.promise();
              var first = go.future().map(_ -> fail());
              var other =
                  first.recover(_ -> {
                    throw second;
                  });
              var waiter =
                  Heddle.spawn(() ->
                      Await.<@Nullable Object>allSettled(List.of(first, other, never.future())));
              Heddle.yieldNow();
              go.complete("go");
              assertThatThrownBy(other::await).isSameAs(second);
              waiter.cancel("not needed");
            }))
        .isSameAs(failure);
    assertThat(mergedInto(failure)).contains(second);
  }

  // ---- clean-up that fails ----

  @Test
  @Tag("trap-19")
  void closeThatFails_whileItsBodyIsCancelled_failsTheScopeAsAFinallyBlockDoes() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var worker =
                  Heddle.spawn(() -> {
                    try (var _ = failing()) {
                      Heddle.delay(LONG);
                    }
                  });
              Heddle.yieldNow();
              worker.cancel("stop");
            }))
        .isSameAs(failure);
  }

  @Test
  void closeThatFails_whileItsBodyIsCancelled_isWhatTheAwaiterGets() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try (var _ = failing()) {
              Heddle.delay(LONG);
            }
          });
      Heddle.launch("canceller", () -> worker.cancel("stop"));
      assertThatThrownBy(worker::await).isSameAs(failure);
      assertThat(worker.isCancelled()).isTrue();
    });
  }

  @Test
  void closeThatFails_inAWaitOfTheJdkThatWasInterrupted_failsTheScope() {
    CountDownLatch never = new CountDownLatch(1);
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var worker =
                  Heddle.spawn(() -> {
                    try (var _ = failing()) {
                      never.await();
                    }
                  });
              Heddle.yieldNow();
              worker.cancel("stop");
            }))
        .isSameAs(failure);
  }

  @Test
  void closesThatFail_ofAllMembersOfACancelledScope_areAllReported() {
    List<IllegalStateException> each = new ArrayList<>();
    List<Throwable> reported =
        reportsOf(() ->
            Heddle.supervise(s -> {
              for (int i = 0; i < 10; i++) {
                IllegalStateException mine = new IllegalStateException("of member " + i);
                each.add(mine);
                s.launch(
                    "member " + i,
                    () -> {
                      try (AutoCloseable _ =
                          () -> {
                            throw mine;
                          }) {
                        Heddle.delay(LONG);
                      }
                    });
              }
              Heddle.yieldNow();
              s.cancel("all of you");
              return null;
            }));
    assertThat(reported).containsExactlyInAnyOrderElementsOf(each);
  }

  @Test
  void closeThatFails_inABlockThatADeadlineCuts_isThrownByTheBlock() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofNanos(1),
                    () -> {
                      try (var _ = failing()) {
                        Heddle.delay(LONG);
                      }
                    }))
            .isSameAs(failure));
  }

  @Test
  void closeThatFails_inABlockThatATokenCuts_isThrownByTheBlock() {
    Heddle.run(() -> {
      Promise<String> token = Heddle.promise();
      Heddle.launch("token", () -> token.complete("now"));
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  token.future(),
                  () -> {
                    try (var _ = failing()) {
                      Heddle.delay(LONG);
                    }
                  }))
          .isSameAs(failure);
    });
  }

  @Test
  void closeThatFails_inABodyThatAFailedScopeCuts_standsInTheReportOfTheScopesFailure() {
    IllegalStateException members = new IllegalStateException("the member's");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.launch(
                      "member",
                      () -> {
                        throw members;
                      });
                  try (var _ = failing()) {
                    Heddle.delay(LONG);
                  }
                  return null;
                }))
            .isSameAs(members));
    assertThat(mergedInto(members)).contains(failure);
  }

  @Test
  void cancellation_thatCarriesNothing_staysACancellation() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try (AutoCloseable _ = () -> {}) {
              Heddle.delay(LONG);
            }
          });
      Heddle.launch("canceller", () -> worker.cancel("stop"));
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class);
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofNanos(1), () -> Heddle.delay(LONG)))
          .isInstanceOf(DeadlineException.class);
    });
  }

  @Test
  void closeThatFails_underAMapThatGetsACancellation_isTheFailureOfTheDerivedFuture() {
    Heddle.run(() -> {
      Promise<Object> cancelled = Heddle.promise();
      cancelled.future().cancel("stop");
      Promise<String> source = Heddle.promise();
      var derived =
          source
              .future()
              .map(_ -> {
                try (var _ = failing()) {
                  return cancelled.future().await();
                }
              });
      source.complete("go");
      assertThatThrownBy(derived::await).isSameAs(failure);
    });
  }

  // ---- failures of child scopes ----

  @Test
  void completionHandlerOfAChildScope_belowASupervisedOne_isReportedWithItsFailure() {
    List<Throwable> reported =
        reportsOf(() ->
            Heddle.supervise(s -> {
              Scope child = s.child();
              child.onCompletion(_ -> fail());
              child.cancel("over");
              return null;
            }));
    assertThat(reported).containsExactly(failure);
  }

  private static void failTwice(Scope child, Throwable first, Throwable second) {
    child.launch(
        "first",
        () -> {
          Heddle.yieldNow();
          throw unchecked(first);
        });
    child.launch(
        "second",
        () -> {
          try {
            Heddle.delay(LONG);
          } finally {
            Heddle.yieldNow();
            Heddle.yieldNow();
            Heddle.yieldNow();
            failWith(unchecked(second));
          }
        });
  }

  private static RuntimeException unchecked(Throwable failure) {
    return (RuntimeException) failure;
  }

  @Test
  void secondFailureOfAChildScope_afterAHandlerHasTheFirst_isReportedToTheHandler() {
    IllegalStateException second = new IllegalStateException("second");
    List<Throwable> told = new ArrayList<>();
    Heddle.run(() -> {
      Scope.current().handleChildFailures((_, _, failed) -> told.add(failed));
      failTwice(Scope.current().child(), failure, second);
    });
    assertThat(told).containsExactly(failure, second);
    assertThat(mergedInto(failure)).isEmpty();
  }

  @Test
  void secondFailureOfAChildScope_belowASupervisedOne_isReportedAsTheFirstIs() {
    IllegalStateException second = new IllegalStateException("second");
    List<Throwable> reported =
        reportsOf(() ->
            Heddle.supervise(s -> {
              failTwice(s.child(), failure, second);
              return null;
            }));
    assertThat(reported).containsExactlyInAnyOrder(failure, second);
  }

  @Test
  void failureOfABackgroundMember_afterAJoinerHasTheFirst_isThrownByClose() {
    IllegalStateException late = new IllegalStateException("late");
    Heddle.run(() ->
        assertThatThrownBy(
                () -> {
                  try (Scope scope = Scope.open()) {
                    scope.background(
                        "background",
                        () -> {
                          try {
                            Heddle.delay(LONG);
                          } finally {
                            Heddle.shield(() -> Heddle.delay(Duration.ofMillis(1)));
                            failWith(late);
                          }
                        });
                    scope.launch("failing", this::fail);
                    var joiner = Scope.root().spawn(() -> scope.join());
                    assertThatThrownBy(joiner::await).isSameAs(failure);
                  }
                })
            .isSameAs(late));
  }

  // ---- what is merged into what is reported ----

  @Test
  void failuresThatWereSuperseded_toOneThatIsReported_areReportedToo() {
    IllegalStateException second = new IllegalStateException("second");
    List<Throwable> reported =
        reportsOf(() -> {
          try (Scope scope = Scope.open()) {
            scope.launch(
                "second",
                () -> {
                  try {
                    Heddle.delay(LONG);
                  } finally {
                    failWith(second);
                  }
                });
            Heddle.yieldNow();
            scope.launch("first", this::fail);
            Heddle.yieldNow();
          }
        });
    assertThat(reported).containsExactly(failure, second);
  }

  // ---- streams ----

  @Test
  void failureThatAnOpenStreamHasTaken_andThatWasNotRead_isReportedAtTheEndOfTheLoop() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        var failing = Heddle.spawn(this::fail);
        var _ = EventStream.of(failing, 4);
      });
      assertThat(reports.failures()).containsExactly(failure);
      assertThat(reports.messages().getFirst()).contains("unread failure of a stream");
    }
  }

  @Test
  void failureThatAStreamHasTaken_andAReaderReads_isNotReported() {
    List<Throwable> reported =
        reportsOf(() -> {
          var failing = Heddle.spawn(this::fail);
          var stream = EventStream.of(failing, 4);
          assertThatThrownBy(stream::next).isSameAs(failure);
        });
    assertThat(reported).isEmpty();
  }

  @Test
  void failureThatAStreamHasTaken_whoseReaderIsCancelledAsItIsClosed_isReported() {
    List<Throwable> reported =
        reportsOf(() -> {
          Promise<String> go = Heddle.promise();
          var failing =
              Heddle.spawn(() -> {
                go.future().await();
                throw failure;
              });
          var stream = EventStream.of(failing, 4);
          var reader = Heddle.spawn(() -> stream.next());
          Heddle.yieldNow();
          go.complete("go");
          Heddle.yieldNow(); // it fails, and the reader is ready
          stream.close();
          reader.cancel("not needed");
        });
    assertThat(reported).containsExactly(failure);
  }

  // ---- those who are told of a cancellation ----

  @Test
  void cancellationCallback_thatThrows_doesNotReplaceTheAwaitersCancellation() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<String> never = Heddle.promise();
        var work = dev.heddle.event.Future.<String>ofWork(never.future(), _ -> fail());
        var awaiter = Heddle.spawn(() -> work.await());
        Heddle.launch("canceller", () -> awaiter.cancel("not needed"));
        assertThatThrownBy(awaiter::await).isInstanceOf(Cancellation.class);
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  // what a report did not name: RandomLossTest, seed 139489
  @Test
  void failureBehindTheCauseOfAReportedOne_isReportedToo() {
    IllegalStateException second = new IllegalStateException("a completion");
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(() -> {
            Promise<String> never = Heddle.promise();
            Promise<String> failing = Heddle.promise();
            var token = failing.future().onCompletion(() -> failWith(second));
            Heddle.spawn("waiter", () -> never.future().await(token));
            Heddle.yieldNow();
            failing.fail(failure);
          }));
      assertThat(reports.failures()).hasSize(2).contains(failure);
      assertThat(reports.failures().getFirst()).hasCause(second);
    }
  }

  @Test
  void checkedFailureOfAClose_isWrappedOnceWhereItLeaves() {
    IOException checked = new IOException("disk full");
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try (AutoCloseable _ =
                () -> {
                  throw checked;
                }) {
              Heddle.delay(LONG);
            }
          });
      Heddle.launch("canceller", () -> worker.cancel("stop"));
      assertThatThrownBy(worker::await)
          .isInstanceOf(dev.heddle.CoroutineException.class)
          .hasCause(checked);
    });
  }

  private static void failWith(RuntimeException failure) {
    throw failure;
  }
}
