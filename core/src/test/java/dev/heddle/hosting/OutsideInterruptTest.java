// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Tcp;
import dev.heddle.sync.Mutex;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// `Thread.interrupt` on a coroutine's thread ends its waits for the loop as it ends the JDK's.
@Tag("loop-322")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutsideInterruptTest {
  private static Map<String, Action> waits() {
    Map<String, Action> waits = new LinkedHashMap<>();
    waits.put("delay", () -> Heddle.delay(Duration.ofHours(1)));
    waits.put("await of a promise", () -> Heddle.<Integer>promise("p").future().await());
    waits.put("await of a stage", () -> Heddle.await(new CompletableFuture<Integer>()));
    waits.put(
        "await of a coroutine",
        () -> {
          var sleeper = Heddle.spawn(() -> Heddle.delay(Duration.ofHours(1)));
          try {
            sleeper.await();
          } finally {
            sleeper.cancel("not needed any more");
          }
        });
    waits.put(
        "the end of a scope",
        () -> Heddle.scope(s -> s.spawn(() -> Heddle.delay(Duration.ofHours(1)))));
    waits.put(
        "offload",
        () -> {
          CountDownLatch never = new CountDownLatch(1);
          Heddle.offload(() -> {
            never.await();
            return true;
          });
        });
    waits.put(
        "mutex",
        () -> {
          Mutex mutex = new Mutex("m");
          var holder =
              Heddle.spawn(() -> {
                mutex.lock();
                try {
                  Heddle.delay(Duration.ofHours(1));
                } finally {
                  mutex.unlock();
                }
              });
          Heddle.yieldNow();
          try {
            mutex.lock();
          } finally {
            holder.cancel("not needed any more");
          }
        });
    waits.put(
        "read",
        () -> {
          try (var listener =
                  Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
              var socket = Tcp.connect(listener.localAddress())) {
            socket.read(ByteBuffer.allocate(1));
          }
        });
    return waits;
  }

  @TestFactory
  Stream<DynamicTest> interrupt_duringAWait_endsItAndClearsTheFlag() {
    return waits().entrySet().stream()
        .map(e -> DynamicTest.dynamicTest(e.getKey(), () -> interruptDuring(e.getValue())));
  }

  private static void interruptDuring(Action wait) {
    Heddle.run(() -> {
      AtomicReference<Thread> waiter = new AtomicReference<>();
      Coroutine<Boolean> waiting =
          Heddle.spawn(() -> {
            waiter.set(Thread.currentThread());
            assertEndsByInterrupt(wait);
            return Thread.interrupted();
          });
      Beside.until(() -> !waiting.waits().isEmpty() && waiting.isSuspended());
      Heddle.yieldNow();
      interruptUntilDone(waiter.get(), waiting);
      assertThat(waiting.await()).as("the flag").isFalse();
    });
  }

  // a wait may be two: to connect, and to read. The first interrupt that meets one is enough
  private static void interruptUntilDone(Thread thread, Coroutine<?> waiting) throws Exception {
    Thread.ofPlatform().start(thread::interrupt).join();
    Beside.until(waiting::isDone);
  }

  private static void assertEndsByInterrupt(Action wait) {
    assertThatThrownBy(wait::run)
        .isInstanceOf(WaitCancelledException.class)
        .hasMessageContaining("its thread was interrupted")
        .hasCauseInstanceOf(InterruptedException.class);
  }

  @TestFactory
  Stream<DynamicTest> interrupt_beforeAWait_endsItWhereItBegins() {
    return waits().entrySet().stream()
        .filter(e -> !e.getKey().equals("mutex") && !e.getKey().equals("read"))
        .map(e ->
            DynamicTest.dynamicTest(
                e.getKey(),
                () ->
                    Heddle.run(() -> {
                      Thread.currentThread().interrupt();
                      assertEndsByInterrupt(e.getValue());
                      assertThat(Thread.interrupted()).isFalse();
                    })));
  }

  @Test
  void interrupt_afterAnOperationOfAChannel_isFeltAllTheSame() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      interruptDuring(() -> {
        try (SocketChannel channel = SocketChannel.open(server.getLocalSocketAddress())) {
          assertThat(channel.isConnected())
              .isTrue(); // the JDK has put its own hook there, and gone
          Heddle.delay(Duration.ofHours(1));
        }
      });
    }
  }

  @Test
  void interrupt_ofOneThatWaits_endsNoOthersWait() throws Exception {
    Heddle.run(() -> {
      AtomicReference<Thread> waiter = new AtomicReference<>();
      Coroutine<?> other = Heddle.spawn(() -> Heddle.delay(Duration.ofHours(1)));
      Coroutine<?> waiting =
          Heddle.spawn(() -> {
            waiter.set(Thread.currentThread());
            assertEndsByInterrupt(() -> Heddle.delay(Duration.ofHours(1)));
          });
      Beside.until(() -> waiting.isSuspended() && other.isSuspended());
      interruptUntilDone(waiter.get(), waiting);
      assertThat(other.isDone()).isFalse();
      other.cancel("enough");
    });
  }

  @Test
  void cancelOfAFutureTask_thatRunsInACoroutine_endsItsWait() throws Exception {
    Heddle.run(() -> {
      FutureTask<Boolean> task =
          new FutureTask<>(() -> {
            Heddle.delay(Duration.ofHours(1));
            return true;
          });
      Coroutine<?> runner = Heddle.spawn(task::run);
      Beside.until(runner::isSuspended);
      Thread.ofPlatform().start(() -> task.cancel(true)).join();
      runner.await();
      assertThat(task.isCancelled()).isTrue();
    });
  }

  @Test
  void interruptsFromManyThreads_atManyWaits_endEachWaitAtMostOnceAndLoseNone() {
    int rounds = 2_000;
    Heddle.run(() -> {
      Thread self = Thread.currentThread();
      for (int i = 0; i < rounds; i++) {
        Thread.ofVirtual().start(self::interrupt);
        assertEndsByInterrupt(() -> Heddle.delay(Duration.ofHours(1)));
      }
      Heddle.delay(Duration.ofMillis(1)); // none is left
    });
  }

  @Test
  void coroutineThatHasEnded_whereContextsAreNotReused_leavesItsThreadNameAndInterrupt() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    Heddle.run(
        HeddleOptions.defaults().withoutReuse(),
        () -> {
          Heddle.spawn(
                  "named",
                  () -> {
                    thread.set(Thread.currentThread());
                    Thread.currentThread().interrupt();
                  })
              .await();
          Beside.until(() -> !thread.get().isAlive());
        });
    assertThat(thread.get().getName()).isEqualTo("named");
    assertThat(thread.get().isInterrupted()).isTrue();
  }
}
