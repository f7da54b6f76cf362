// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.FileIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Pipe;
import dev.heddle.io.Poll;
import dev.heddle.io.Stdio;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.io.Unix;
import dev.heddle.os.Command;
import dev.heddle.os.FileWatch;
import dev.heddle.os.Processes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The driver `jdk` where the system has no `/proc` and no inotify, and the JVM no native access:
/// everything is served that needs neither, and what does is refused with its reason.
@Tag("T20")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BareSystemTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /// Namespaces of its own: no change of it is seen outside.
  private static final String BARE =
      "echo 0 > /proc/sys/user/max_inotify_instances && mount -t tmpfs none /proc && ";

  /// Uses one of each, and says how it went.
  public static final class EveryKindProgram {
    private EveryKindProgram() {}

    public static void main(String[] args) {
      Path folder = Path.of(args[0]);
      say("proc", () -> Files.exists(Path.of("/proc/self")) ? "there" : "missing");
      say("inotify", () -> folder.getFileSystem().newWatchService().toString());
      Heddle.run(() -> {
        say("timer", () -> after(Duration.ofMillis(1)));
        say("thread", () -> Heddle.offload(() -> "offloaded"));
        say(
            "TCP",
            () -> {
              try (Listener listener = Tcp.listen(ANY)) {
                return echoed(listener, Tcp.connect(listener.localAddress()));
              }
            });
        say(
            "UNIX",
            () -> {
              try (Listener listener = Unix.listen(folder.resolve("socket"))) {
                return echoed(listener, Unix.connect(folder.resolve("socket")));
              }
            });
        say("UDP", () -> sentBack());
        say(
            "PIPE",
            () -> {
              Pipe pipe = Pipe.open();
              try (AsyncIo source = pipe.source();
                  AsyncIo sink = pipe.sink()) {
                return passed(source, sink);
              }
            });
        say("FILE", () -> writtenAndRead(folder.resolve("file")));
        say("STDIO", () -> Stdio.in().read(ByteBuffer.allocate(1)) < 0 ? "at its end" : "byte");
        say("command", () -> Command.of("echo", "ran").run().output().strip());
        say("process", () -> "exit " + Heddle.await(Processes.exitOf(started("exit 7"))));
        say("file system", () -> FileWatch.of(folder).open().toString());
        say("RAW_POLL", () -> Poll.of(0).toString());
        return null;
      });
    }

    private static String after(Duration delay) throws Exception {
      Heddle.delay(delay);
      return "fired";
    }

    private static Process started(String script) throws IOException {
      return new ProcessBuilder("sh", "-c", script).start();
    }

    private static String echoed(Listener listener, AsyncIo opened) throws IOException {
      try (AsyncIo client = opened;
          AsyncIo server = listener.accept()) {
        return passed(client, server);
      }
    }

    private static String passed(AsyncIo to, AsyncIo from) throws IOException {
      from.write(StandardCharsets.UTF_8.encode("echo\n"));
      return String.valueOf(to.readLine());
    }

    private static String sentBack() throws IOException {
      try (UdpSocket server = Udp.bind(ANY);
          UdpSocket client = Udp.connect(server.localAddress())) {
        client.write(StandardCharsets.UTF_8.encode("x"));
        ByteBuffer datagram = ByteBuffer.allocate(10);
        SocketAddress from = server.receive(datagram);
        return from.equals(client.localAddress()) ? "received" : "from " + from;
      }
    }

    private static String writtenAndRead(Path path) throws IOException {
      try (var file =
          FileIo.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        file.writeAt(StandardCharsets.UTF_8.encode("line\n"), 0);
        return String.valueOf(file.readLine());
      }
    }

    private interface Use {
      String go() throws Exception;
    }

    private static void say(String what, Use use) {
      String how;
      try {
        how = use.go();
      } catch (Exception e) {
        how = e.toString();
      }
      System.out.println(what + ": " + how);
    }
  }

  private static boolean canBeBare() throws InterruptedException {
    try {
      return new ProcessBuilder("unshare", "--map-root-user", "--mount", "sh", "-c", BARE + "true")
              .start()
              .waitFor()
          == 0;
    } catch (IOException _) {
      return false;
    }
  }

  @Test
  void everyKind_withoutProcInotifyAndNativeAccess_isServedOrRefusedWithItsReason(
      @TempDir Path folder) throws Exception {
    assumeTrue(canBeBare(), "unshare is not installed, or may not make namespaces");
    ChildJvm.Result result =
        ChildJvm.of(EveryKindProgram.class)
            .with("-Dheddle.driver=jdk", "--illegal-native-access=deny")
            .inNamespaces(BARE)
            .withArguments(folder.toString())
            .run();
    assertThat(result.output().lines())
        .contains(
            "proc: missing",
            "timer: fired",
            "thread: offloaded",
            "TCP: echo",
            "UNIX: echo",
            "UDP: received",
            "PIPE: echo",
            "FILE: line",
            "STDIO: at its end",
            "command: ran",
            "process: exit 7")
        .anySatisfy(line -> assertThat(line).startsWith("inotify: java.io.IOException"))
        .anySatisfy(line ->
            assertThat(line)
                .startsWith("file system: ")
                .contains("cannot be watched")
                .contains("fs.inotify"))
        .anySatisfy(line ->
            assertThat(line)
                .startsWith("RAW_POLL: ")
                .contains("jdk")
                .contains("--enable-native-access=ALL-UNNAMED"));
    assertThat(result.exitCode()).isZero();
  }
}
