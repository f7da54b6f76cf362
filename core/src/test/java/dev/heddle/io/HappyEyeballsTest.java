// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Attempts at the addresses of a host, in virtual time, at peers that answer as the test says.
@Tag("T14.3.1")
@Timeout(300)
class HappyEyeballsTest {
  private static final Duration DELAY = Duration.ofMillis(250);
  private static final int ROOM = 1; // connections that wait to be accepted; Linux takes one more
  private static final InetAddress A1 = address("10.0.0.1");
  private static final InetAddress A2 = address("10.0.0.2");
  private static final InetAddress A3 = address("10.0.0.3");
  private static final InetAddress B1 = address("2001:db8::1");
  private static final InetAddress B2 = address("2001:db8::2");

  /// What a peer does when it is connected to.
  @FunctionalInterface
  private interface Peer {
    void answer() throws IOException;
  }

  private final Map<InetAddress, Peer> peers = new LinkedHashMap<>();
  private final List<String> log = new ArrayList<>();
  private final List<StreamSocket> open = new ArrayList<>();
  private long start;

  private static long now() {
    return CoroutineNode.current().scheduler().nanoTime();
  }

  private static InetAddress address(String text) {
    return InetAddress.ofLiteral(text);
  }

  private static Peer after(long millis) {
    return () -> Heddle.delay(Duration.ofMillis(millis));
  }

  private static Peer refusingAfter(long millis) {
    return () -> {
      if (millis > 0) {
        Heddle.delay(Duration.ofMillis(millis));
      }
      throw new ConnectException("refused after " + millis);
    };
  }

  private static Peer silent() {
    return () -> Heddle.promise("an answer").future().await();
  }

  private StreamSocket connect() throws IOException {
    start = now();
    return HappyEyeballs.connect(
        "host.test", List.copyOf(peers.keySet()), 80, DELAY, this::attempt);
  }

  private StreamSocket attempt(InetSocketAddress to) throws IOException {
    String name = to.getAddress().getHostAddress();
    log.add(name + " at " + (now() - start) / 1_000_000);
    boolean ended = false;
    try {
      Peer peer = peers.get(to.getAddress());
      assertThat(peer).isNotNull();
      peer.answer();
      ended = true;
      return socket(name);
    } catch (IOException | RuntimeException e) {
      ended = true;
      throw e;
    } finally {
      if (!ended) {
        log.add(name + " given up");
      }
    }
  }

