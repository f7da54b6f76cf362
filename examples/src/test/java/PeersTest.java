// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The examples with peers that are none of Heddle's: curl and socat where they are installed, and
/// sockets of the JDK's, which are everywhere. Not nc: four programs have that name, and no two of
/// them agree on when a connection ends.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PeersTest {
  private static final int LARGE = 3_000_001; // bytes: many buffers, and no round number

  @TempDir private Path folder = Path.of("");

  /// Skips the test where a program is missing.
  ///
  /// @param unproved what stays unproved then
  private static void require(String program, String unproved) {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
        program + " is not installed: not proved here is that " + unproved);
  }

  /// A client of the JDK's that says all it has to say, ends its side of the connection, and then
  /// hears until the other side ends.
  private static String exchange(String port, String said) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
      socket.getOutputStream().write(said.getBytes(UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  /// A file of random bytes, the same in each run.
  private Path randomFile() throws IOException {
    byte[] bytes = new byte[LARGE];
    new Random(5).nextBytes(bytes);
    return Files.write(folder.resolve("random.bin"), bytes);
  }

  /// Runs a program to its end, its input from a file.
  ///
  /// @return the file with what it wrote
  private Path run(Path input, String... command) throws Exception {
    Path output = Files.createTempFile(folder, "output", "");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(Redirect.INHERIT)
            .start();
    try {
      assertThat(process.waitFor()).as(List.of(command).toString()).isZero();
    } finally {
      process.destroyForcibly();
    }
    return output;
  }

  private Path text(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "input", ""), text);
  }

  private static String awaitPort(ExampleProcess example, String pattern) throws Exception {
    return example.awaitLine(pattern).group(1);
  }

  @Test
  void curl_getsFiles_onOneConnectionAfterTheOther() throws Exception {
    require("curl", "it is served files over one connection");
    Path file = randomFile();
    try (var server = ExampleProcess.start("FileServer", folder.toString())) {
      String url = "http://127.0.0.1:" + awaitPort(server, "Serving .*:(\\d+)/") + "/random.bin";
      String report = "%{http_code} %{num_connects}\\n";
      Path first = folder.resolve("first");
      Path second = folder.resolve("second");
      Path told =
          run(
              text(""),
              "curl",
              "--disable", // what the user has in a file of settings
              "--noproxy",
              "*",
              "--silent",
              "--write-out",
              report,
              "--output",
              first.toString(),
              url,
              "--output",
              second.toString(),
              url);
      assertThat(told).hasContent("200 1\n200 0\n"); // the second request came on the first's
      assertThat(first).hasSameBinaryContentAs(file);
      assertThat(second).hasSameBinaryContentAs(file);
    }
  }

  @Test
  void curl_throughATunnel_isGreeted() throws Exception {
    require("curl", "it is greeted through a tunnel");
    try (var server = ExampleProcess.start("HttpHello")) {
      String port = awaitPort(server, "Hello at .*:(\\d+)/");
      try (var forward = ExampleProcess.start("PortForward", "0", "127.0.0.1:" + port)) {
        String entry = awaitPort(forward, "Forwarding .*:(\\d+) to ");
        Path direct = run(text(""), greeting(port));
        Path forwarded = run(text(""), greeting(entry));
        assertThat(Files.size(direct)).isPositive();
        assertThat(forwarded).hasSameBinaryContentAs(direct);
      }
    }
  }

  private static String[] greeting(String port) {
    return new String[] {
      "curl", "--disable", "--noproxy", "*", "-sS", "--fail", "http://127.0.0.1:" + port + "/"
    };
  }

  @Test
  void client_thatEndsItsSide_hearsItsEcho() throws Exception {
    try (var echo = ExampleProcess.start("Echo")) {
      String port = awaitPort(echo, "Echo on .*:(\\d+)");
      assertThat(exchange(port, "hello\n")).isEqualTo("hello\n");
      echo.awaitLine("A client left after 6 bytes");
    }
  }

  @Test
  void socat_hearsTheEchoOfALargeFile() throws Exception {
    require("socat", "it hears the echo of a large file");
    Path file = randomFile();
    try (var echo = ExampleProcess.start("Echo")) {
      String port = awaitPort(echo, "Echo on .*:(\\d+)");
      // 30 s for the echo of the last bytes; it ends with the echo
      assertThat(run(file, "socat", "-t", "30", "-", "TCP:127.0.0.1:" + port))
          .hasSameBinaryContentAs(file);
      echo.awaitLine("A client left after " + LARGE + " bytes");
    }
  }

  @Test
  void socatAsAServer_echoesALargeFileThroughATunnel() throws Exception {
    require("socat", "its echo comes through a tunnel");
    Path file = randomFile();
    Process server =
        new ProcessBuilder("socat", "-d", "-d", "TCP-LISTEN:0,bind=127.0.0.1", "EXEC:cat")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader log = server.inputReader()) {
      String port = find("listening on .*:(\\d+)", log);
      try (var forward = ExampleProcess.start("PortForward", "0", "127.0.0.1:" + port)) {
        String entry = awaitPort(forward, "Forwarding .*:(\\d+) to ");
        assertThat(run(file, "socat", "-t", "30", "-", "TCP:127.0.0.1:" + entry))
            .hasSameBinaryContentAs(file);
        forward.awaitLine("ended; %d bytes there, %d back".formatted(LARGE, LARGE));
      }
    } finally {
      server.destroyForcibly();
    }
  }

  private static String find(String pattern, BufferedReader log) throws IOException {
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      Matcher matcher = Pattern.compile(pattern).matcher(line);
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw new IOException("it ended before it said " + pattern);
  }

  @Test
  void server_answersThroughATunnel_afterTheClientHasSaidAll() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var forward =
            ExampleProcess.start("PortForward", "0", "127.0.0.1:" + server.getLocalPort())) {
      var heard = new CompletableFuture<String>();
      Thread.ofVirtual().start(() -> answer(server, "the answer\n", heard));
      String entry = awaitPort(forward, "Forwarding .*:(\\d+) to ");
      assertThat(exchange(entry, "a question\n")).isEqualTo("the answer\n");
      forward.awaitLine("ended; 11 bytes there, 11 back");
      assertThat(heard.get()).isEqualTo("a question\n");
    }
  }

  private static void answer(ServerSocket server, String said, CompletableFuture<String> heard) {
    try (Socket client = server.accept()) {
      String question = new String(client.getInputStream().readAllBytes(), UTF_8);
      client.getOutputStream().write(said.getBytes(UTF_8));
      heard.complete(question);
    } catch (IOException e) {
      heard.completeExceptionally(e);
    }
  }

  @Test
  void client_chats() throws Exception {
    try (var chat = ExampleProcess.start("Chat")) {
      String port = awaitPort(chat, "Chat on .*:(\\d+);");
      assertThat(exchange(port, "ada\ngood evening\n/quit\n")).startsWith("Your name?\n");
      chat.awaitLine("^ada: good evening$");
      chat.awaitLine("^\\* ada has left$");
    }
  }
}
