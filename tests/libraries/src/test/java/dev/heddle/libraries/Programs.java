// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Servers that are programs of others: where they are, when they are ready.
public final class Programs {
  private static final Duration PATIENCE = Duration.ofMinutes(5); // on a machine that is busy

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

  /// Waits until the program has said `ready`, or has ended; drops what it says later. One that
  /// says nothing of it within minutes is ended.
  ///
  /// @return what it has said; without `ready` it has ended
  public static String awaitLine(Process process, String ready) {
    return awaitLine(process, ready, PATIENCE);
  }

  static String awaitLine(Process process, String ready, Duration patience) {
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    var _ =
        seen.completeOnTimeout(false, patience.toMillis(), TimeUnit.MILLISECONDS)
            .thenAccept(inTime -> {
              if (!inTime) {
                process.destroyForcibly(); // and that is the end of its log
              }
            });
    BufferedReader log = process.inputReader();
    StringBuilder said = new StringBuilder();
    String line = nextLine(log);
    while (line != null && !line.contains(ready)) {
      said.append(line).append('\n');
      line = nextLine(log);
    }
    if (line != null) {
      said.append(line);
    } else {
      said.append(seen.isDone() ? "and it was ended, after " + patience : "and it has ended");
    }
    seen.complete(true);
    // it would block on a full pipe
    Thread.ofPlatform().daemon().start(() -> drain(log));
    return said.toString();
  }

  private static @Nullable String nextLine(BufferedReader log) {
    try {
      return log.readLine();
    } catch (IOException _) {
      return null; // safe: the program was ended, and the JDK closes its streams then
    }
  }

  private static void drain(BufferedReader log) {
    while (nextLine(log) != null) {
      // nobody wants it
    }
  }
}
