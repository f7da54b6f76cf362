// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Interrupts, the ones that Heddle sends into the JDK's waits, and other people's.
@Tag("trap-61")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptTest {
  private final List<String> log = new ArrayList<>();

  @Test
  @Tag("loop-320")
  void cancel_duringThreadSleep_isDeliveredByTheInterruptAndNotAgain() {
    Heddle.run(() -> {
      Coroutine<Boolean> sleeper = Beside.spawn(this::sleepAndSuspend);
      Beside.until(sleeper::isSuspended);
      sleeper.cancel("enough");
      assertThatThrownBy(sleeper::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).containsExactly("interrupted", "went on");
  }

  private void sleepAndSuspend() {
    try {
      Thread.sleep(Duration.ofHours(1));
    } catch (InterruptedException e) {
      log.add("interrupted");
    }
    Heddle.yieldNow();
    Heddle.delay(Duration.ofMillis(1));
    log.add("went on");
  }

  @Test
  void cancel_duringServerSocketAccept_closesTheSocketAndEndsTheCoroutine() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Heddle.run(() -> {
        Coroutine<Boolean> acceptor =
            Beside.spawn(() -> {
              try {
                server.accept().close();
              } catch (SocketException e) {
                log.add(String.valueOf(e.getMessage()));
                throw e;
              }
            });
        Beside.until(acceptor::isSuspended);
        acceptor.cancel("enough");
        assertThatThrownBy(acceptor::await).isInstanceOf(Cancellation.class);
      });
      assertThat(log).containsExactly("Closed by interrupt");
      assertThat(server.isClosed()).isTrue();
    }
  }

  @Test
  @Tag("loop-320")
  void protect_afterASocketWasCut_letsTheJdkWait() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Heddle.run(() -> {
        Coroutine<Boolean> acceptor =
            Beside.spawn(() -> {
              try {
                server.accept().close();
              } finally {
                Heddle.shield(() -> Thread.sleep(1));
                log.add("slept");
              }
            });
        Beside.until(acceptor::isSuspended);
        acceptor.cancel("enough");
        assertThatThrownBy(acceptor::await).isInstanceOf(Cancellation.class);
      });
    }
    assertThat(log).containsExactly("slept");
  }

  @Test
  void interrupt_byAPlatformThreadDuringTake_reachesOnlyThatCoroutine() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    AtomicReference<Thread> taker = new AtomicReference<>();
    Heddle.run(() -> {
      Coroutine<String> interrupted = Heddle.spawn(() -> takeOrSay(queue, taker));
      Coroutine<String> other = Heddle.spawn(queue::take);
      Beside.until(() -> interrupted.isSuspended() && other.isSuspended());
      Thread.ofPlatform().start(() -> taker.get().interrupt()).join();
      assertThat(interrupted.await()).isEqualTo("interrupted");
      assertThat(other.isDone()).isFalse();
      queue.put("item");
      assertThat(other.await()).isEqualTo("item");
    });
  }

  private static String takeOrSay(BlockingQueue<String> queue, AtomicReference<Thread> self) {
    self.set(Thread.currentThread());
    try {
      return queue.take();
    } catch (InterruptedException e) {
      return "interrupted";
    }
  }

  @Test
  void interrupt_duringProtect_isKeptForTheWaitBehindIt() throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Heddle.run(() -> {
      boolean[] go = new boolean[1];
      Coroutine<Boolean> released = Beside.spawn(() -> Beside.until(() -> go[0]));
      Coroutine<Boolean> waiting =
          Beside.spawn(() -> {
            waiter.set(Thread.currentThread());
            Heddle.shield(() -> released.await());
            log.add("protected to its end");
            Heddle.delay(Duration.ofHours(1));
          });
      Beside.until(waiting::isSuspended);
      Thread.ofPlatform().start(() -> waiter.get().interrupt()).join();
      Heddle.yieldNow();
      Heddle.yieldNow();
      assertThat(waiting.isDone()).isFalse();
      go[0] = true;
      assertThatThrownBy(waiting::await).isInstanceOf(WaitCancelledException.class);
    });
    assertThat(log).containsExactly("protected to its end");
  }

  @Test
  void interrupts_inAStorm_changeNoOutcomeOfManySwitches() throws Exception {
    AtomicReference<Thread> target = new AtomicReference<>(Thread.currentThread());
    Thread storm = Thread.ofPlatform().unstarted(() -> interruptUntilNull(target));
    int switches = 50_000;
    int counted =
        Heddle.run(() -> {
          Coroutine<Integer> stormy =
              Heddle.spawn(() -> {
                target.set(Thread.currentThread());
                storm.start();
                return countTurns(switches);
              });
          Coroutine<Integer> calm = Heddle.spawn(() -> countTurns(switches));
          return stormy.await() + calm.await();
        });
    target.set(null);
    storm.join();
    assertThat(counted).isEqualTo(2 * switches);
  }

  private static int countTurns(int turns) {
    int counted = 0;
    while (counted < turns) {
      Heddle.yieldNow();
      counted++;
    }
    return counted;
  }

  private static void interruptUntilNull(AtomicReference<Thread> target) {
    for (Thread t = target.get(); t != null; t = target.get()) {
      t.interrupt();
    }
  }

  @Test
  @Tag("T18")
  void interruptOfTheCarrier_whileTheLoopSleeps_shutsItDown() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread carrier =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((t, e) -> thrown.set(e))
            .start(() -> Heddle.run(() -> Heddle.delay(Duration.ofHours(1))));
    // the JDK clears the flag at every mount: best effort, hence again
    while (!carrier.join(Duration.ofMillis(10))) {
      carrier.interrupt();
    }
    assertThat(thrown.get())
        .isInstanceOf(Cancellation.class)
        .hasMessageContaining("its thread was interrupted, while these waited:")
        .hasMessageContaining("coroutine-1 'main' waits for ")
        .hasMessageContaining("InterruptTest.lambda$interruptOfTheCarrier");
  }
}
