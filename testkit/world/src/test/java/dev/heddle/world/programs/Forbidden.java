// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// What a simulation cannot carry out.
public final class Forbidden {
  private Forbidden() {}

  /// A class that waits while it is initialised, below a native frame.
  private static final class WaitsInInitialiser {
    static final long WAITED = waited();

    private static long waited() {
      LockSupport.parkNanos(1_000_000);
      return 1;
    }
  }

  /// By the noun that the refusal names.
  public static Map<String, Callable<?>> all() {
    InetAddress local = InetAddress.getLoopbackAddress();
    Map<String, Callable<?>> all = new LinkedHashMap<>();
    all.put("a process of the operating system", () -> new ProcessBuilder("true").start());
    all.put("the end of the JVM (System.exit)", () -> end(() -> System.exit(3)));
    all.put("the end of the JVM (Runtime.halt)", () -> end(() -> Runtime.getRuntime().halt(3)));
    all.put("a connection of the operating system", () -> new Socket(local, 1));
    all.put("a socket of the operating system", () -> new ServerSocket(0, 1, local));
    all.put("a connection of the operating system (channel)", () -> connect(local));
    all.put("a socket of the operating system (channel)", () -> bind(local));
    all.put("a socket of the operating system (datagrams)", () -> bindDatagrams(local));
    all.put("a UNIX domain connection of the operating system", Forbidden::connectUnix);
    all.put("a UNIX domain socket of the operating system", Forbidden::bindUnix);
    all.put("a selector of the operating system", Forbidden::select);
    all.put("a wait that holds the carrier", () -> WaitsInInitialiser.WAITED);
    return all;
  }

  private static Object end(Runnable ends) {
    ends.run();
    return null;
  }

  private static Object connect(InetAddress local) throws IOException {
    try (SocketChannel channel = SocketChannel.open()) {
      return channel.connect(new InetSocketAddress(local, 1));
    }
  }

  private static Object bind(InetAddress local) throws IOException {
    try (ServerSocketChannel channel = ServerSocketChannel.open()) {
      return channel.bind(new InetSocketAddress(local, 0));
    }
  }

  private static Object bindDatagrams(InetAddress local) throws IOException {
    try (DatagramChannel channel = DatagramChannel.open()) {
      return channel.bind(new InetSocketAddress(local, 0));
    }
  }

  private static Object select() throws IOException {
    try (Selector selector = Selector.open()) {
      return selector.select(1);
    }
  }

  private static Object connectUnix() throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of("/nowhere"));
    }
  }

  private static Object bindUnix() throws IOException {
    Path path = Files.createTempDirectory("heddle").resolve("socket");
    try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.bind(UnixDomainSocketAddress.of(path));
    } finally {
      Files.deleteIfExists(path);
      Files.delete(path.getParent());
    }
  }
}
