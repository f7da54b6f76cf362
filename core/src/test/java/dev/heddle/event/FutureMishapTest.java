// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.source.EventSource;
import dev.heddle.hosting.StackEnd;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Futures where the stack ends, whose readers leave at the wrong moment, or that are misused.
@Timeout(300)
class FutureMishapTest {
  private final List<String> log = new ArrayList<>();
  private final IllegalStateException failure = new IllegalStateException("x");

  @Test
  @Tag("trap-23")
  void complete_whereTheStackEnds_tellsTheAwaiter() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Coroutine<String> awaiter = Heddle.spawn(() -> promise.future().await());
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(() -> promise.complete("value"))).isTrue();
      assertThat(awaiter.await()).isEqualTo("value");
    });
  }

  @Test
  @Tag("trap-23")
  void cancel_whereTheStackEnds_tellsTheAwaiter() {
    Heddle.run(() -> {
      Future<Object> future = Heddle.promise().future();
      Coroutine<?> awaiter =
          Heddle.spawn(() -> assertThatThrownBy(future::await).isInstanceOf(Cancellation.class));
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(() -> future.cancel("enough"))).isTrue();
      awaiter.await();
    });
  }

  @Test
  void recover_cancelledBeforeItRuns_reportsTheFailureThatItTook() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<String> promise = Heddle.promise();
        Future<String> recovered =
            promise
                .future()
                .recover(e -> {
                  log.add("recovery");
                  return "recovered";
                });
        promise.fail(failure);
        recovered.cancel("not needed");
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
    assertThat(log).isEmpty();
  }

  @Test
  void failure_whoseAwaiterLeavesWhileAHookRuns_isStillReported() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<String> promise = Heddle.promise();
        NotifyHook hook = (event, result, error) -> log.add("hook");
        promise.future().event().subscribe(hook);
        Coroutine<String> awaiter = Heddle.spawn(() -> promise.future().await());
        Heddle.yieldNow();
        promise.fail(failure);
        awaiter.cancel("stop");
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
    assertThat(log).containsExactly("hook");
  }

  @Test
  void nothing_asAnArgument_isRefusedByName() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> future = promise.future();
      refused("failure", () -> promise.fail(nothing()));
      refused("failure", () -> promise.tryFail(nothing()));
      refused("why", () -> future.cancel(FutureMishapTest.<String>nothing()));
      refused("cancellation", () -> future.cancel(FutureMishapTest.<Cancellation>nothing()));
      refused("mapper", () -> future.map(nothing()));
      refused("recovery", () -> future.recover(nothing()));
      refused("handler", () -> future.onCompletion(nothing()));
      refused("whenCancelled", () -> Future.of(future, nothing()));
      refused("callback", () -> future.event().subscribe(nothing()));
      assertThat(future.isDone()).isFalse();
      future.ignore();
    });
  }

  @SuppressWarnings({
    "NullAway",
    "TypeParameterUnusedInFormals"
  }) // what callers without checks pass
  private static <T> T nothing() {
    return null;
  }

  private static void refused(String name, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name);
  }

  @Test
  void subscription_fromAnotherThread_isRefused() {
    Heddle.run(() -> {
      Event event = Heddle.promise().future().event();
      EventCallback callback = (fired, result, error) -> log.add("told");
      assertThatThrownBy(() ->
              Heddle.offload(() -> {
                event.subscribe(callback);
                return "subscribed";
              }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("belongs to the loop");
      assertThat(EventSource.of(event).subscribers()).isZero();
    });
  }
}
