// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How the body of a process ends from outside, and what the JDK and the loop make of it.
@Timeout(300)
class CoroutineEndTest extends CoroutineFixture {
  // ---- the end from outside ----

  private void unwinds(String what, CoroutineProcess.Code waiting) throws Exception {
    BlockingQueue<String> trace = Kit.queue();
    Pid pid =
        spawn(self -> {
          try {
            trace.add("waits");
            return waiting.run(self);
          } catch (Throwable t) {
            trace.add(t.getClass().getSimpleName());
            throw t;
          } finally {
            trace.add("cleaned up");
          }
        });
    assertThat(Kit.take(trace)).isEqualTo("waits");
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    assertThat(Kit.get(exit).reason()).as(what).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(Kit.take(trace))
        .as(what)
        .isIn("Cancellation", "InterruptedException", "SocketException");
    assertThat(Kit.take(trace)).as(what).isEqualTo("cleaned up");
  }

  @Test
  @Tag("proc-63")
  @Tag("proc-64")
  void terminate_unwindsABodyThatWaits_whereverItDoes() throws Exception {
    unwinds("receive", CoroutineProcess::receive);
    unwinds("receive with a limit", self -> self.receive(DAY));
    unwinds("selective receive", self -> self.receive(Integer.class));
    unwinds("call", self -> self.execute(new Kit.Call("never")));
    unwinds("call with a limit", self -> self.execute(new Kit.Call("never"), DAY));
    unwinds(
        "sleep",
        self -> {
          self.sleep(DAY);
          return null;
        });
    unwinds("queue", _ -> new java.util.concurrent.SynchronousQueue<>().take());
    unwinds(
        "Thread.sleep",
        _ -> {
          Thread.sleep(DAY);
          return null;
        });
    Object monitor = new Object();
    unwinds(
        "Object.wait",
        _ -> {
          synchronized (monitor) {
            while (monitor != null) {
              monitor.wait();
            }
          }
          return null;
        });
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket served = server.accept()) {
      assertThat(client.isConnected()).isTrue();
      unwinds("socket", _ -> served.getInputStream().read());
    }
  }

  @Test
  void waitsOfAProcessThatHasEnded_throwEachTime() throws Exception {
    BlockingQueue<Throwable> thrown = Kit.queue();
    CountDownLatch begun = new CountDownLatch(1);
    Pid pid =
        spawn(self -> {
          begun.countDown();
          try {
            return self.receive();
          } finally {
            thrown.add(catchThrowable(self::receive));
            thrown.add(catchThrowable(() -> self.sleep(Duration.ZERO)));
          }
        });
    begun.await();
    runtime.terminate(pid);
    assertThat(Kit.take(thrown)).isInstanceOf(Cancellation.class);
    assertThat(Kit.take(thrown))
        .isInstanceOf(Cancellation.class)
        .hasMessageContaining(pid.toString());
  }

  @Test
  void cleanUpThatWaitsInTheJdk_goesOnWithoutAWorker() throws Exception {
    restart(1);
    CompletableFuture<String> late = new CompletableFuture<>();
    BlockingQueue<String> trace = Kit.queue();
    CountDownLatch begun = new CountDownLatch(1);
    Pid pid =
        spawn(self -> {
          begun.countDown();
          try {
            return self.receive();
          } finally {
            trace.add(late.join());
          }
        });
    begun.await();
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(trace).isEmpty();
    assertThat(result(_ -> "the worker is free")).isEqualTo("the worker is free");
    late.complete("cleaned up");
    assertThat(Kit.take(trace)).isEqualTo("cleaned up");
  }

  @Test
  void bodyThatSwallowsItsEnd_holdsNoWorker() throws Exception {
    restart(1);
    AtomicInteger waits = new AtomicInteger();
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    Pid pid =
        spawn(self -> {
          while (over.getCount() > 0) {
            waits.incrementAndGet();
            Throwable ignored = catchThrowable(self::receive);
            assertThat(ignored).isInstanceOf(Cancellation.class);
          }
          left.countDown();
          return null;
        });
    var exit = runtime.whenExited(pid);
    while (waits.get() == 0) {
      Thread.onSpinWait();
    }
    runtime.terminate(pid);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(result(_ -> "the worker is free")).isEqualTo("the worker is free");
    over.countDown();
    left.await();
  }

  @Test
  void shutdown_unwindsThemAll() {
    AtomicInteger cleaned = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(100);
    for (int i = 0; i < 100; i++) {
      spawn(self -> {
        begun.countDown();
        try {
          return self.receive();
        } finally {
          cleaned.incrementAndGet();
        }
      });
    }
    assertThat(catchThrowable(begun::await)).isNull();
    ShutdownReport report = runtime.shutdown(Kit.SOON);
    assertThat(report.abandoned()).isEmpty();
    assertThat(cleaned).hasValue(100);
  }

  // ---- what the JDK and the loop make of it ----

  @Test
  void loopOnlyCalls_failWithTheCommandThatDoesIt() {
    Throwable delay =
        failure(_ -> {
          Heddle.delay(Duration.ZERO);
          return null;
        });
    assertThat(delay)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sleep() replaces Heddle.delay()");
    Throwable scope = failure(_ -> Heddle.spawn(() -> "x"));
    assertThat(scope)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("execute(Commands.onLoop(() -> ...))");
    assertThat(result(self -> self.execute(Commands.onLoop(() -> Heddle.spawn(() -> "x").await()))))
        .isEqualTo("x");
  }

  @Test
  void shutdownFromABody_isRefused_butAskWorks() {
    assertThat(
            failure(self -> {
              self.context().runtime().close();
              return null;
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("shutdown()");
    Pid echo =
        spawn(self -> {
          Request request = self.receive(Request.class);
          return request.reply().complete(request.message());
        });
    assertThat(result(self -> self.context().runtime().ask(echo, "hello", Kit.SOON)))
        .isEqualTo("hello");
  }

  @Test
  void threadsBornInABody_runWithoutIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<String> late = new CompletableFuture<>();
    Object result =
        result(_ -> {
          Thread.ofVirtual()
              .start(() -> {
                try {
                  release.await();
                  late.complete("outlived it");
                } catch (InterruptedException e) {
                  late.completeExceptionally(e);
                }
              });
          BlockingQueue<String> queue = Kit.queue();
          Thread.ofVirtual().start(() -> queue.add("child"));
          return Kit.take(queue);
        });
    assertThat(result).isEqualTo("child");
    release.countDown();
    assertThat(Kit.get(late)).isEqualTo("outlived it");
  }

  @Test
  void dumper_losesNoWakeUp_andResumesNothing() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    BlockingQueue<Object> queue = Kit.queue();
    Pid pid =
        spawn(self -> {
          thread.complete(Thread.currentThread());
          int sum = 0;
          for (int i = 0; i < 2_000; i++) {
            sum += self.receive(Integer.class);
            sum += (int) Kit.take(queue);
          }
          return sum;
        });
    var exit = runtime.whenExited(pid);
    Thread seen = Kit.get(thread);
    CountDownLatch over = new CountDownLatch(1);
    Thread dumper =
        Thread.ofPlatform()
            .start(() -> {
              while (over.getCount() > 0) {
                assertThat(seen.getStackTrace()).isNotNull();
              }
            });
    try {
      for (int i = 0; i < 2_000; i++) {
        runtime.send(pid, 1);
        queue.add(1);
      }
      assertThat(Kit.get(exit).result()).isEqualTo(4_000);
    } finally {
      over.countDown();
      dumper.join();
    }
  }
}
