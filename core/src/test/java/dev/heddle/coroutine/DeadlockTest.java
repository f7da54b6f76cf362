// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.event.source.EventSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("T19")
@Timeout(300)
class DeadlockTest {
  private final List<String> log = new ArrayList<>();

  private static Coroutine<?>[] pair(Waiting body) {
    Coroutine<?>[] pair = new Coroutine<?>[2];
    pair[0] = Heddle.spawn("left", () -> body.await(pair[1]));
    pair[1] = Heddle.spawn("right", () -> body.await(pair[0]));
    return pair;
  }

  private interface Waiting {
    Object await(Coroutine<?> other);
  }

  @Test
  @Tag("loop-89")
  void twoThatAwaitEachOther_endTheRunWithAReportThatNamesBoth() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              pair(Coroutine::await);
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("no active coroutines, 2 coroutines in waiting")
        .hasMessageContaining("left")
        .hasMessageContaining("right");
  }

  @Test
  @Tag("loop-90")
  void thoseInTheDeadlock_getACancellationAndMayFinish() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              pair(other -> {
                try {
                  return other.await();
                } catch (Cancellation c) {
                  log.add(c.getMessage());
                  return "finished";
                }
              });
            }))
        .isInstanceOf(DeadlockError.class);
    assertThat(log).hasSize(2).contains("Deadlock detected");
  }

  @Test
  @Tag("loop-92")
  void main_thatCatchesTheCancellation_goesOnAndTheRunStillEndsWithTheError() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var pair = pair(Coroutine::await);
              try {
                pair[0].await();
              } catch (Cancellation c) {
                log.add("caught");
              }
              log.add("following code");
            }))
        .isInstanceOf(DeadlockError.class);
    assertThat(log).containsExactly("caught", "following code");
  }

  @Test
  @Tag("trap-11")
  void hiddenTimer_doesNotHideADeadlock() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              EventSource.of(Heddle.daemonTimer(Duration.ofHours(24))).start();
              pair(Coroutine::await);
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  @Tag("trap-10")
  void waitForAnotherThread_isNoDeadlock() {
    String result =
        Heddle.run(() -> {
          CompletableFuture<String> outside = new CompletableFuture<>();
          var waiting = Heddle.spawn(() -> Heddle.await(outside));
          Thread.ofPlatform().start(() -> outside.complete("came"));
          return waiting.await();
        });
    assertThat(result).isEqualTo("came");
  }

  @Test
  @Tag("trap-10")
  void foreignWait_isNoDeadlock() {
    CompletableFuture<String> outside = new CompletableFuture<>();
    String result =
        Heddle.run(() -> {
          Thread.ofPlatform().start(() -> outside.complete("came"));
          return Heddle.spawn(() -> outside.get()).await();
        });
    assertThat(result).isEqualTo("came");
  }

  @Test
  @Tag("trap-10")
  void timerThatIsArmed_isNoDeadlock() {
    Heddle.run(() -> {
      var sleeper =
          Heddle.spawn(() -> {
            Heddle.delay(Duration.ofMillis(5));
            return 1;
          });
      assertThat(sleeper.await()).isEqualTo(1);
    });
  }
}
