// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.conformance.RawUnixPeer;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sockets that the process which starts this one has opened, as systemd hands them over.
@Tag("T14.4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InheritedSocketsTest {
  private static final int BROKEN = 6;

  @TempDir Path folder;

  private static Map<String, String> environment(String count, String pid, String names) {
    return Map.of("LISTEN_FDS", count, "LISTEN_PID", pid, "LISTEN_FDNAMES", names);
  }

  @Test
  void names_areThoseOfTheManager_orUnknown() throws IOException {
    assertThat(InheritedSockets.names(environment("3", "7", "http:admin:http"), 7))
        .containsExactly("http", "admin", "http");
    assertThat(InheritedSockets.names(environment("3", "7", "http"), 7))
        .containsExactly("http", "unknown", "unknown");
    assertThat(InheritedSockets.names(Map.of("LISTEN_FDS", "1", "LISTEN_PID", "7"), 7))
        .containsExactly("unknown");
  }

  @Test
  void sockets_ofAnotherProcess_areNotTaken() throws IOException {
    assertThat(InheritedSockets.names(environment("3", "8", "a"), 7)).isEmpty();
    assertThat(InheritedSockets.names(Map.of("LISTEN_FDS", "1"), 7)).isEmpty();
    assertThat(InheritedSockets.names(Map.of(), 7)).isEmpty();
    Heddle.run(() -> assertThat(Adopt.inheritedListeners()).isEmpty());
  }

  @Test
  void environment_thatIsNoNumber_isNamed() {
    assertThatThrownBy(() -> InheritedSockets.names(environment("two", "7", ""), 7))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("LISTEN_FDS=two");
    assertThatThrownBy(() -> InheritedSockets.names(environment("1", "me", ""), 7))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("LISTEN_PID=me");
    assertThatThrownBy(() -> InheritedSockets.names(environment("9999999999", "7", ""), 7))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("LISTEN_FDS=9999999999");
  }

  private static boolean isServed() {
    Support support =
        Heddle.run(() ->
            CoroutineNode.current()
                .scheduler()
                .reactor()
                .driver()
                .capabilities()
                .get(Capability.ADOPTED_DESCRIPTOR));
    return support != null && support.level() != Support.Level.UNSUPPORTED;
  }

  @Test
  void wrongNumbers_areRefused_sayingWhatTheyAre() {
    if (!isServed()) {
      Heddle.run(() -> {
        assertThatThrownBy(() -> Adopt.listener(3))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("ADOPTED_DESCRIPTOR: ");
        assertThatThrownBy(() -> Adopt.socket(3)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Adopt.pipe(3)).isInstanceOf(UnsupportedOperationException.class);
      });
      return;
    }
    Heddle.run(() -> {
      assertThatThrownBy(() -> Adopt.listener(-1))
          .hasMessageContaining("descriptor -1 is not a socket: Bad file descriptor");
      assertThatThrownBy(() -> Adopt.socket(1_000_000))
          .hasMessageContaining("descriptor 1000000 is not a socket: Bad file descriptor");
      assertThatThrownBy(() -> Adopt.pipe(1_000_000))
          .hasMessageContaining("is not an end of a pipe");
    });
  }

  /// Of the numbers that it is asked for, the loop's driver serves those that `listening` has.
  private static ReactorDriver driver(ReactorDriver loops, List<Integer> listening) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          if (method.getName().equals("release")) {
            ((Descriptor) arguments[0]).close(); // it is no other process's
            return null;
          }
          if (!method.getName().equals("adoptListener") || !(arguments[0] instanceof Integer n)) {
            return method.invoke(loops, arguments);
          }
          if (!listening.contains(n)) {
            throw n == BROKEN
                ? new SocketException("descriptor " + n + " is not open")
                : new DescriptorTypeException("descriptor " + n + " is for datagrams");
          }
          ListenerDescriptor listener = loops.openListener(StandardProtocolFamily.INET6);
          listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
          return listener;
        };
    return (ReactorDriver)
        Proxy.newProxyInstance(
            ReactorDriver.class.getClassLoader(), new Class<?>[] {ReactorDriver.class}, handler);
  }

  @Test
  void socketThatDoesNotListen_keepsNoClientFromTheOthers() {
    Heddle.run(() -> {
      ReactorDriver loops = CoroutineNode.current().scheduler().reactor().driver();
      Map<String, String> environment = environment("3", "7", "web:log:web");
      try {
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(() -> InheritedSockets.take(driver(loops, List.of()), environment, 7))
              .isInstanceOf(IOException.class)
              .hasMessage("the inherited socket 'web': descriptor 3 is for datagrams");
        }
        ReactorDriver two = driver(loops, List.of(3, 5));
        Map<String, List<Listener>> all = InheritedSockets.take(two, environment, 7);
        assertThat(all).containsOnlyKeys("web");
        assertThat(all.get("web")).hasSize(2);
        assertThatThrownBy(() -> InheritedSockets.take(two, environment, 7))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("already adopted");
        for (Listener listener : all.get("web")) {
          listener.close();
        }
      } finally {
        InheritedSockets.TAKEN.set(false);
      }
    });
  }

  /// One that the manager had not opened, or that did not listen by mistake, was left out silently.
  @Test
  void numberThatIsBroken_isReported_alsoBesideOthersThatListen() {
    Heddle.run(() -> {
      ReactorDriver loops = CoroutineNode.current().scheduler().reactor().driver();
      Map<String, String> environment = environment("4", "7", "web:log:web:admin");
      for (int i = 0; i < 2; i++) { // what was adopted is there again
        assertThatThrownBy(
                () -> InheritedSockets.take(driver(loops, List.of(3, 5)), environment, 7))
            .isInstanceOf(IOException.class)
            .hasMessage("the inherited socket 'admin': descriptor 6 is not open");
      }
      assertThat(InheritedSockets.TAKEN).isFalse();
    });
  }

  @Test
  void whatIsNoListener_isOfAnotherKindOrBroken() {
    assumeTrue(isServed(), "the driver adopts no numbers");
    Heddle.run(() -> {
      int[] pipe = new int[2];
      int _ = LinuxCalls.pipe(pipe);
      try (var _ = Unix.listen(folder.resolve("socket"));
          RawUnixPeer peer = RawUnixPeer.to(folder.resolve("socket"))) {
        assertThatThrownBy(() -> Adopt.listener(pipe[0]))
            .isInstanceOf(DescriptorTypeException.class);
        assertThatThrownBy(() -> Adopt.listener(peer.number()))
            .isInstanceOf(DescriptorTypeException.class)
            .hasMessageContaining("does not listen: it is a connection");
      } finally {
        LinuxCalls.close(pipe[0]);
        LinuxCalls.close(pipe[1]);
      }
      try (RawUnixPeer deaf = RawUnixPeer.to(null)) {
        assertThatThrownBy(() -> Adopt.listener(deaf.number()))
            .isExactlyInstanceOf(SocketException.class)
            .hasMessageContaining("does not listen");
      }
      assertThatThrownBy(() -> Adopt.listener(-1)).isExactlyInstanceOf(SocketException.class);
    });
  }

  /// The whole way: a process opens sockets, and becomes a JVM that serves them.
  @Test
  void listeners_thatAParentHasOpened_areServedByName_besideASocketForDatagrams() throws Exception {
    assumeTrue(isServed(), "the driver adopts no numbers: the hand-over is not proved with it");
    assumeTrue(
        System.getProperty("os.name").startsWith("Linux"),
        "the parent is written for Linux: the hand-over is not proved here");
    Process process =
        SocketActivation.start(folder.resolve("socket"), System.getProperty("heddle.driver"));
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
      assertThat(output.lines().filter(l -> l.startsWith("> ")).toList())
          .as(output)
          .isEqualTo(
              List.of(
                  "> names [web, admin]",
                  "> left: descriptor 5 is a socket of another type than a stream: 2",
                  "> web answers tcp",
                  "> admin answers unix",
                  "> again: the inherited sockets were already adopted; pass the listeners on"));
    } finally {
      process.destroyForcibly();
    }
  }
}
