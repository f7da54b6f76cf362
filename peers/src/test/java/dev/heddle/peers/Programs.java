// SPDX-License-Identifier: Apache-2.0
package dev.heddle.peers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Servers that are programs of others: where they are, when they are ready.
public final class Programs {
  private Programs() {}

  /// Whether there is such a program.
  public static boolean isOnPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /// One that was free a moment ago, for a server that cannot choose one itself.
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /// Waits until the program has said `ready`, or has ended; drops what it says later.
  ///
  /// @return what it has said
  public static String awaitLine(Process process, String ready) throws IOException {
    BufferedReader log = process.inputReader();
    StringBuilder said = new StringBuilder();
    String line;
    do {
      line = log.readLine();
      said.append(line).append('\n');
    } while (line != null && !line.contains(ready));
    // it would block on a full pipe
    Thread.ofPlatform().daemon().start(() -> drain(log));
    return said.toString();
  }

  private static void drain(BufferedReader log) {
    try (log) {
      while (log.readLine() != null) {
        // nobody wants it
      }
    } catch (IOException _) {
      // it has ended
    }
  }
}
