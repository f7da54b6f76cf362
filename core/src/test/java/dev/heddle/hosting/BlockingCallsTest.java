// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static dev.heddle.hosting.Beside.TURNS;
import static dev.heddle.hosting.Beside.turnsBeside;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The product's first promise: a blocking call of the JDK suspends its coroutine, not the loop.
///
/// Most waits are released by the loop itself, and only after it has gone on for many turns beside
/// them: a wait that held the loop would never end.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingCallsTest {
  private static final int WAITERS = 20;

  @Test
  void threadSleep_inManyCoroutines_suspendsOnlyThem() {
    long ticks =
        Heddle.run(() ->
            Beside.ticksDuring(() ->
                Heddle.scope(s -> {
                  for (int i = 0; i < WAITERS; i++) {
                    s.launch("sleeper", () -> Thread.sleep(20));
                  }
                  return null;
                })));
    assertThat(ticks).isPositive();
  }

  @Test
  void blockingQueueTake_onAnEmptyQueue_suspendsOnlyItsCoroutine() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    int turns =
        turnsBeside(
            WAITERS,
            queue::take,
            () -> {
              for (int i = 0; i < WAITERS; i++) {
                queue.put("item");
              }
            });
    assertThat(turns).isEqualTo(TURNS);
  }

  @Test
  void blockingQueuePut_onAFullQueue_suspendsOnlyItsCoroutine() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>(1);
    queue.add("full");
    int turns =
        turnsBeside(
            WAITERS,
            () -> queue.put("item"),
            () -> {
              for (int i = 0; i < WAITERS; i++) {
                queue.take();
              }
            });
    assertThat(turns).isEqualTo(TURNS);
  }

  @Test
  void blockingQueueTake_fedByAPlatformThread_suspendsOnlyItsCoroutine() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    CountDownLatch go = new CountDownLatch(1);
    Thread feeder = Thread.ofPlatform().start(() -> feed(queue, go));
    int turns = turnsBeside(WAITERS, queue::take, go::countDown);
    feeder.join();
    assertThat(turns).isEqualTo(TURNS);
  }

  private static void feed(BlockingQueue<String> queue, CountDownLatch go) {
    try {
      go.await();
      for (int i = 0; i < WAITERS; i++) {
        queue.put("item");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void reentrantLock_heldByAnotherCoroutine_suspendsOnlyThoseWhoWantIt() {
    ReentrantLock lock = new ReentrantLock();
    int turns =
        Heddle.run(() -> {
          lock.lock();
          List<Coroutine<Boolean>> waiters = new ArrayList<>();
          for (int i = 0; i < WAITERS; i++) {
            waiters.add(
                Beside.spawn(() -> {
                  lock.lock();
                  lock.unlock();
                }));
          }
          int passed = turnsBeside(waiters);
          lock.unlock();
          waiters.forEach(Coroutine::await);
          return passed;
        });
    assertThat(turns).isEqualTo(TURNS);
  }

  @Test
  void monitor_heldByACoroutineThatSuspendsInside_suspendsOnlyThoseWhoWantIt() {
    Object monitor = new Object();
    int turns =
        Heddle.run(() -> {
          List<Coroutine<Integer>> waiters = new ArrayList<>();
          int passed;
          synchronized (monitor) {
            for (int i = 0; i < WAITERS; i++) {
              waiters.add(Heddle.spawn(() -> entered(monitor)));
            }
            passed = turnsBeside(waiters);
          }
          waiters.forEach(Coroutine::await);
          return passed;
        });
    assertThat(turns).isEqualTo(TURNS);
  }

  private static int entered(Object monitor) {
    synchronized (monitor) {
      return 1;
    }
  }

  @Test
  void objectWait_inManyCoroutines_suspendsOnlyThem() {
    Object monitor = new Object();
    boolean[] told = new boolean[1];
    int turns =
        turnsBeside(
            WAITERS,
            () -> {
              synchronized (monitor) {
                while (!told[0]) {
                  monitor.wait();
                }
              }
            },
            () -> {
              synchronized (monitor) {
                told[0] = true;
                monitor.notifyAll();
              }
            });
    assertThat(turns).isEqualTo(TURNS);
  }

  @Test
  void completableFutureGet_beforeItsCompletion_suspendsOnlyItsCoroutine() {
    CompletableFuture<String> future = new CompletableFuture<>();
    int turns = turnsBeside(WAITERS, future::get, () -> future.complete("done"));
    assertThat(turns).isEqualTo(TURNS);
  }

  @Test
  void processWaitFor_ofARunningChild_suspendsOnlyItsCoroutine() throws Exception {
    Process child = new ProcessBuilder("cat").start();
    // cat ends when its input does
    int turns = turnsBeside(3, child::waitFor, () -> child.getOutputStream().close());
    assertThat(turns).isEqualTo(TURNS);
    assertThat(child.exitValue()).isZero();
  }

  @Test
  void socketRead_beforeAnyByteCame_suspendsOnlyItsCoroutine() {
    int turns =
        Heddle.run(() -> {
          try (ServerSocket server =
              new ServerSocket(0, WAITERS, InetAddress.getLoopbackAddress())) {
            List<Coroutine<Integer>> readers = new ArrayList<>();
            List<Socket> accepted = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
              readers.add(Heddle.spawn(() -> firstByteFrom(server.getLocalPort())));
            }
            for (int i = 0; i < WAITERS; i++) {
              accepted.add(server.accept());
            }
            int passed = turnsBeside(readers);
            for (Socket socket : accepted) {
              socket.getOutputStream().write(7);
              socket.close();
            }
            assertThat(readers).extracting(Coroutine::await).containsOnly(7);
            return passed;
          }
        });
    assertThat(turns).isEqualTo(TURNS);
  }

  private static int firstByteFrom(int port) throws Exception {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return client.getInputStream().read();
    }
  }

  @Test
  void serverSocketAccept_beforeAnybodyConnects_suspendsOnlyItsCoroutine() throws Exception {
    try (ServerSocket server = new ServerSocket(0, WAITERS, InetAddress.getLoopbackAddress())) {
      int turns =
          turnsBeside(
              3,
              () -> server.accept().close(),
              () -> {
                for (int i = 0; i < 3; i++) {
                  new Socket(server.getInetAddress(), server.getLocalPort()).close();
                }
              });
      assertThat(turns).isEqualTo(TURNS);
    }
  }

  @Test
  void httpClientSend_toASlowServer_suspendsOnlyItsCoroutine() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = HttpServer.create(anyPort, WAITERS);
    try (ExecutorService threads = Executors.newCachedThreadPool();
        HttpClient client = HttpClient.newHttpClient()) {
      server.setExecutor(threads);
      server.createContext(
          "/",
          exchange -> {
            awaitUninterrupted(go);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
          });
      server.start();
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"))
              .build();
      int turns =
          turnsBeside(
              WAITERS,
              () ->
                  assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                      .isEqualTo(204),
              go::countDown);
      assertThat(turns).isEqualTo(TURNS);
    } finally {
      server.stop(0);
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
