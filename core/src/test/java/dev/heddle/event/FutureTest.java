// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.LoopEndedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Promises, futures, and what is derived from them.
@Timeout(300)
class FutureTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();
  private final IllegalStateException failure = new IllegalStateException("x");

  // ---- waiting ----

  @Test
  void await_ofAPendingFuture_isTheValueItIsCompletedWith() {
    String value =
        Heddle.run(() -> {
          Promise<String> promise = Heddle.promise();
          Heddle.spawn(() -> {
            promise.complete("value");
            return 1;
          });
          return promise.future().await();
        });
    assertThat(value).isEqualTo("value");
  }

  @Test
  @Tag("loop-40")
  void await_ofAFutureCompletedWithNull_isNull() {
    Heddle.run(() -> {
      Promise<Void> promise = Heddle.promise();
      promise.complete(null);
      assertThat(promise.future().await()).isNull();
    });
  }

  @Test
  @Tag("loop-41")
  @Tag("T8")
  @Tag("trap-6")
  void await_ofACompletedFuture_costsNoSwitch() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      promise.complete("value");
      long switches = Heddle.counters().switches();
      assertThat(promise.future().await()).isEqualTo("value");
      assertThat(Heddle.<String>await(promise.future())).isEqualTo("value");
      assertThat(Heddle.counters().switches()).isEqualTo(switches);
    });
  }

  @Test
  @Tag("loop-42")
  void await_again_isTheSameResultOrTheSameThrowable() {
    Heddle.run(() -> {
      Promise<Object> promise = Heddle.promise();
      promise.fail(failure);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(promise.future()::await).isSameAs(failure);
      }
    });
  }

  @Test
  void await_ofSeveralCoroutines_givesAllTheSameObject() {
    Heddle.run(() -> {
      Promise<Object> promise = Heddle.promise();
      List<Coroutine<Object>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(Heddle.spawn(() -> promise.future().await()));
      }
      Heddle.yieldNow();
      Object value = new Object();
      promise.complete(value);
      for (Coroutine<Object> c : waiting) {
        assertThat(c.await()).isSameAs(value);
      }
    });
  }

  @Test
  void await_ofACheckedFailure_wrapsItOnceForEveryAwaiter() {
    IOException checked = new IOException("x");
    Heddle.run(() -> {
      Promise<Object> promise = Heddle.promise();
      promise.fail(checked);
      Throwable first = catchThrowable(promise.future()::await);
      assertThat(first).isInstanceOf(CoroutineException.class).hasCause(checked);
      assertThat(catchThrowable(promise.future()::await)).isSameAs(first);
      assertThat(promise.future().failure()).isSameAs(first);
    });
  }

  @Test
  @Tag("loop-45")
  void await_whoseDeadlineRunsOut_leavesTheFuturePending() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      assertThatThrownBy(() -> promise.future().await(Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(promise.isDone()).isFalse();
      promise.complete("late");
      assertThat(promise.future().await(Deadline.after(Duration.ofNanos(1)))).isEqualTo("late");
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("loop-48")
  @Tag("loop-50")
  void await_withAFutureTokenThatFailedBefore_throwsWithItsFailureAsTheCause() {
    Cancellation cancellation = new Cancellation("token");
    Heddle.run(() -> {
      Promise<Object> never = Heddle.promise();
      for (Throwable cause : List.of(failure, cancellation)) {
        Promise<Object> token = Heddle.promise();
        token.fail(cause);
        assertThatThrownBy(() -> never.future().await(token.future()))
            .isInstanceOf(WaitCancelledException.class)
            .hasCause(cause);
      }
    });
  }

  @Test
  @Tag("loop-49")
  void await_whoseFutureTokenFiresMeanwhile_throws() {
    Heddle.run(() -> {
      Promise<Object> never = Heddle.promise();
      Promise<String> token = Heddle.promise();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> never.future().await(token.future()))
          .isInstanceOf(WaitCancelledException.class)
          .hasNoCause();
    });
  }

  @Test
  @Tag("loop-52")
  void await_withItselfAsTheToken_isTheValue() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Heddle.launch("completes", () -> promise.complete("value"));
      assertThat(promise.future().await(promise.future())).isEqualTo("value");
    });
  }

  @Test
  void await_thatIsCancelled_leavesTheFuturePending() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      assertThatThrownBy(
              () -> Heddle.withTimeout(Duration.ofMillis(1), () -> promise.future().await()))
          .isInstanceOf(DeadlineException.class);
      promise.complete("value");
      assertThat(promise.future().await()).isEqualTo("value");
    });
  }

  @Test
  void await_ofAPromiseThatIsNotCompleted_isADeadlockThatNamesIt() {
    assertThatThrownBy(() -> Heddle.run(() -> Heddle.promise("the answer").future().await()))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("the future 'the answer'");
  }

  @Test
  void await_outsideOfACoroutine_namesRun() throws InterruptedException {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Thread outside =
          Thread.ofPlatform().start(() -> thrown.set(catchThrowable(promise.future()::await)));
      outside.join();
      promise.complete("value");
      promise.future().ignore();
    });
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  // ---- completing ----

  @Test
  @Tag("loop-150")
  void complete_twice_isRefusedAndNamesTheFirst() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise("job");
      promise.complete("first");
      assertThatThrownBy(() -> promise.complete("second"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'job'")
          .hasMessageContaining("already completed at")
          .hasMessageContaining(FutureTest.class.getName());
      assertThatThrownBy(() -> promise.fail(failure)).isInstanceOf(IllegalStateException.class);
      assertThat(promise.tryComplete("third")).isFalse();
      assertThat(promise.future().await()).isEqualTo("first");
    });
  }

  @Test
  @Tag("loop-150")
  void complete_twice_namesTheLineOfTheFirst() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise("job");
      int here = new Throwable().getStackTrace()[0].getLineNumber();
      promise.complete("first");
      assertThatThrownBy(() -> promise.complete("second"))
          .hasMessageContaining("completed at")
          .hasMessageContaining("(FutureTest.java:" + (here + 1) + ")");
      promise.future().ignore();
    });
  }

  @Test
  @Tag("loop-150")
  void complete_afterAFailure_isRefused() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      promise.fail(failure);
      assertThatThrownBy(() -> promise.complete("second"))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(promise.future()::await).isSameAs(failure);
    });
  }

  @Test
  void complete_onAnotherThread_namesTheRemotePromise() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Thread other =
          Thread.ofPlatform().start(() -> thrown.set(catchThrowable(() -> promise.complete("x"))));
      other.join();
      assertThat(promise.isDone()).isFalse();
    });
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RemotePromise");
  }

  @Test
  @Tag("loop-152")
  void fail_withAnOrdinaryExceptionOrACancellation_tellsThemApart() {
    Heddle.run(() -> {
      Promise<String> failed = Heddle.promise();
      Promise<String> cancelled = Heddle.promise();
      failed.fail(failure);
      cancelled.fail(new Cancellation("enough"));
      assertThat(failed.future().ignore().isCancelled()).isFalse();
      assertThat(failed.future().isDone()).isTrue();
      assertThat(cancelled.future().isCancelled()).isTrue();
      assertThat(cancelled.future().isDone()).isTrue();
    });
  }

  @Test
  void cancel_byAReader_reachesTheOthersAndTellsThePromise() {
    Cancellation enough = new Cancellation("enough");
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Heddle.launch("canceller", () -> promise.future().cancel(enough));
      assertThatThrownBy(promise.future()::await).isSameAs(enough);
      assertThat(promise.isCancelled()).isTrue();
      promise.complete("nobody needs it");
      promise.future().cancel("too late");
      assertThatThrownBy(promise.future()::await).isSameAs(enough);
    });
  }

  // ---- derived futures ----

  @Test
  void map_ofAValue_isWhatTheMapperMakesOfIt() {
    Heddle.run(() -> {
      Promise<Integer> promise = Heddle.promise();
      Future<Integer> length = promise.future().map(n -> "x".repeat(n)).map(String::length);
      promise.complete(3);
      assertThat(length.await()).isEqualTo(3);
      assertThat(promise.future().map(n -> n + 1).await()).isEqualTo(4);
    });
  }

  @Test
  @Tag("loop-144")
  void map_ofAFailure_passesItByAndRecoverMakesAValueOfIt() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> mapped = promise.future().map(s -> s + log.add("mapped"));
      Future<String> recovered = mapped.recover(e -> "recovered from " + e.getMessage());
      promise.fail(failure);
      assertThat(recovered.await()).isEqualTo("recovered from x");
      assertThatThrownBy(mapped::await).isSameAs(failure);
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-144")
  void recover_ofAValue_isNotCalled() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> recovered = promise.future().recover(_ -> "called");
      promise.complete("value");
      assertThat(recovered.await()).isEqualTo("value");
    });
  }

  @Test
  void mapper_thatThrows_failsTheDerivedFutureOnly() {
    IOException checked = new IOException("mapper");
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<Object> mapped =
          promise
              .future()
              .map(_ -> {
                throw checked;
              });
      promise.complete("value");
      assertThatThrownBy(mapped::await).isInstanceOf(CoroutineException.class).hasCause(checked);
      assertThat(promise.future().await()).isEqualTo("value");
    });
  }

  @Test
  @Tag("loop-145")
  void onCompletion_runsItsHandlerAndTheOutcomeGoesOn() {
    Heddle.run(() -> {
      Promise<String> good = Heddle.promise();
      Promise<String> bad = Heddle.promise();
      Future<String> afterGood = good.future().onCompletion(() -> log.add("good"));
      Future<String> afterBad = bad.future().onCompletion(() -> log.add("bad"));
      good.complete("value");
      bad.fail(failure);
      assertThat(afterGood.await()).isEqualTo("value");
      assertThatThrownBy(afterBad::await).isSameAs(failure);
    });
    assertThat(log).containsExactly("good", "bad");
  }

  @Test
  @Tag("loop-146")
  void onCompletion_whoseHandlerThrows_endsWithThatInPlaceOfTheFailure() {
    IllegalArgumentException later = new IllegalArgumentException("handler");
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> after =
          promise
              .future()
              .onCompletion(() -> {
                throw later;
              });
      promise.fail(failure);
      assertThatThrownBy(after::await).isSameAs(later);
      assertThat(later).hasNoCause().hasNoSuppressedExceptions();
      assertThat(Heddle.reportOf(later).merged()).containsExactly(failure);
    });
  }

  @Test
  @Tag("loop-148")
  void maps_ofOneFuture_allRun() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> a = promise.future().map(s -> s + " a");
      Future<String> b = promise.future().map(s -> s + " b");
      promise.complete("value");
      assertThat(a.await()).isEqualTo("value a");
      assertThat(b.await()).isEqualTo("value b");
    });
  }

  @Test
  @Tag("loop-149")
  void derivedFuture_whoseSourcesAreGarbage_resolves() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<Integer> derived = promise.future().map(s -> s + "!").map(String::length);
      System.gc();
      promise.complete("value");
      assertThat(derived.await()).isEqualTo(6);
    });
  }

  @Test
  void derivedFuture_thatIsNotKept_runsItsFunction() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      promise.future().map(log::add);
      System.gc();
      promise.complete("value");
    });
    assertThat(log).containsExactly("value");
  }

  @Test
  @Tag("trap-64")
  void functions_runInCoroutinesOfTheirOwnAndMayWait() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      ReentrantLock lock = new ReentrantLock();
      Future<String> slow =
          promise
              .future()
              .map(s -> {
                lock.lock(); // held by whoever completes
                log.add("mapper has the lock");
                Heddle.delay(Duration.ofMillis(1));
                return s + " mapped";
              });
      Coroutine<String> waiting = Heddle.spawn(() -> promise.future().await());
      Heddle.yieldNow();
      lock.lock();
      promise.complete("value");
      assertThat(waiting.await()).isEqualTo("value"); // not behind the mapper
      log.add("completer lets go");
      lock.unlock();
      assertThat(slow.await()).isEqualTo("value mapped");
    });
    assertThat(log).containsExactly("completer lets go", "mapper has the lock");
  }

  @Test
  void derivedFuture_thatIsCancelled_leavesTheSourceAloneAndCallsNothing() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Future<String> mapped = promise.future().map(s -> s + log.add("called"));
      mapped.cancel("not needed");
      promise.complete("value");
      Heddle.yieldNow();
      assertThat(promise.future().await()).isEqualTo("value");
      assertThat(mapped.isCancelled()).isTrue();
    });
    assertThat(log).isEmpty();
  }

  // ---- sites ----

  @Test
  @Tag("loop-156")
  void sites_ofOneOfManyPromises_areTheCoroutine() {
    Heddle.run(() ->
        Heddle.spawn(
                () -> {
                  for (int i = 0; i < 1_000; i++) {
                    Heddle.promise();
                  }
                  Promise<String> promise = Heddle.promise();
                  promise.complete("x");
                  Future<String> mapped = promise.future().map(s -> s);
                  assertThat(promise.future().createdSite())
                      .startsWith("an unknown line of a coroutine spawned at ")
                      .contains("(FutureTest.java:")
                      .isEqualTo(promise.future().completedSite());
                  assertThat(mapped.createdSite()).startsWith(FutureTest.class.getName());
                })
            .await());
  }

  @Test
  @Tag("loop-156")
  void sites_nameFileAndLine() {
    Heddle.run(() -> {
      int here = new Throwable().getStackTrace()[0].getLineNumber();
      Promise<String> promise = Heddle.promise();
      assertThat(promise.future().completedSite()).isEqualTo("unknown");
      promise.complete("x");
      Future<String> mapped = promise.future().map(s -> s);
      assertThat(promise.future().createdSite()).endsWith("(FutureTest.java:" + (here + 1) + ")");
      assertThat(promise.future().completedSite()).endsWith("(FutureTest.java:" + (here + 3) + ")");
      assertThat(mapped.createdSite()).endsWith("(FutureTest.java:" + (here + 4) + ")");
    });
  }

  // ---- futures of something else ----

  @Test
  void futureOf_anEvent_isCompletedByItsNextFiring() {
    Heddle.run(() -> {
      Future<Object> tick = Future.of(Heddle.timer(Duration.ofMillis(1)));
      assertThat(tick.map(_ -> "fired").await(Deadline.after(LONG))).isEqualTo("fired");
    });
  }

  @Test
  void futureOf_aCoroutine_takesItsFailure() {
    Heddle.run(() -> {
      Coroutine<String> worker =
          Heddle.spawn(() -> {
            throw failure;
          });
      Future<String> recovered = Future.of(worker).recover(Throwable::getMessage);
      assertThat(recovered.await()).isEqualTo("x");
    });
  }

  @Test
  void futureOf_something_tellsItsProviderOfACancellation() {
    Heddle.run(() -> {
      Trigger trigger = Heddle.trigger("never pulled");
      Future<Object> future = Future.of(trigger, c -> log.add(c.getMessage()));
      future.cancel("enough");
      future.cancel("again");
    });
    assertThat(log).containsExactly("enough");
  }

  // ---- for other threads ----

  @Test
  void toCompletableFuture_getsTheOutcome() {
    AtomicReference<CompletableFuture<String>> good = new AtomicReference<>();
    AtomicReference<CompletableFuture<String>> bad = new AtomicReference<>();
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Promise<String> failing = Heddle.promise();
      good.set(promise.future().toCompletableFuture());
      promise.complete("value");
      failing.fail(failure);
      bad.set(failing.future().toCompletableFuture());
    });
    assertThat(good.get()).isCompletedWithValue("value");
    assertThat(bad.get().exceptionNow()).isSameAs(failure);
  }

  @Test
  void toCompletableFuture_ofAFutureThatItsLoopLeavesPending_fails() {
    AtomicReference<CompletableFuture<String>> left = new AtomicReference<>();
    Heddle.run(() -> left.set(Heddle.<String>promise("never").future().toCompletableFuture()));
    assertThat(left.get().exceptionNow())
        .isInstanceOf(LoopEndedException.class)
        .hasMessageContaining("'never'");
  }
}
