// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Programs of which a test records traces, and a site for those that ask one.
final class TracedPrograms implements AutoCloseable {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final Path EXAMPLES = Path.of(System.getProperty("heddle.root"), "examples");

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();
  private final CountDownLatch requested = new CountDownLatch(1);
  private final ServerSocket site = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Path folder = Files.createTempDirectory(checkout.root(), "trace");

  TracedPrograms() throws IOException {
    var _ = Thread.ofVirtual().start(this::serve);
  }

  Checkout checkout() {
    return checkout;
  }

  /// Where traces are written.
  Path folder() {
    return folder;
  }

  Outcome.Started first() {
    return started.getFirst();
  }

  // ---- programs ----

  /// Starts a source, and waits until it says that it is ready.
  ///
  /// @return its process id
  String java(Path source, String ready, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("heddle.jar"),
                source.toString()));
    command.addAll(List.of(arguments));
    Outcome.Started child = Outcome.start(command, folder, Map.of(), "");
    started.add(child);
    child.awaitOutput(ready);
    return Long.toString(child.process().pid());
  }

  /// The example SiteCheck, once it has asked the site, which has no end.
  String siteCheck() throws Exception {
    String pid = example("SiteCheck.java", "http://127.0.0.1:" + site.getLocalPort() + "/1");
    requested.await();
    return pid;
  }

  /// The example Bank, once it has a runtime.
  String bank() throws Exception {
    String pid = example("Bank.java", "-n", "1000000", "-c", "0");
    while (!checkout.heddle("ps", pid).out().contains("RUNTIME")) {
      assertThat(first().process().isAlive()).as(first().read("err")).isTrue();
    }
    return pid;
  }

  private String example(String name, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("run", EXAMPLES.resolve(name).toString()));
    words.addAll(List.of(arguments));
    Outcome.Started child = checkout.start(words.toArray(String[]::new));
    started.add(child);
    return Long.toString(child.process().pid());
  }

  /// Records a second of which nothing is lost: when an observer comes late to the end of a
  /// recording, the program has done more than its rings hold, and it is recorded again.
  TraceFile trace(String pid, String name) throws Exception {
    TraceFile read = traceThatMayLose(pid, name);
    while (read.count("lost") > 0) {
      read = traceThatMayLose(pid, name);
    }
    return read;
  }

  private TraceFile traceThatMayLose(String pid, String name) throws Exception {
    Path file = folder.resolve(name);
    Outcome outcome = checkout.heddle("trace", pid, "--seconds", "1", "-o", file.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains(file + ": ", " entries of 1 s", "ui.perfetto.dev");
    TraceFile read = TraceFile.read(file);
    read.assertWellFormed();
    return read;
  }

  @Override
  public void close() throws IOException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().onExit().join();
    }
    site.close();
  }

  // ---- a site without an end, a connection for each page ----

  private void serve() {
    try {
      while (true) {
        Socket socket = site.accept();
        Thread.ofVirtual().start(() -> answer(socket));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private void answer(Socket socket) {
    try (socket;
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      String line = in.readLine();
      if (line == null) {
        return; // the client has been ended
      }
      long number = Long.parseLong(line.split(" ")[1].substring(1));
      while (!line.isEmpty()) {
        line = in.readLine();
      }
      String page = "<a href='/%d'>a</a> <a href='/%d'>b</a>".formatted(2 * number, 2 * number + 1);
      String text =
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
              + page.length()
              + "\r\n\r\n"
              + page;
      socket.getOutputStream().write(text.getBytes(UTF_8));
      requested.countDown();
    } catch (IOException _) {
      // the test is over
    }
  }
}
