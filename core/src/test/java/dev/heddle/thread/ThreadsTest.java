// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads for single calls.
@Tag("T13.7")
@Timeout(300)
@Proves("threads")
class ThreadsTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  /// A call that ends when it is interrupted only.
  private boolean endless() throws InterruptedException {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
      return true;
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw e;
    }
  }

  private void awaitBegun() {
    Heddle.<Boolean>offload(() -> {
      begun.await();
      return true;
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void call_runsOnAPlatformThreadOfItsOwn_andItsResultIsAwaited() {
    inLoop(() -> {
      Future<Thread> first = Threads.start("first", Thread::currentThread);
      Future<Thread> second = Threads.start("second", Thread::currentThread);
      assertThat(first.await().isVirtual()).isFalse();
      assertThat(first.await().getName()).startsWith("first");
      assertThat(second.await()).isNotSameAs(first.await());
      assertThat(first.await()).isNotSameAs(Thread.currentThread());
    });
  }

  @Test
  void thread_endsWithItsCall() throws InterruptedException {
    Thread[] thread = new Thread[1];
    inLoop(() -> {
      thread[0] = Threads.start("single", Thread::currentThread).await();
      Heddle.<Boolean>offload(() -> {
        thread[0].join();
        return true;
      });
    });
    assertThat(thread[0].isAlive()).isFalse();
  }

  @Test
  @Tag("loop-282")
  void failure_isThatOfTheCall() {
    IllegalArgumentException unchecked = new IllegalArgumentException("unchecked");
    IOException checked = new IOException("checked");
    inLoop(() -> {
      Future<?> one =
          Threads.start(
              "one",
              () -> {
                throw unchecked;
              });
      Future<?> other =
          Threads.start(
              "other",
              () -> {
                throw checked;
              });
      assertThatThrownBy(one::await).isSameAs(unchecked);
      assertThatThrownBy(other::await).isInstanceOf(CoroutineException.class).hasCause(checked);
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void cancel_interruptsTheThread() {
    inLoop(() -> {
      Future<Boolean> endless = Threads.start("endless", this::endless);
      awaitBegun();
      endless.cancel("enough");
      assertThatThrownBy(endless::await).isInstanceOf(Cancellation.class).hasMessage("enough");
      Heddle.<Boolean>offload(() -> {
        interrupted.await();
        return true;
      });
    });
  }

  @Test
  void cancelledAwaiter_whoIsTheLast_interruptsTheThread() {
    inLoop(() -> {
      Future<Boolean> endless = Threads.start("endless", this::endless);
      Coroutine<Boolean> awaiter = Heddle.spawn(() -> endless.await());
      awaitBegun();
      awaiter.cancel("enough");
      assertThatThrownBy(awaiter::await).isInstanceOf(Cancellation.class);
      assertThat(endless.isCancelled()).isTrue();
    });
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void await_whoseDeadlineRunsOut_leavesItRunning() {
    inLoop(() -> {
      Future<Boolean> endless = Threads.start("endless", this::endless);
      assertThatThrownBy(() -> endless.await(Deadline.after(Duration.ofNanos(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(endless.isDone()).isFalse();
      endless.cancel("enough");
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void thread_thatIsNotAwaited_isInterruptedWhenTheLoopHasEnded() throws InterruptedException {
    inLoop(() -> {
      Threads.start("forgotten", this::endless).ignore();
      awaitBegun();
    });
    interrupted.await();
  }

  @Test
  void dump_namesTheThread() {
    inLoop(() -> {
      Future<Boolean> endless = Threads.start("crunch", this::endless);
      Coroutine<Boolean> awaiter = Heddle.spawn(() -> endless.await());
      Heddle.yieldNow();
      assertThat(Heddle.dump().text()).contains("the future 'crunch'");
      awaiter.cancel("enough");
    });
  }
}
