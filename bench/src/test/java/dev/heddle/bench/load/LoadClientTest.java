// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The client against servers that behave, and others.
@SuppressWarnings("NullAway.Init") // set before each test
class LoadClientTest {
  private static final int MESSAGE = 64;

  private final AtomicLong served = new AtomicLong();
  private ServerSocket listener;

  @BeforeEach
  void listen() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
  }

  @Test
  void run_answersInPieces_countsEachOnce() throws IOException {
    serve(socket -> {
      for (byte[] bytes = read(socket, 1); bytes.length > 0; bytes = read(socket, 1)) {
        socket.getOutputStream().write(bytes);
        served.incrementAndGet();
      }
    });

    try (LoadClient client = client(Dialogue.ECHO, 3, 2)) {
      client.run(50);
      client.run(51);
    }

    assertThat(served.get()).isEqualTo((3 + 50 + 51) * MESSAGE);
  }

  @Test
  void run_pipelined_keepsTheDepthAndNoMore() throws IOException {
    serve(socket -> {
      socket.getOutputStream().write(read(socket, MESSAGE)); // the first exchange
      for (byte[] bytes = read(socket, 4 * MESSAGE);
          bytes.length > 0;
          bytes = read(socket, 4 * MESSAGE)) {
        served.addAndGet(socket.getInputStream().available()); // none beyond the depth
        socket.getOutputStream().write(bytes);
      }
    });

    try (LoadClient client = client(Dialogue.ECHO, 2, 4)) {
      client.run(80); // hangs if there are ever fewer than four under way
    }

    assertThat(served.get()).isZero();
  }

  @Test
  void open_echoOfSomethingElse_fails() {
    serve(socket -> socket.getOutputStream().write(new byte[read(socket, MESSAGE).length]));

    assertThatThrownBy(() -> client(Dialogue.ECHO, 1, 1)).hasMessageContaining("not what was sent");
  }

  @Test
  void open_httpRefusal_fails() {
    serve(socket -> {
      assertThat(new String(read(socket, 16), ISO_8859_1)).isEqualTo("GET / HTTP/1.1\r\n");
      byte[] answer = "HTTP/1.1 503 No\r\nContent-Length: 3\r\n\r\nno!".getBytes(ISO_8859_1);
      socket.getOutputStream().write(answer);
    });

    assertThatThrownBy(() -> client(Dialogue.HTTP, 1, 1)).hasMessageContaining("503 No");
  }

  @Test
  void run_serverHangsUp_fails() throws IOException {
    serve(socket -> socket.getOutputStream().write(read(socket, MESSAGE)));

    try (LoadClient client = client(Dialogue.ECHO, 1, 1)) {
      assertThatThrownBy(() -> client.run(1)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void openLoad_serverThatAnswersLate_delaysAllThatWereDueMeanwhile() throws IOException {
    var held = new CountDownLatch(1);
    serve(socket -> {
      socket.getOutputStream().write(read(socket, MESSAGE)); // the first exchange
      for (byte[] bytes = read(socket, MESSAGE); bytes.length > 0; bytes = read(socket, MESSAGE)) {
        if (served.incrementAndGet() == 1) {
          await(held);
        }
        socket.getOutputStream().write(bytes);
      }
    });
    var address = (InetSocketAddress) listener.getLocalSocketAddress();

    try (var client = new OpenLoadClient(address, new Load(Dialogue.ECHO, 1, 1))) {
      Thread.startVirtualThread(() -> {
        while (served.get() == 0) {
          Thread.yield();
        }
        long asked = System.nanoTime();
        while (System.nanoTime() - asked < 20_000_000) {
          Thread.yield(); // longer than all of them are due
        }
        held.countDown();
      });
      Histogram latencies = client.run(100, 100_000); // due within 10 ms

      assertThat(latencies.getTotalCount()).isEqualTo(100);
      assertThat(latencies.getMinValue()).isGreaterThan(9_000_000);
      assertThat(served.get()).isEqualTo(100);
    }
  }

  @Test
  void openLoad_answersInPieces_countsEachOnce() throws IOException {
    serve(socket -> {
      for (byte[] bytes = read(socket, 1); bytes.length > 0; bytes = read(socket, 1)) {
        socket.getOutputStream().write(bytes);
        served.incrementAndGet();
      }
    });
    var address = (InetSocketAddress) listener.getLocalSocketAddress();

    try (var client = new OpenLoadClient(address, new Load(Dialogue.ECHO, 3, 1))) {
      assertThat(client.run(50, 1_000).getTotalCount()).isEqualTo(50);
      assertThat(client.run(51, 1_000).getTotalCount()).isEqualTo(51);
    }

    assertThat(served.get()).isEqualTo((3 + 50 + 51) * MESSAGE);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private LoadClient client(Dialogue dialogue, int connections, int depth) throws IOException {
    var address = (InetSocketAddress) listener.getLocalSocketAddress();
    return new LoadClient(address, new Load(dialogue, connections, depth));
  }

  private static byte[] read(Socket socket, int count) throws IOException {
    return socket.getInputStream().readNBytes(count);
  }

  private void serve(Talk talk) {
    Thread.startVirtualThread(() -> {
      while (true) {
        try {
          Socket socket = listener.accept();
          Thread.startVirtualThread(() -> attend(talk, socket));
        } catch (IOException _) {
          return; // the test is over
        }
      }
    });
  }

  private static void attend(Talk talk, Socket socket) {
    try (socket) {
      talk.with(socket);
    } catch (IOException _) {
      // the client has left
    }
  }

  private interface Talk {
    void with(Socket socket) throws IOException;
  }
}
