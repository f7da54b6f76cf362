// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CoroutineFailure;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waiting for another library's stage: what comes out, and what stays behind.
@Timeout(300)
class StageWaitTest {
  private static void completeElsewhere(Runnable completion) {
    Thread.ofPlatform().start(completion);
  }

  @Test
  @Tag("trap-5")
  void waits_thatAreCut_leaveNothingOnAFutureOfTheJdk() {
    CompletableFuture<String> never = new CompletableFuture<>();
    Heddle.run(() -> {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> Heddle.within(Duration.ofNanos(1), () -> Heddle.await(never)))
            .isInstanceOf(DeadlineException.class);
        var cancelled = Heddle.spawn(() -> Heddle.await(never));
        Heddle.suspend();
        cancelled.cancel("enough");
        assertThatThrownBy(cancelled::await).hasMessage("enough");
      }
    });
    assertThat(never.getNumberOfDependents()).isZero();
  }

  @Test
  void wait_thatIsCut_leavesOthersWaiting() {
    CompletableFuture<String> late = new CompletableFuture<>();
    CompletableFuture<String> dependent = late.thenApply(value -> value + "!");
    Heddle.run(() -> {
      var other = Heddle.spawn(() -> Heddle.await(late));
      assertThatThrownBy(() -> Heddle.within(Duration.ofNanos(1), () -> Heddle.await(late)))
          .isInstanceOf(DeadlineException.class);
      completeElsewhere(() -> late.complete("came"));
      assertThat(other.await()).isEqualTo("came");
    });
    assertThat(dependent.join()).isEqualTo("came!");
  }

  @Test
  void failure_ofAStage_comesWithoutTheJdksWrapping() {
    IllegalStateException failure = new IllegalStateException("stage");
    CompletableFuture<String> failing = new CompletableFuture<>();
    Heddle.run(() -> {
      completeElsewhere(() -> failing.completeExceptionally(failure));
      assertThatThrownBy(() -> Heddle.await(failing)).isSameAs(failure);
      // complete by now
      assertThatThrownBy(() -> Heddle.await(failing)).isSameAs(failure);
      assertThatThrownBy(() -> Heddle.await(failing.thenApply(value -> value))).isSameAs(failure);
    });
  }

  @Test
  void checkedFailure_ofAStage_isWrappedOnce() {
    IOException failure = new IOException("stage");
    CompletableFuture<String> failing = new CompletableFuture<>();
    Heddle.run(() -> {
      completeElsewhere(() -> failing.completeExceptionally(new CompletionException(failure)));
      assertThatThrownBy(() -> Heddle.await(failing))
          .isInstanceOf(CoroutineFailure.class)
          .hasCause(failure);
    });
  }

  @Test
  void minimalStage_isAwaitedToo() {
    CompletableFuture<String> source = new CompletableFuture<>();
    Heddle.run(() -> {
      completeElsewhere(() -> source.complete("came"));
      assertThat(Heddle.await(source.minimalCompletionStage())).isEqualTo("came");
      assertThat(Heddle.await(CompletableFuture.completedStage("there"))).isEqualTo("there");
    });
  }

  @Test
  void future_thatIsCancelled_throwsItsCancellation() {
    CompletableFuture<String> source = new CompletableFuture<>();
    Heddle.run(() -> {
      completeElsewhere(() -> source.cancel(true));
      assertThatThrownBy(() -> Heddle.await(source)).isInstanceOf(CancellationException.class);
    });
  }
}
