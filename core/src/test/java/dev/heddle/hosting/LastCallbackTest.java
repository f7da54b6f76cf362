// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is called as a loop ends, by itself or past its deadline, and fails or hangs: main's
/// outcome stays main's, and other threads are told.
@Timeout(300)
@Tag("trap-18")
class LastCallbackTest {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final HeddleOptions OPTIONS =
      HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(20));

  private final IllegalStateException failure = new IllegalStateException("a callback");
  private final AtomicReference<CompletableFuture<String>> exported = new AtomicReference<>();
  private volatile boolean over;

  // code that computes, to the loop: it parks, and swallows every interrupt
  private void stubborn() {
    while (!over) {
      LockSupport.parkNanos(1_000_000);
      var _ = Thread.interrupted();
    }
  }

  @Test
  void callbackOfAnAbandonedCoroutine_thatThrows_keepsNoOtherThreadWaiting() {
    try (Reports reports = new Reports()) {
      String outcome =
          Heddle.run(
              OPTIONS,
              () -> {
                var abandoned = Heddle.spawn("stubborn", this::stubborn);
                abandoned
                    .event()
                    .subscribe((_, _, _) -> {
                      throw failure;
                    });
                Promise<String> answer = Heddle.promise("answer");
                exported.set(answer.future().toCompletableFuture());
                Heddle.yieldNow();
                Heddle.shutdown(SHORT);
                return "main's outcome";
              });
      assertThat(outcome).isEqualTo("main's outcome");
      assertThat(reports.failures()).contains(failure);
    } finally {
      over = true;
    }
    assertThatThrownBy(() -> exported.get().get()).hasCauseInstanceOf(LoopEndedException.class);
  }

  private String withALateHandler(dev.heddle.Action handler) {
    return Heddle.run(
        OPTIONS,
        () -> {
          var done = Heddle.spawn(() -> 1);
          done.onCompletion(_ -> handler.run());
          done.await();
          Heddle.yieldNow();
          Heddle.shutdown(SHORT);
          return "main's outcome";
        });
  }

  @Test
  void completionHandler_inTheJdk_thatTheDeadlineCuts_leavesMainItsOutcome() {
    CountDownLatch never = new CountDownLatch(1);
    try (Reports reports = new Reports()) {
      assertThat(withALateHandler(never::await)).isEqualTo("main's outcome");
      assertThat(reports.messages().toString()).contains("did not end by the shutdown deadline");
    }
  }

  @Test
  void completionHandler_inAWait_thatTheDeadlineCuts_leavesMainItsOutcome() {
    try (Reports _ = new Reports()) {
      assertThat(withALateHandler(() -> Heddle.<Object>promise().future().await()))
          .isEqualTo("main's outcome");
    }
  }

  @Test
  void completionHandler_thatFailsInItsOwnWay_isNoLateOne() {
    assertThatThrownBy(() ->
            withALateHandler(() -> {
              throw failure;
            }))
        .isSameAs(failure);
  }

  @Test
  void failureHandler_thatTheDeadlineCancels_leavesItsFailureToTheLog() {
    IllegalStateException handled = new IllegalStateException("told to a handler");
    try (Reports reports = new Reports()) {
      String outcome =
          Heddle.run(
              OPTIONS,
              () -> {
                Heddle.current();
                dev.heddle.coroutine.Scope.current()
                    .handleFailures((_, _, _) -> Heddle.<Object>promise().future().await());
                Heddle.spawn(() -> {
                  throw handled;
                });
                Heddle.yieldNow();
                Heddle.yieldNow();
                Heddle.shutdown(SHORT);
                return "main's outcome";
              });
      assertThat(outcome).isEqualTo("main's outcome");
      assertThat(reports.failures()).contains(handled);
    }
  }

  @Test
  @Tag("trap-23")
  void outOfMemoryError_inASubmittedBody_endsTheLoopAndIsWhatTheSubmitterGets() throws Exception {
    OutOfMemoryError exhausted = new OutOfMemoryError("as if");
    CompletableFuture<CompletableFuture<String>> submitted = new CompletableFuture<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Loop<?> loop = Loop.current();
              Thread.ofPlatform()
                  .start(() ->
                      submitted.complete(
                          loop.submit(() -> {
                            throw exhausted;
                          })));
              Heddle.delay(Duration.ofHours(1)); // a promise could be called a deadlock by then
            }))
        .isSameAs(exhausted);
    assertThatThrownBy(() -> submitted.get().get()).hasCause(exhausted);
  }
}
