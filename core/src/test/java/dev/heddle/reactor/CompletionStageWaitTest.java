// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waiting for another library's stage: what comes out, and what stays behind.
@Timeout(300)
class CompletionStageWaitTest {
  private static void completeElsewhere(Runnable completion) {
    Thread.ofPlatform().start(completion);
  }

  @Test
  @Tag("trap-5")
  void waits_thatAreCancelled_leaveNothingOnAFutureOfTheJdk() {
    CompletableFuture<String> never = new CompletableFuture<>();
    Heddle.run(() -> {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofNanos(1), () -> Heddle.await(never)))
            .isInstanceOf(DeadlineException.class);
        var cancelled = Heddle.spawn(() -> Heddle.await(never));
        Heddle.yieldNow();
        cancelled.cancel("enough");
        assertThatThrownBy(cancelled::await).hasMessage("enough");
      }
    });
    assertThat(never.getNumberOfDependents()).isZero();
  }

  @Test
  @Tag("loop-310")
  void waitsOfManyCoroutinesForOneFuture_areOneDependent() {
    CompletableFuture<String> never = new CompletableFuture<>();
    CompletableFuture<String> late = new CompletableFuture<>();
    Heddle.run(() -> {
      Heddle.scope(scope -> {
        for (int i = 0; i < 10_000; i++) {
          scope.launch("waits in vain", () -> Heddle.await(never));
        }
        Heddle.yieldNow();
        assertThat(never.getNumberOfDependents()).isOne();
        scope.cancel("enough");
        return null;
      });
      assertThat(never.getNumberOfDependents()).isZero();
      List<Coroutine<String>> waiting = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        waiting.add(Heddle.spawn(() -> Heddle.await(late)));
      }
      Heddle.yieldNow();
      assertThat(late.getNumberOfDependents()).isOne();
      completeElsewhere(() -> late.complete("came"));
      assertThat(Await.allSettled(waiting).results().values()).hasSize(10_000).containsOnly("came");
    });
  }

  @Test
  @Tag("loop-310")
  void waitsForOneFuture_onTwoLoops_areCutApart() throws Exception {
    CompletableFuture<String> shared = new CompletableFuture<>();
    CountDownLatch waits = new CountDownLatch(1);
    Loop<String> other =
        Loop.start(() -> {
          waits.countDown();
          return Heddle.await(shared);
        });
    waits.await();
    Heddle.run(() -> {
      var cut = Heddle.spawn(() -> Heddle.await(shared));
      Heddle.yieldNow();
      cut.cancel("enough");
      assertThatThrownBy(cut::await).hasMessage("enough");
    });
    shared.complete("came");
    assertThat(other.join()).isEqualTo("came");
  }

  @Test
  void coroutineThatIsAbandoned_leavesNothingOnAFutureOfTheJdk() {
    CompletableFuture<String> never = new CompletableFuture<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch("waits", () -> Heddle.await(never));
              Heddle.yieldNow();
              assertThat(never.getNumberOfDependents()).isOne();
              Heddle.shutdown(Duration.ZERO);
              Heddle.yieldNow();
            }))
        .isInstanceOf(Cancellation.class);
    assertThat(never.getNumberOfDependents()).isZero();
  }

  @Test
  void stageWhoseRegistrationThrows_failsThatWaitOnly() {
    CompletionStage<?> stage =
        (CompletionStage<?>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (_, _, _) -> {
                  throw new IllegalStateException("no dependents");
                });
    Heddle.run(() -> {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> Heddle.await(stage)).hasMessage("no dependents");
      }
    });
  }

  @Test
  void wait_thatIsCancelled_leavesOthersWaiting() {
    CompletableFuture<String> late = new CompletableFuture<>();
    CompletableFuture<String> dependent = late.thenApply(value -> value + "!");
    Heddle.run(() -> {
      var other = Heddle.spawn(() -> Heddle.await(late));
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofNanos(1), () -> Heddle.await(late)))
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
          .isInstanceOf(CoroutineException.class)
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
