// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.ScopeBody;
import dev.heddle.event.Event;
import dev.heddle.event.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The failure of what a select awaits is thrown or reported: never both, and never neither.
@Tag("trap-18")
@Timeout(300)
class SelectFailureTest {
  private static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  private static void inScope(ScopeBody<Boolean> body) {
    Heddle.run(() -> {
      Heddle.scope(body);
    });
  }

  private static void supervised(ScopeBody<Boolean> body) {
    Heddle.run(() -> {
      Heddle.supervise(body);
    });
  }

  private static Coroutine<String> failing(Promise<String> start, RuntimeException failure) {
    return Heddle.spawn(() -> {
      var _ = start.future().await();
      throw failure;
    });
  }

  private static void untilDone(Coroutine<?> coroutine) {
    while (!coroutine.isDone()) {
      Heddle.yieldNow();
    }
  }

  // ---- something else comes before the coroutine continues ----

  @Test
  void failure_ofABranch_isThrownAlthoughTheSelectIsCancelledBeforeItRuns() {
    RuntimeException failure = new IllegalStateException("broken");
    List<Throwable> met = new ArrayList<>();
    supervised(scope -> {
      Promise<String> start = new Promise<>();
      Coroutine<String> failing = failing(start, failure);
      Coroutine<?> selecting =
          scope.spawn(() -> {
            met.add(catchThrowable(() -> Select.<String>create().onAwait(failing, v -> v).await()));
            met.add(catchThrowable(() -> Heddle.yieldNow()));
          });
      settle();
      start.complete("now");
      untilDone(failing);
      assertThat(selecting.isDone()).isFalse();
      selecting.cancel("too late");
      return true;
    });
    assertThat(met.getFirst()).isSameAs(failure);
    assertThat(met.getLast()).isInstanceOf(Cancellation.class); // it stays pending
  }

  @Test
  void failure_ofABranch_isThrownAlthoughTheTokenFiresBeforeItRuns() {
    RuntimeException failure = new IllegalStateException("broken");
    List<Throwable> met = new ArrayList<>();
    supervised(scope -> {
      Promise<String> start = new Promise<>();
      Promise<String> token = new Promise<>();
      Coroutine<String> failing = failing(start, failure);
      var _ =
          scope.spawn(() ->
              met.add(
                  catchThrowable(() ->
                      Select.<String>create().onAwait(failing, v -> v).await(token.future()))));
      settle();
      start.complete("now");
      untilDone(failing);
      token.complete("enough");
      return true;
    });
    assertThat(met).containsExactly(failure);
  }

  @Test
  void failure_thatComesAfterAnotherBranch_isReportedAndNotThrown() {
    RuntimeException failure = new IllegalStateException("broken");
    List<String> chosen = new ArrayList<>();
    try (Reports reports = new Reports()) {
      supervised(scope -> {
        Channel<String> channel = Channel.of(0);
        Promise<String> start = new Promise<>();
        Coroutine<String> failing =
            scope.spawn(() -> {
              var _ = start.future().await();
              assertThat(channel.trySend("item")).isTrue();
              throw failure;
            });
        var _ =
            scope.spawn(() ->
                chosen.add(
                    Select.<String>create()
                        .onAwait(failing, v -> v)
                        .onReceive(channel, item -> item)
                        .await()));
        settle();
        start.complete("now");
        return true;
      });
      assertThat(chosen).containsExactly("item");
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void failureOfAPart_ofAnEventThatHasNotFired_isCarriedByTheCancellation() {
    RuntimeException failure = new IllegalStateException("a part is broken");
    assertThatThrownBy(() ->
            inScope(scope -> {
              Promise<String> broken = new Promise<>();
              Promise<String> never = new Promise<>();
              Event all = Event.allOf(broken.future(), never.future());
              Coroutine<?> selecting =
                  scope.spawn(() -> Select.<Integer>create().onAwait(all, _ -> 1).await());
              settle();
              broken.fail(failure);
              settle();
              selecting.cancel("no longer");
              return true;
            }))
        .isSameAs(failure);
  }

  @Test
  void waitInVain_forAwaitablesOnly_namesTheFirst() {
    Heddle.run(() -> {
      Promise<String> never = new Promise<>("the answer");
      Promise<String> token = new Promise<>();
      Heddle.spawn(() -> token.complete("enough"));
      assertThatThrownBy(
              () -> Select.<String>create().onAwait(never.future(), v -> v).await(token.future()))
          .isInstanceOf(WaitCancelledException.class)
          .hasMessageContaining("stopped waiting for the future 'the answer'");
    });
  }

  // ---- the failure is there already ----

  @Test
  void future_thatHasFailedBefore_isThrownAndNotReported() {
    RuntimeException failure = new IllegalStateException("broken");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<String> promise = new Promise<>();
        promise.fail(failure);
        assertThatThrownBy(() -> Select.<String>create().onAwait(promise.future(), v -> v).await())
            .isSameAs(failure);
      });
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  void coroutine_thatHasFailedBefore_isThrownAndNotReported() {
    RuntimeException failure = new IllegalStateException("broken");
    try (Reports reports = new Reports()) {
      supervised(scope -> {
        Coroutine<String> failed =
            scope.spawn(() -> {
              throw failure;
            });
        untilDone(failed);
        assertThatThrownBy(() -> Select.<String>create().onAwait(failed, v -> v).await())
            .isSameAs(failure);
        return true;
      });
      assertThat(reports.failures()).isEmpty();
    }
  }
}
