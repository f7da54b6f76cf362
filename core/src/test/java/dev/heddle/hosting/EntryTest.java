// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where a loop may be started, and what it leaves behind.
@Tag("T17")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EntryTest {
  private static <T> T on(Thread.Builder threads, Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    threads.start(task);
    return task.get();
  }

  private static String carriedOn() {
    return Thread.currentThread().toString();
  }

  @Test
  void run_onAVirtualThread_runsTheLoopOnAPlatformThread() throws Exception {
    String where =
        on(
            Thread.ofVirtual(),
            () ->
                Heddle.run(() -> {
                  Coroutine<String> inner = Heddle.spawn(EntryTest::carriedOn);
                  Heddle.yieldNow();
                  return inner.await();
                }));
    assertThat(where).contains("@heddle").doesNotContain("ForkJoinPool");
  }

  @Test
  void run_onAVirtualThreadWhoseMainFails_throwsTheSameObject() throws Exception {
    IllegalStateException failure = new IllegalStateException("mine");
    Throwable thrown =
        on(
            Thread.ofVirtual(),
            () -> {
              try {
                return Heddle.<Throwable>run(() -> {
                  throw failure;
                });
              } catch (IllegalStateException e) {
                return e;
              }
            });
    assertThat(thrown).isSameAs(failure);
  }

  @Tag("loop-308")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void run_whoseThreadIsInterrupted_stopsTheLoopAndInterruptsTheThreadAgain(boolean virtual)
      throws Exception {
    CompletableFuture<String> waits = new CompletableFuture<>();
    FutureTask<String> call =
        new FutureTask<>(() -> {
          try {
            Heddle.run(() -> {
              waits.complete("begun");
              Heddle.delay(Duration.ofHours(1));
            });
            return "returned";
          } catch (Cancellation e) {
            return e.getMessage() + ", " + Thread.interrupted();
          }
        });
    Thread caller = (virtual ? Thread.ofVirtual() : Thread.ofPlatform()).start(call);
    waits.join();
    if (virtual) {
      caller.interrupt();
    } else {
      interruptWhenAsleep(caller, call);
    }
    assertThat(call.get())
        .startsWith("the loop is stopping: its thread was interrupted, while these waited:\n")
        .contains("coroutine-1 'main' waits for a timer")
        .endsWith(", true");
  }

  /// Main ran, and interrupted its caller, before the caller waited: `run` took that for an
  /// interrupt from before the call, and slept for main's hour.
  @Tag("loop-308")
  @Test
  void run_onAVirtualThreadThatIsInterruptedWhileTheLoopStarts_stopsTheLoop() throws Exception {
    InheritableThreadLocal<Boolean> interrupts =
        new InheritableThreadLocal<>() {
          @Override
          protected Boolean childValue(Boolean own) {
            if (own) {
              Thread.currentThread().interrupt(); // on the caller, which creates the loop's thread
            }
            return false;
          }
        };
    String outcome =
        on(
            Thread.ofVirtual(),
            () -> {
              interrupts.set(true);
              try {
                Heddle.run(() -> Heddle.delay(Duration.ofHours(1)));
                return "returned";
              } catch (Cancellation e) {
                return e.getMessage() + ", " + Thread.interrupted();
              }
            });
    assertThat(outcome)
        .startsWith("the loop is stopping: its thread was interrupted")
        .endsWith(", true");
  }

  /// The JDK clears a carrier's flag whenever it mounts a virtual thread: only one that sleeps
  /// notices.
  private static void interruptWhenAsleep(Thread carrier, Future<?> call) throws Exception {
    while (!call.isDone()) {
      carrier.interrupt();
      carrier.join(10);
    }
  }

  @Tag("loop-308")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void run_onAThreadThatWasInterruptedBefore_runsAndLeavesTheFlag(boolean virtual)
      throws Exception {
    String outcome =
        on(
            virtual ? Thread.ofVirtual() : Thread.ofPlatform(),
            () -> {
              Thread.currentThread().interrupt();
              String result =
                  Heddle.run(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "ran";
                  });
              return result + ", " + Thread.interrupted();
            });
    assertThat(outcome).isEqualTo("ran, true");
  }

  @Test
  void run_insideACoroutine_namesScopeAndLoopStart() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Heddle.run(() -> 1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("Heddle.scope")
            .hasMessageContaining("Loop.start"));
  }

  @Test
  void loopStart_insideACoroutine_runsBesideItAndIsJoinedWithoutHoldingTheLoop() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    String got =
        Heddle.run(() -> {
          Loop<String> inner = Loop.start(() -> queue.take() + "!");
          Coroutine<Boolean> feeder =
              Beside.spawn(() -> {
                Heddle.yieldNow();
                queue.put("item");
              });
          String answer = inner.join();
          feeder.await();
          return answer;
        });
    assertThat(got).isEqualTo("item!");
  }

  @Test
  void run_inTwoThreadsAtOnce_keepsTheLoopsApart() throws Exception {
    BlockingQueue<Integer> there = new SynchronousQueue<>();
    BlockingQueue<Integer> back = new SynchronousQueue<>();
    int rounds = 2_000;
    FutureTask<Boolean> echo =
        new FutureTask<>(() ->
            Heddle.run(() -> {
              for (int i = 0; i < rounds; i++) {
                back.put(there.take() + 1);
              }
              return true;
            }));
    Thread.ofPlatform().start(echo);
    int answered =
        Heddle.run(() -> {
          int good = 0;
          for (int i = 0; i < rounds; i++) {
            there.put(i);
            good += back.take() == i + 1 ? 1 : 0;
            Heddle.yieldNow();
          }
          return good;
        });
    assertThat(echo.get()).isTrue();
    assertThat(answered).isEqualTo(rounds);
  }

  @Test
  @Tag("trap-66")
  void tenThousandRuns_leaveNoContextInAThreadDump() throws Exception {
    List<Long> threads = threadDumps("runs");
    assertThat(threads.getLast()).isLessThanOrEqualTo(threads.getFirst());
  }

  @Test
  @Tag("trap-66")
  void threadDump_whileALoopRuns_showsItsContexts() throws Exception {
    List<Long> threads = threadDumps("during");
    // without this the test above could not fail
    assertThat(threads.getLast()).isGreaterThanOrEqualTo(threads.getFirst() + 11);
  }

  /// In a JVM of their own, for a dump can end one in which anything else runs (JDK-8364343).
  private static List<Long> threadDumps(String when) throws Exception {
    ChildJvm.Result child = ChildJvm.of(ThreadDumpProgram.class).withArguments(when).run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    return child.output().lines().map(Long::valueOf).toList();
  }
}
