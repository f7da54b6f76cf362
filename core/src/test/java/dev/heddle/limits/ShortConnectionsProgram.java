// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/// A connection for each request, one after the other on some lines, with a server that has buffers
/// for each connection.
final class ShortConnectionsProgram {
  private static final int LINES = 20;
  private static final int INPUT = 8 << 10; // bytes, as HTTP servers have
  private static final int OUTPUT = 16 << 10; // bytes

  private ShortConnectionsProgram() {}

  private interface Service {
    void serve(StreamSocket client) throws IOException;
  }

  /// Serves itself.
  ///
  /// @param args which service, and how many connections
  public static void main(String[] args) {
    Service service =
        args[0].equals("transfer")
            ? client -> client.transferTo(client)
            : ShortConnectionsProgram::answer;
    int connections = Integer.parseInt(args[1]);
    Heddle.run(() -> {
      // ends with the loop, when its server does
      Listener listener = Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Heddle.background("server", () -> serve(listener, service));
      Heddle.supervise(lines -> {
        for (int i = 0; i < LINES; i++) {
          lines.launch("line", () -> ask(listener, connections / LINES));
        }
        return connections;
      });
    });
    System.out.println(connections + " answered");
    report();
  }

  private static void serve(Listener listener, Service service) {
    Heddle.supervise(clients -> {
      while (true) {
        StreamSocket client = listener.accept();
        clients.launch(
            "client",
            () -> {
              try (client) {
                service.serve(client);
              }
            });
      }
    });
  }

  /// Memory that ends with the connection, as the how-to has it.
  private static void answer(StreamSocket client) throws IOException {
    try (Arena memory = Arena.ofConfined()) {
      ByteBuffer input = memory.allocate(INPUT).asByteBuffer();
      ByteBuffer output = memory.allocate(OUTPUT).asByteBuffer();
      while (client.read(input) >= 0) {
        client.write(output.put(input.flip()).flip());
        input.clear();
        output.clear();
      }
    }
  }

  private static void ask(Listener listener, int times) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    for (int i = 0; i < times; i++) {
      try (StreamSocket server = Tcp.connect(listener.localAddress())) {
        server.write(bytes.clear());
        server.readFully(bytes.clear());
        server.shutdownOutput();
        server.read(bytes.clear());
      }
    }
  }

  private static void report() {
    ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
        .forEach(pool -> System.out.println(pool.getName() + ": " + pool.getMemoryUsed()));
    try {
      Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS"))
          .forEach(System.out::println);
    } catch (IOException _) {
      // safe: for people, on Linux
    }
  }
}
