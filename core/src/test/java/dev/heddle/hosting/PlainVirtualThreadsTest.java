// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Virtual threads that are nobody's coroutine, born inside a coroutine or anywhere else.
@Tag("trap-59")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlainVirtualThreadsTest {
  @Test
  void startVirtualThread_inACoroutineThatHoldsTheCarrier_runsElsewhere() {
    AtomicReference<String> where = new AtomicReference<>("");
    Heddle.run(() -> {
      AtomicBoolean ran = new AtomicBoolean();
      Thread guest =
          Thread.startVirtualThread(() -> {
            where.set(Thread.currentThread().toString());
            ran.set(true);
          });
      // no suspension: on this carrier the guest would never run
      while (!ran.get()) {
        Thread.onSpinWait();
      }
      guest.join();
    });
    assertThat(where.get()).contains("ForkJoinPool");
  }

  @Test
  void heddleCall_inAVirtualThreadBornInACoroutine_saysThatItIsNotACoroutine() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Heddle.run(() -> {
      Thread guest =
          Thread.ofVirtual()
              .uncaughtExceptionHandler((t, e) -> thrown.set(e))
              .start(Heddle::yieldNow);
      guest.join();
    });
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Heddle.yieldNow was called on virtual thread #")
        .hasMessageContaining("not inside a coroutine")
        .hasMessageContaining("Heddle.run")
        .hasMessageContaining("Loop.submit");
  }

  @Test
  void perTaskExecutor_inACoroutine_runsItsTasksElsewhereAndTheLoopGoesOn() {
    long ticks =
        Heddle.run(() ->
            Beside.ticksDuring(() -> {
              try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<String>> futures = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                  futures.add(tasks.submit(PlainVirtualThreadsTest::whereAfterASleep));
                }
                for (Future<String> future : futures) {
                  assertThat(future.get()).contains("ForkJoinPool");
                }
              }
            }));
    assertThat(ticks).isPositive();
  }

  private static String whereAfterASleep() throws InterruptedException {
    Thread.sleep(5);
    return Thread.currentThread().toString();
  }

  @Test
  void virtualThreadBornInACoroutine_outlivingTheLoop_runsToItsEnd() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    Thread guest =
        Heddle.run(() ->
            Thread.startVirtualThread(() -> {
              try {
                go.await();
                ended.set(true);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            }));
    go.countDown();
    guest.join();
    assertThat(ended).isTrue();
  }

  @Test
  void stockSockets_ofVirtualThreads_workWhileALoopRunsAndAfterIt() throws Exception {
    int during = Heddle.run(() -> StockSockets.sumOf(20));
    assertThat(during).isEqualTo(20 * 42);
    assertThat(StockSockets.sumOf(20)).isEqualTo(20 * 42);
  }

  @Test
  void stockSockets_firstTouchedByACoroutine_workAfterTheLoopHasEnded() throws Exception {
    ChildJvm.Result child = ChildJvm.of(FirstTouchProgram.class).run();
    assertThat(child.output()).contains("during 42").contains("after 840");
    assertThat(child.exitCode()).isZero();
  }
}
