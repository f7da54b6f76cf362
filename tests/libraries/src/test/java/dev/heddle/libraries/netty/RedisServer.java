// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.libraries.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A Redis server of the test's own, on loopback, which keeps nothing on disk.
final class RedisServer implements AutoCloseable {
  private static final String READY = "Ready to accept connections";
  private static final String TAKEN = "Address already in use";

  private final Path folder;
  private final Process process;
  private final int port;

  private RedisServer(Path folder, Process process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /// Whether the program is on the `PATH`.
  static boolean isInstalled() {
    return Programs.isOnPath("redis-server");
  }

  static RedisServer start() throws IOException {
    Path folder = Files.createTempDirectory("heddle-redis");
    while (true) {
      int port = Programs.freePort();
      Process process =
          new ProcessBuilder(
                  "redis-server",
                  "--bind",
                  "127.0.0.1",
                  "--port",
                  port + "",
                  "--save",
                  "",
                  "--appendonly",
                  "no",
                  "--dir",
                  folder.toString())
              .redirectErrorStream(true)
              .start();
      RedisServer server = new RedisServer(folder, process, port);
      String log = Programs.awaitLine(process, READY);
      if (log.contains(READY)) {
        return server;
      }
      if (!log.contains(TAKEN)) {
        server.close();
        throw new IOException("redis-server did not start: " + log);
      }
    }
  }

  /// Where it listens, on loopback.
  int port() {
    return port;
  }

  /// Ends it, whoever is connected.
  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    Files.delete(folder);
  }
}
