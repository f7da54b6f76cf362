// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waits of many kinds at once, with wake-ups from the loop and from other threads.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingLoadTest {
  private static final int PAIRS = 10;
  private static final int ROUNDS = 200;

  // plain on purpose: only exclusion keeps them right
  private int underLock;
  private int underMonitor;
  private long exchanged;

  @Test
  void waitsOfAllKinds_atOnceScenario_allEndWithTheirOwnResult() throws Exception {
    BlockingQueue<Integer> fromThreads = new ArrayBlockingQueue<>(4);
    Thread feeder = Thread.ofPlatform().start(() -> feed(fromThreads));
    long ticks = Heddle.run(() -> Beside.ticksDuring(() -> allKinds(fromThreads)));
    feeder.join();
    assertThat(ticks).isPositive();
    assertThat(underLock).isEqualTo(PAIRS * ROUNDS);
    assertThat(underMonitor).isEqualTo(PAIRS * ROUNDS);
    assertThat(exchanged).isEqualTo(4L * PAIRS * ROUNDS);
  }

  private void allKinds(BlockingQueue<Integer> fromThreads) {
    ReentrantLock lock = new ReentrantLock(true);
    Object monitor = new Object();
    Heddle.scope(s -> {
      for (int i = 0; i < PAIRS; i++) {
        s.launch("lock", () -> countUnder(lock));
        s.launch("monitor", () -> countUnder(monitor));
        s.launch("sleeper", () -> Thread.sleep(5));
        s.launch("taker", () -> take(fromThreads));
        pingPong(s, new LinkedBlockingQueue<>(), new SynchronousQueue<>());
        echoPair(s);
      }
      return null;
    });
  }

  private void countUnder(ReentrantLock lock) {
    for (int i = 0; i < ROUNDS; i++) {
      lock.lock();
      try {
        int seen = underLock;
        Heddle.yieldNow();
        underLock = seen + 1;
      } finally {
        lock.unlock();
      }
    }
  }

  private void countUnder(Object monitor) {
    for (int i = 0; i < ROUNDS; i++) {
      synchronized (monitor) {
        int seen = underMonitor;
        Heddle.yieldNow();
        underMonitor = seen + 1;
      }
      Thread.yield();
    }
  }

  private void take(BlockingQueue<Integer> queue) throws InterruptedException {
    for (int i = 0; i < ROUNDS; i++) {
      int taken = queue.take(); // not within the addition, which would read before the wait
      exchanged += taken;
    }
  }

  private static void feed(BlockingQueue<Integer> queue) {
    try {
      for (int i = 0; i < PAIRS * ROUNDS; i++) {
        queue.put(1);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void pingPong(Scope s, BlockingQueue<Integer> there, BlockingQueue<Integer> back) {
    s.launch(
        "ping",
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            there.put(i);
            assertThat(back.take()).isEqualTo(i);
            exchanged += 2;
          }
        });
    s.launch(
        "pong",
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            back.put(there.take());
          }
        });
  }

  private void echoPair(Scope s) {
    s.launch(
        "echo",
        () -> {
          try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Heddle.launch("client", () -> talkTo(server.getLocalPort()));
            echoOnce(server);
          }
        });
  }

  private static void echoOnce(ServerSocket server) throws IOException {
    try (Socket peer = server.accept()) {
      for (int b = peer.getInputStream().read(); b >= 0; b = peer.getInputStream().read()) {
        peer.getOutputStream().write(b);
      }
    }
  }

  private void talkTo(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      for (int i = 0; i < ROUNDS; i++) {
        socket.getOutputStream().write(i);
        assertThat(socket.getInputStream().read()).isEqualTo(i & 0xff);
        exchanged++;
      }
    }
  }
}