  /// A connection that knows only whether it is open.
  private StreamSocket socket(String name) {
    StreamSocket made =
        (StreamSocket)
            Proxy.newProxyInstance(
                StreamSocket.class.getClassLoader(),
                new Class<?>[] {StreamSocket.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "toString" -> name;
                      case "close" -> {
                        open.removeIf(one -> one == self);
                        yield null;
                      }
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    open.add(made);
    return made;
  }

  @Test
  void families_takeTurns_thatOfTheFirstAnswerFirst() {
    assertThat(HappyEyeballs.interleaved(List.of(B1, B2, A1, A2, A3)))
        .containsExactly(B1, A1, B2, A2, A3);
    assertThat(HappyEyeballs.interleaved(List.of(A1, A2, B1))).containsExactly(A1, B1, A2);
    assertThat(HappyEyeballs.interleaved(List.of(A1, A2))).containsExactly(A1, A2);
  }

  @Test
  void silentAddress_costsOneDelay() throws IOException {
    peers.put(A1, silent());
    peers.put(B1, after(10));
    peers.put(A2, after(0));
    VirtualTime.run(() -> {
      assertThat(connect()).hasToString("2001:db8:0:0:0:0:0:1");
      assertThat(now() - start).isEqualTo(Duration.ofMillis(260).toNanos());
    });
    assertThat(log)
        .containsExactly("10.0.0.1 at 0", "2001:db8:0:0:0:0:0:1 at 250", "10.0.0.1 given up");
    assertThat(open).hasSize(1);
  }

  @Test
  void slowAddress_winsOverALaterSlowerOne() {
    peers.put(A1, after(400));
    peers.put(A2, after(200));
    peers.put(A3, after(0));
    VirtualTime.run(() -> {
      assertThat(connect()).hasToString("10.0.0.1");
    });
    assertThat(log).containsExactly("10.0.0.1 at 0", "10.0.0.2 at 250", "10.0.0.2 given up");
  }

  @Test
  void refusal_letsTheNextAttemptBeginAtOnce() {
    peers.put(A1, silent());
    peers.put(A2, refusingAfter(30));
    peers.put(A3, after(0));
    VirtualTime.run(() -> {
      assertThat(connect()).hasToString("10.0.0.3");
    });
    assertThat(log)
        .containsExactly(
            "10.0.0.1 at 0", "10.0.0.2 at 250", "10.0.0.3 at 280", "10.0.0.1 given up");
  }

  @Test
  void delay_countsAnewWithEachAttempt() {
    peers.put(A1, refusingAfter(100));
    peers.put(A2, silent());
    peers.put(A3, after(0));
    VirtualTime.run(() -> {
      assertThat(connect()).hasToString("10.0.0.3");
    });
    assertThat(log)
        .containsExactly(
            "10.0.0.1 at 0", "10.0.0.2 at 100", "10.0.0.3 at 350", "10.0.0.2 given up");
  }

  @Test
  void failureOfAll_namesEachAddressAndItsReason() {
    peers.put(A1, refusingAfter(500));
    peers.put(A2, refusingAfter(0));
    peers.put(A3, refusingAfter(1));
    VirtualTime.run(() ->
        assertThatThrownBy(this::connect)
            .isInstanceOf(ConnectException.class)
            .hasMessage(
                "none of the 3 addresses of host.test:80 accepts the connection: "
                    + "refused after 0; refused after 1; refused after 500")
            .satisfies(e -> assertThat(e.getSuppressed()).hasSize(3)));
  }

  @Test
  void failureOfMany_namesTheFirstAndHasAll() {
    IntStream.rangeClosed(1, 200).forEach(i -> peers.put(address("10.0.1." + i), refusingAfter(0)));
    VirtualTime.run(() -> {
      assertThatThrownBy(this::connect)
          .hasMessageContaining("none of the 200 addresses")
          .hasMessageEndingWith("; and 192 more")
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(200));
      assertThat(now()).isEqualTo(start);
    });
  }

  @Test
  void oneAddress_failsAsItDoesAlone() {
    ConnectException alone = new ConnectException("alone");
    peers.put(
        A1,
        () -> {
          throw alone;
        });
    VirtualTime.run(() -> assertThatThrownBy(this::connect).isSameAs(alone));
  }

  @Test
  void optionThatThereIsNot_endsAllAttempts() {
    peers.put(A1, silent());
    peers.put(
        A2,
        () -> {
          throw new UnsupportedOperationException("no such option");
        });
    peers.put(A3, after(0));
    VirtualTime.run(() ->
        assertThatThrownBy(this::connect)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessage("no such option"));
    assertThat(log).containsExactly("10.0.0.1 at 0", "10.0.0.2 at 250", "10.0.0.1 given up");
  }

  @Test
  void secondOfTwoThatConnectAtOnce_isClosed() {
    VirtualTime.run(() -> {
      Promise<Boolean> answer = Heddle.promise("an answer to both");
      peers.put(A1, () -> answer.future().await());
      peers.put(A2, () -> answer.future().await());
      Heddle.background(
          "both answer",
          () -> {
            Heddle.delay(Duration.ofSeconds(1));
            answer.complete(true);
          });
      assertThat(connect()).hasToString("10.0.0.1");
    });
    assertThat(open).hasSize(1);
  }

  @Test
  void callerThatIsCancelled_givesAllAttemptsUp() {
    peers.put(A1, silent());
    peers.put(A2, silent());
    peers.put(A3, silent());
    VirtualTime.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(300), () -> connect()))
          .isInstanceOf(DeadlineException.class);
      assertThat(now() - start).isEqualTo(Duration.ofMillis(300).toNanos());
    });
    assertThat(log)
        .containsExactlyInAnyOrder(
            "10.0.0.1 at 0", "10.0.0.2 at 250", "10.0.0.1 given up", "10.0.0.2 given up");
  }

  @Test
  void connectionMadeAsTheCallerIsCancelled_isClosed() {
    VirtualTime.run(() -> {
      Promise<Boolean> answer = Heddle.promise("an answer");
      peers.put(A1, () -> answer.future().await());
      peers.put(A2, silent());
      Coroutine<StreamSocket> caller = Heddle.spawn(() -> connect());
      Heddle.delay(Duration.ofMillis(10));
      answer.complete(true); // the attempt is ready to go on
      Heddle.yieldNow(); // it has connected, and the caller is ready
      caller.cancel("enough");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
    });
    assertThat(open).isEmpty();
  }

  @Test
  void callerThatCleansUp_triesOneAfterTheOther() {
    List<Object> outcome = new ArrayList<>();
    peers.put(A1, refusingAfter(10));
    peers.put(A2, after(300));
    peers.put(A3, after(0));
    VirtualTime.run(() -> {
      Coroutine<?> caller =
          Heddle.spawn(() -> {
            try {
              Heddle.promise("never").future().await();
            } finally {
              outcome.add(connect().toString());
            }
          });
      Heddle.yieldNow();
      caller.cancel("enough");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
    });
    assertThat(outcome).containsExactly("10.0.0.2");
    assertThat(log).containsExactly("10.0.0.1 at 0", "10.0.0.2 at 10");
  }

  @Test
  void callerThatCleansUpBehindItsDeadline_connects() {
    List<Object> outcome = new ArrayList<>();
    peers.put(A1, refusingAfter(10));
    peers.put(A2, after(300));
    VirtualTime.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(5),
                    () -> {
                      try {
                        Heddle.promise("never").future().await();
                      } finally {
                        outcome.add(connect().toString());
                      }
                    }))
            .isInstanceOf(DeadlineException.class));
    assertThat(outcome).containsExactly("10.0.0.2");
  }

  // ---- by name, on real sockets ----

  /// Connects until the system answers nobody any more: never to as few as it has room for, whom it
  /// may answer late.
  private static List<Socket> filled(ServerSocket full) throws IOException {
    List<Socket> inLine = new ArrayList<>();
    SocketChannel next;
    do {
      next = SocketChannel.open();
      next.configureBlocking(false);
      next.connect(full.getLocalSocketAddress());
      inLine.add(next.socket());
    } while (isConnected(next) || inLine.size() <= ROOM + 1);
    return inLine;
  }

  private static boolean isConnected(SocketChannel channel) throws IOException {
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_CONNECT);
      return selector.select(200) > 0 && channel.finishConnect();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // 127.0.0.2 is there, and descriptors can be counted
  void attemptsThatLose_leaveNoDescriptor() throws IOException {
    List<InetAddress> hosts =
        Stream.of("127.0.0.1", "127.0.0.2", "127.0.0.3").map(InetAddress::ofLiteral).toList();
    try (Socket refusing = new Socket();
        ServerSocket full = new ServerSocket();
        ServerSocket good = new ServerSocket()) {
      refusing.bind(new InetSocketAddress(hosts.get(0), 0)); // nobody else may listen there
      full.bind(new InetSocketAddress(hosts.get(1), refusing.getLocalPort()), ROOM);
      good.bind(new InetSocketAddress(hosts.get(2), refusing.getLocalPort()), 500);
      List<Socket> inLine = filled(full);
      Heddle.run(() -> {
        TcpOptions options = TcpOptions.defaults();
        connectAndClose(hosts, good.getLocalPort(), options); // opens what the loop keeps
        long before = sockets();
        for (int i = 0; i < 20; i++) {
          connectAndClose(hosts, good.getLocalPort(), options);
          assertThatThrownBy(() ->
                  Heddle.withTimeout(
                      Duration.ofMillis(20),
                      () -> connectAndClose(hosts.subList(0, 2), good.getLocalPort(), options)))
              .isInstanceOf(DeadlineException.class);
        }
        while (sockets() > before) {
          Heddle.delay(Duration.ofMillis(1)); // a driver closes some a moment later
        }
      });
      for (Socket socket : inLine) {
        socket.close();
      }
    }
  }

  private static void connectAndClose(List<InetAddress> hosts, int port, TcpOptions options)
      throws IOException {
    HappyEyeballs.connect(
            "host.test", hosts, port, Duration.ofMillis(10), to -> Tcp.connect(to, options))
        .close();
  }

  private static long sockets() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(HappyEyeballsTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path link) {
    try {
      return Files.readSymbolicLink(link).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Test
  void nameOfAHost_connectsToWhicheverAddressListens() {
    Heddle.run(() -> {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (Server server = Tcp.serve(any, client -> client.transferTo(client))) {
        int port = ((InetSocketAddress) server.address()).getPort();
        for (String host : List.of("localhost", "127.0.0.1")) {
          try (StreamSocket client = Tcp.connect(host, port)) {
            assertThat(client.remoteAddress()).isEqualTo(server.address());
          }
        }
      }
    });
  }

  @Test
  void portThatThereIsNot_isRefusedBeforeALookUp() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Tcp.connect("no.such.host.invalid", 65_536))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("65536"));
  }

  @Test
  void attemptsFromALocalAddress_areOfItsFamily() throws UnknownHostException {
    TcpOptions options = TcpOptions.defaults();
    List<InetAddress> known = List.of(B1, A1, B2);
    assertThat(options.ofLocalFamily(known)).isEqualTo(known);
    assertThat(options.withLocalAddress(new InetSocketAddress(A2, 0)).ofLocalFamily(known))
        .containsExactly(A1);
    assertThat(options.withLocalAddress(new InetSocketAddress(A2, 0)).ofLocalFamily(List.of(B1)))
        .containsExactly(B1);
  }

  @Test
  void delayBelowThatOfTheRfc_isRefused() {
    assertThatThrownBy(() -> TcpOptions.defaults().withConnectionAttemptDelay(Duration.ofMillis(9)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RFC 8305");
    assertThat(TcpOptions.defaults().withConnectionAttemptDelay(Duration.ofMillis(10)))
        .hasToString("backlog 1024, attempts PT0.01S apart, {}");
  }
}
