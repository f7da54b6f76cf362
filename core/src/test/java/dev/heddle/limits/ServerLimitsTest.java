// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.Server;
import dev.heddle.io.Tcp;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The first server of the documentation, in a process with few descriptors.
@Tag("T14.3")
@Tag("trap-29")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerLimitsTest {
  private static final int DESCRIPTORS = 64;
  private static final int CLIENTS = 100;

  @TempDir Path folder;

  /// Echoes until there is no more to read from its input.
  public static final class Echo {
    private Echo() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Server server = Tcp.serve(any, client -> client.transferTo(client))) {
          System.out.println("port " + ((InetSocketAddress) server.address()).getPort());
          Heddle.offload(() -> System.in.read());
        }
        System.out.println("ended");
      });
    }
  }

  @Test
  void server_withoutADescriptorLeft_goesOn_whenThereAreSome() throws Exception {
    List<String> command =
        ChildJvm.of(Echo.class)
            .withOpenFiles(DESCRIPTORS)
            .from(folder.resolve("echo.jar"))
            .command();
    long began = System.nanoTime();
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<Socket> clients = new ArrayList<>();
    try (BufferedReader output = child.inputReader()) {
      int port = Integer.parseInt(awaitLine(output, "port ").substring("port ".length()));
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
      }
      assertThat(echo(clients.getFirst())).isEqualTo(7);
      awaitLine(output, "while accepting from");
      LinkedBlockingQueue<String> later = new LinkedBlockingQueue<>();
      Thread reader = Thread.ofVirtual().start(() -> output.lines().forEach(later::add));
      for (Socket client : clients) {
        client.setOption(StandardSocketOptions.SO_LINGER, 0); // closing resets it
        client.close();
      }
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(echo(client)).isEqualTo(7);
      }
      child.getOutputStream().close();
      assertThat(child.waitFor()).as("%s", later).isZero();
      reader.join();
      int minutes = Math.toIntExact(Duration.ofNanos(System.nanoTime() - began).toMinutes());
      assertThat(later)
          .contains("ended")
          .filteredOn(line -> line.contains("while accepting from")) // once a minute
          .hasSizeLessThanOrEqualTo(minutes);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
      child.destroyForcibly();
    }
  }

  private static String awaitLine(BufferedReader output, String part) throws IOException {
    StringBuilder seen = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.contains(part)) {
        return line;
      }
      seen.append(line).append('\n');
    }
    throw new AssertionError("the server ended without a line with '" + part + "':\n" + seen);
  }

  private static int echo(Socket client) throws IOException {
    client.getOutputStream().write(7);
    return client.getInputStream().read();
  }
}
