// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A PostgreSQL server of the test's own, on loopback, in a folder that goes with it.
///
/// It refuses to run as root; there it runs as `nobody`.
public final class PostgresServer implements AutoCloseable {
  public static final String USER = "weaver";
  public static final String PASSWORD = "shuttle"; // asked for, so that the driver proves itself

  private static final String READY = "database system is ready to accept connections";
  private static final String TAKEN = "Address already in use";

  private static final int NOGROUP = 65_534; // its name differs from system to system

  private final Path folder;
  private final Process process;
  private final int port;

  private PostgresServer(Path folder, Process process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /// Skips the test without a server, and says what is not proved then.
  public static void assumeInstalled(String unproved) {
    assumeTrue(
        isInstalled(), () -> "no initdb and postgres on the PATH: not proved here is " + unproved);
  }

  /// Whether the programs are on the `PATH`, and one that makes root somebody else.
  static boolean isInstalled() {
    return Programs.isOnPath("initdb")
        && Programs.isOnPath("postgres")
        && (!isRoot() || Programs.isOnPath("setpriv"));
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /// Makes a database and starts the server with room for `connections`.
  public static PostgresServer start(int connections) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("heddle-postgres");
    Path secret = Files.writeString(folder.resolve("secret"), PASSWORD);
    if (isRoot()) {
      var nobody =
          folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
      Files.setOwner(folder, nobody);
      Files.setOwner(secret, nobody);
    }
    Path data = folder.resolve("data");
    // in no language but its own, in which it is understood here
    List<String> init =
        List.of("initdb", "--no-sync", "--no-locale", "-A", "scram-sha-256", "-U", USER);
    Process initdb = start(folder, init, "--pwfile=" + secret, "-D", data.toString());
    String said = new String(initdb.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (initdb.waitFor() != 0) {
      delete(folder);
      throw new IOException("initdb failed: " + said);
    }
    List<String> serve = List.of("postgres", "-F", "-h", "127.0.0.1", "-k", folder.toString());
    while (true) {
      int port = Programs.freePort();
      Process process =
          start(folder, serve, "-p", port + "", "-N", connections + "", "-D", data.toString());
      PostgresServer server = new PostgresServer(folder, process, port);
      String log = Programs.awaitLine(process, READY);
      if (log.contains(READY)) {
        return server;
      }
      if (!log.contains(TAKEN)) {
        server.close();
        throw new IOException("postgres did not start: " + log);
      }
    }
  }

  private static Process start(Path folder, List<String> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(
          List.of("setpriv", "--reuid=nobody", "--regid=" + NOGROUP, "--clear-groups", "--"));
    }
    command.addAll(program);
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  /// Where it listens, on loopback.
  public int port() {
    return port;
  }

  /// Its database, as drivers are told.
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /// A connection, as any program would open it.
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), USER, PASSWORD);
  }

  /// Stops it, whoever is connected, and deletes its folder.
  @Override
  public void close() throws IOException {
    try {
      stop();
    } catch (InterruptedException e) {
      throw new IOException("interrupted while the server stops", e);
    }
    delete(folder);
  }

  private void stop() throws IOException, InterruptedException {
    // SIGINT: at once; SIGTERM would wait for clients that a failed test has left
    // by the shell's own kill: a system may come without the program
    new ProcessBuilder("sh", "-c", "kill -INT " + process.pid()).start().waitFor();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(PostgresServer::deleteFile);
    }
  }

  private static void deleteFile(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
