// SPDX-License-Identifier: Apache-2.0
package dev.heddle.ports;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/// Ports of loopback for the servers of tests, which no other test takes before they are bound.
///
/// A node of a cluster must know its port and those of its seeds before it binds. A test that
/// nobody listens any more must know that nobody else does. So each JVM of tests has blocks of
/// ports for itself: it listens at the first port of each, for as long as it lives. All blocks are
/// below the ports that the system chooses for connections, and no port is given twice.
///
/// Modules of tests compile this source with their own, as their POM says.
public final class TestPorts {
  private static final int FIRST = 20_000;
  private static final int BLOCK = 32;
  private static final int BLOCKS = 375; // up to 31,999; Linux chooses from 32,768 on

  private static final List<ServerSocket> GUARDS = new ArrayList<>();
  private static int next;
  private static int end;

  private TestPorts() {}

  private interface Trial {
    void bind(int port) throws IOException;
  }

  /// A port where nobody listens.
  public static int next() throws IOException {
    return next(port -> listen(port).close());
  }

  /// A port that no other socket for datagrams has.
  public static int nextForDatagrams() throws IOException {
    return next(port -> new DatagramSocket(port, InetAddress.getLoopbackAddress()).close());
  }

  private static synchronized int next(Trial trial) throws IOException {
    while (true) {
      if (next == end) {
        takeBlock();
      }
      int port = next++;
      try {
        trial.bind(port);
        return port;
      } catch (IOException _) {
        // safe: another program has it; the next one
      }
    }
  }

  private static void takeBlock() throws IOException {
    int start = (int) (ProcessHandle.current().pid() % BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      int guard = FIRST + BLOCK * ((start + i) % BLOCKS);
      try {
        GUARDS.add(listen(guard));
        next = guard + 1;
        end = guard + BLOCK;
        return;
      } catch (IOException _) {
        // safe: the block of another JVM, or of this one
      }
    }
    throw new IOException("no block of ports from %d on is free".formatted(FIRST));
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }
}
