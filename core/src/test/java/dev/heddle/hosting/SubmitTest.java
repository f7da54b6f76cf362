// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.loop.LoopRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.ThrowingSupplier;

/// What other threads submit to a loop: the future is completed, whatever happens to the coroutine.
@Tag("T17.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SubmitTest {
  private static volatile UnaryOperator<String> childValue = UnaryOperator.identity();

  private static final InheritableThreadLocal<String> USERS =
      new InheritableThreadLocal<>() {
        @Override
        protected String childValue(String parentValue) {
          return childValue.apply(parentValue);
        }
      };

  private static final AtomicReference<Loop<?>> LOOP = new AtomicReference<>();

  @AfterEach
  void forget() {
    childValue = UnaryOperator.identity();
    USERS.remove();
  }

  private static Throwable failureOf(CompletableFuture<?> future) throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /// Runs a loop whose caller has an inheritable value, and `beside` it on another thread.
  private static String runBeside(ThrowingSupplier<String> beside) throws Exception {
    CompletableFuture<String> said = new CompletableFuture<>();
    USERS.set("of the caller");
    String result =
        Heddle.run(() -> {
          LOOP.set(Loop.current());
          Thread.ofPlatform()
              .inheritInheritableThreadLocals(false)
              .start(() -> {
                try {
                  said.complete(beside.get());
                } catch (Throwable e) {
                  said.completeExceptionally(e);
                }
              });
          Beside.until(said::isDone);
          return "main";
        });
    assertThat(result).isEqualTo("main");
    return said.get();
  }

  @Test
  void submitted_inheritsFromTheCallerOfRun() throws Exception {
    assertThat(runBeside(() -> LOOP.get().submit(USERS::get).get())).isEqualTo("of the caller");
  }

  @Test
  @Tag("trap-42")
  void childValueThatThrows_failsTheFutureAndNothingElse() throws Exception {
    String said =
        runBeside(() -> {
          childValue =
              _ -> {
                throw new IllegalArgumentException("childValue");
              };
          String failure = failureOf(LOOP.get().submit(() -> "ran")).toString();
          childValue = UnaryOperator.identity();
          return failure + ", then " + LOOP.get().submit(() -> "ran").get();
        });
    assertThat(said).isEqualTo("java.lang.IllegalArgumentException: childValue, then ran");
  }

  @Test
  @Tag("trap-42")
  void childValueThatWaits_doesNotHoldTheLoop() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    String said =
        runBeside(() -> {
          childValue =
              value -> {
                reached.countDown();
                await(goOn);
                return value;
              };
          CompletableFuture<String> waits = LOOP.get().submit(USERS::get);
          reached.await();
          childValue = UnaryOperator.identity();
          String other = LOOP.get().submit(() -> "other").get();
          goOn.countDown();
          return other + ", then " + waits.get();
        });
    assertThat(said).isEqualTo("other, then of the caller");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void childValueThatThrowsForMain_failsWhatWasSubmitted() throws Exception {
    AtomicReference<CompletableFuture<String>> submitted = new AtomicReference<>();
    USERS.set("of the caller");
    childValue =
        _ -> {
          throw new IllegalArgumentException("childValue");
        };
    assertThatThrownBy(() ->
            LoopRuntime.run(
                HeddleOptions.defaults(),
                () -> "main",
                List.of(),
                loop -> submitted.set(loop.submit("early", () -> "ran"))))
        .hasMessage("childValue");
    assertThat(failureOf(submitted.get())).isInstanceOf(LoopEndedException.class);
  }

  @Test
  @Tag("trap-23")
  void outOfMemory_inASubmittedBody_reachesTheFutureAndEndsTheLoop() throws Exception {
    CompletableFuture<Throwable> got = new CompletableFuture<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Loop<?> loop = Loop.current();
              Thread.ofPlatform()
                  .start(() -> {
                    var _ =
                        loop.submit(
                                () -> {
                                  throw new OutOfMemoryError("provoked");
                                })
                            .whenComplete((_, failure) -> got.complete(failure));
                  });
              Heddle.delay(Duration.ofHours(1));
            }))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("provoked");
    assertThat(got.get()).hasMessageContaining("provoked");
  }

  @Test
  @Tag("trap-42")
  void dependentThatHangs_onARefusedFuture_keepsNeitherRunNorOthersWaiting() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    AtomicReference<CompletableFuture<String>> first = new AtomicReference<>();
    AtomicReference<CompletableFuture<String>> second = new AtomicReference<>();
    LoopRuntime.run(
        HeddleOptions.defaults(),
        () -> {
          // these arrive at the loop's end
          root.get().scheduler().finish();
          first.set(root.get().submit("first", () -> "ran"));
          var _ = first.get().whenComplete((_, _) -> await(hangs));
          second.set(root.get().submit("second", () -> "ran"));
          return null;
        },
        List.of(),
        root::set);
    assertThat(failureOf(second.get())).isInstanceOf(LoopEndedException.class);
    hangs.countDown();
    assertThat(failureOf(first.get())).isInstanceOf(LoopEndedException.class);
  }

  @Test
  void loopThatStops_beforeASubmittedOneBegins_failsItsFutureAtOnce() {
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    CompletableFuture<Throwable> got = new CompletableFuture<>();
    assertThatThrownBy(() ->
            LoopRuntime.run(
                HeddleOptions.defaults(),
                () -> {
                  Heddle.shield(() -> stopBeforeItBegins(root.get(), got));
                  return null;
                },
                List.of(),
                root::set))
        .isInstanceOf(ExitException.class);
    assertThat(got.join()).isInstanceOf(LoopEndedException.class);
  }

  private static void stopBeforeItBegins(LoopRuntime loop, CompletableFuture<Throwable> got) {
    var _ = loop.submit("never", () -> "ran").whenComplete((_, failure) -> got.complete(failure));
    // the next tick makes a carrier task of the submitted one, between these two
    loop.scheduler()
        .runOnCarrier(() -> loop.scheduler().runOnCarrier(() -> loop.shutdown().exit(3)));
    Beside.until(got::isDone);
  }
}
