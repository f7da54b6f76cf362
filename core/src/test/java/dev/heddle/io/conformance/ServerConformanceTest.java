// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.ConnectionHandler;
import dev.heddle.io.Listener;
import dev.heddle.io.Server;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Tls;
import dev.heddle.io.Unix;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What a server does with connections, with those that fail, and at its end, on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerConformanceTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final Pattern MORE =
      Pattern.compile("(\\d+) more (like it before|failures of a server)");
  private static final ConnectionHandler<AsyncIo> ECHO = client -> client.transferTo(client);

  @TempDir Path folder;
  private final String driver;

  ServerConformanceTest(String driver) {
    this.driver = driver;
  }

  private void run(Action program) {
    Cell.run(driver, program);
  }

  /// Where nobody else listens when the server does not any more.
  private static InetSocketAddress portOfOurs() throws IOException {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), TestPorts.next());
  }

  private static StreamSocket connect(Server server) throws IOException {
    return Tcp.connect(server.address());
  }

  private static String ask(AsyncIo client, String line) throws IOException {
    client.write(StandardCharsets.UTF_8.encode(line + "\n"));
    return client.readLine();
  }

  private static boolean isCutOff(StreamSocket client) {
    try {
      return client.read(ByteBuffer.allocate(1)) < 0;
    } catch (IOException _) {
      return true; // reset
    }
  }

  private static void readToTheEnd(StreamSocket client) {
    while (!isCutOff(client)) {
      // more
    }
  }

  private static void awaitConnections(Server server, int number) {
    while (server.connections() != number) {
      Heddle.delay(Duration.ofMillis(1));
    }
  }

  @Test
  void clients_ofAServer_areServedAtTheSameTime() {
    run(() -> {
      try (Server server = Tcp.serve(ANY, ECHO);
          StreamSocket one = connect(server);
          StreamSocket two = connect(server)) {
        assertThat(ask(two, "two")).isEqualTo("two");
        assertThat(ask(one, "one")).isEqualTo("one");
        assertThat(server.connections()).isEqualTo(2);
      }
    });
  }

  @Test
  void clients_ofAUnixServer_areServed() {
    Path path = folder.resolve("server");
    run(() -> {
      try (Server server = Unix.serve(path, ECHO);
          StreamSocket client = Unix.connect(path)) {
        assertThat(ask(client, "by a path")).isEqualTo("by a path");
        assertThat(server.isAccepting()).isTrue();
      }
    });
  }

  /// One that speaks no TLS harms nobody else.
  @Test
  void clients_ofATlsServer_areServed() {
    run(() -> {
      try (Server server = Tls.serve(ANY, Certificates.SERVER, ECHO);
          StreamSocket plain = connect(server);
          AsyncIo secure = Tls.client(connect(server), "localhost", 1, Certificates.CLIENT)) {
        plain.write(StandardCharsets.UTF_8.encode("GET / HTTP/1.0\r\n\r\n"));
        assertThat(ask(secure, "secret")).isEqualTo("secret");
        readToTheEnd(plain); // an alert, perhaps
      }
    });
  }

  // ---- who fails ----

  @Test
  void client_thatResetsItsConnection_endsNeitherServerNorProgram() {
    run(() -> {
      try (Server server = Tcp.serve(ANY, ECHO);
          StreamSocket stays = connect(server)) {
        StreamSocket resets = connect(server);
        assertThat(ask(resets, "short")).isEqualTo("short");
        resets.setOption(StandardSocketOptions.SO_LINGER, 0);
        resets.close();
        while (server.connections() > 1) {
          Heddle.delay(Duration.ofMillis(1));
        }
        assertThat(ask(stays, "still here")).isEqualTo("still here");
      }
    });
  }

  @Test
  void handler_thatThrows_endsItsConnectionOnly() {
    List<Throwable> failures =
        List.of(new IllegalStateException("a"), new IOException("b"), new StackOverflowError("c"));
    run(() -> {
      List<Throwable> left = new ArrayList<>(failures);
      ConnectionHandler<StreamSocket> failing =
          client -> {
            client.readLine();
            throw raised(left.removeFirst());
          };
      try (Server server = Tcp.serve(ANY, failing)) {
        for (Throwable _ : failures) {
          try (StreamSocket client = connect(server)) {
            client.write(StandardCharsets.UTF_8.encode("fail\n"));
            assertThat(isCutOff(client)).isTrue();
          }
        }
        assertThat(server.isAccepting()).isTrue();
      }
    });
  }

  private static Exception raised(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return (Exception) failure;
  }

  /// What it has spawned is its connection's.
  @Test
  void memberOfAHandler_thatFails_endsItsConnectionOnly() {
    run(() -> {
      ConnectionHandler<StreamSocket> withMember =
          client -> {
            Heddle.launch(
                "member",
                () -> {
                  throw new IllegalStateException("the member's");
                });
            client.transferTo(client);
          };
      try (Server server = Tcp.serve(ANY, withMember);
          StreamSocket client = connect(server);
          StreamSocket other = connect(server)) {
        assertThat(isCutOff(client)).isTrue();
        assertThat(isCutOff(other)).isTrue();
        assertThat(server.isAccepting()).isTrue();
      }
    });
  }

  /// Once a minute: twice by a machine that needs longer.
  @Test
  void handlers_thatFailAtOnePlace_areLoggedOnce_andCounted() {
    long began = System.nanoTime();
    List<String> said = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("dev.heddle");
    Filter before = logger.getFilter();
    logger.setFilter(entry -> !said.add(entry.getMessage()));
    try {
      run(() -> failTimes(5));
      AsyncLog.shared().flush();
    } finally {
      logger.setFilter(before);
    }
    long minutes = Duration.ofNanos(System.nanoTime() - began).toMinutes();
    long logged = said.stream().filter(line -> line.startsWith("while serving")).count();
    assertThat(logged).as("%s", said).isBetween(1L, 1 + minutes);
    assertThat(logged + said.stream().mapToLong(ServerConformanceTest::counted).sum())
        .as("%s", said)
        .isEqualTo(5);
  }

  private static long counted(String line) {
    Matcher more = MORE.matcher(line);
    return more.find() ? Long.parseLong(more.group(1)) : 0;
  }

  private static void failTimes(int times) throws IOException {
    ConnectionHandler<StreamSocket> failing =
        _ -> {
          throw new IOException("as always");
        };
    try (Server server = Tcp.serve(ANY, failing)) {
      for (int i = 0; i < times; i++) {
        try (StreamSocket client = connect(server)) {
          isCutOff(client);
        }
      }
      awaitConnections(server, 0);
    }
  }

  /// It would come for each connection.
  @Test
  void listener_thatFailsOtherThanTheSystem_failsTheServer() {
    run(() -> {
      Server server = Server.start(new Unfit(Tcp.listen(ANY)), ServerOptions.defaults(), ECHO);
      assertThatThrownBy(server::join).isInstanceOf(UnsupportedOperationException.class);
      assertThat(server.isAccepting()).isFalse();
    });
  }

  /// Listens with an option that does not fit what it accepts.
  private record Unfit(Listener listener) implements Listener {
    @Override
    public StreamSocket accept() {
      throw new UnsupportedOperationException("an option");
    }

    @Override
    public SocketAddress localAddress() {
      return listener.localAddress();
    }

    @Override
    public boolean isOpen() {
      return listener.isOpen();
    }

    @Override
    public void close() {
      listener.close();
    }
  }

  // ---- the bound ----

  @Test
  void connections_beyondTheBound_waitUntilOneHasEnded() {
    run(() -> {
      try (Server server = Tcp.serve(ANY, ServerOptions.defaults().withMaxConnections(2), ECHO)) {
        StreamSocket one = connect(server);
        StreamSocket two = connect(server);
        assertThat(ask(one, "one") + ask(two, "two")).isEqualTo("onetwo");
        StreamSocket three = connect(server);
        Coroutine<String> third = suspended(() -> ask(three, "three"));
        assertThat(ask(one, "again")).isEqualTo("again"); // the loop has looked since
        assertThat(server.connections()).isEqualTo(2);
        assertThat(third.isDone()).isFalse();
        two.close();
        assertThat(third.await()).isEqualTo("three");
        assertThat(server.connections()).isEqualTo(2);
        one.close();
        three.close();
      }
    });
  }

  @Test
  void drain_atTheBound_endsAllTheSame() {
    run(() -> {
      Server server = Tcp.serve(ANY, ServerOptions.defaults().withMaxConnections(1), ECHO);
      StreamSocket client = connect(server);
      assertThat(ask(client, "one")).isEqualTo("one");
      Coroutine<Boolean> draining = suspended(() -> server.drain(Deadline.never()));
      client.close();
      assertThat(draining.await()).isTrue();
    });
  }

  // ---- the end ----

  @Test
  void drain_letsHandlersEnd_andRefusesWhoComes() {
    run(() -> {
      Server server = Tcp.serve(portOfOurs(), ECHO);
      StreamSocket client = connect(server);
      assertThat(ask(client, "before")).isEqualTo("before");
      Coroutine<Boolean> draining =
          suspended(() -> server.drain(Deadline.after(Duration.ofHours(1))));
      assertThat(ask(client, "meanwhile")).isEqualTo("meanwhile");
      assertThatThrownBy(() -> connect(server)).isInstanceOf(ConnectException.class);
      client.shutdownOutput();
      assertThat(draining.await()).isTrue();
      assertThat(isCutOff(client)).isTrue();
      server.join(); // it has ended
      client.close();
    });
  }

  @Test
  void drain_pastItsDeadline_cancelsHandlersAndAwaitsThem() {
    run(() -> {
      List<String> ends = new ArrayList<>();
      ConnectionHandler<StreamSocket> slow =
          client -> {
            try {
              client.transferTo(client);
            } catch (Cancellation e) {
              Heddle.shield(Heddle::yieldNow);
              ends.add("cleaned up");
              throw e;
            }
          };
      Server server = Tcp.serve(ANY, slow);
      try (StreamSocket client = connect(server)) {
        assertThat(ask(client, "one")).isEqualTo("one");
        Heddle.background("a drain that waits on would return", () -> endAfterAWhile(client));
        assertThat(server.drain(Deadline.after(Duration.ofMillis(1)))).isFalse();
        assertThat(ends).containsExactly("cleaned up");
        assertThat(server.connections()).isZero();
        assertThat(isCutOff(client)).isTrue();
      }
    });
  }

  private static void endAfterAWhile(StreamSocket client) throws IOException {
    Heddle.delay(Duration.ofSeconds(5));
    client.shutdownOutput();
  }

  /// So a drain does not wait for those who are connected, and silent.
  @Test
  void drain_endsWaitsThatItsTokenBounds() {
    run(() -> {
      Promise<Server> started = Heddle.promise();
      ConnectionHandler<StreamSocket> untilDrained =
          client -> {
            Server server = started.future().await();
            try {
              Heddle.cancelWhen(server.draining(), client::readLine);
            } catch (WaitCancelledException _) {
              client.write(StandardCharsets.UTF_8.encode("bye\n"));
            }
          };
      Server server = Tcp.serve(ANY, untilDrained);
      started.complete(server);
      try (StreamSocket idle = connect(server)) {
        awaitConnections(server, 1);
        assertThat(server.drain(Deadline.never())).isTrue();
        assertThat(idle.readLine()).isEqualTo("bye");
      }
    });
  }

  @Test
  void close_cancelsHandlers_andGivesTheAddressBack() {
    run(() -> {
      Server server = Tcp.serve(portOfOurs(), ECHO);
      try (StreamSocket client = connect(server)) {
        assertThat(ask(client, "one")).isEqualTo("one");
        Coroutine<Void> joining =
            suspended(() -> {
              server.join();
              return null;
            });
        server.close();
        server.close();
        joining.await();
        assertThat(isCutOff(client)).isTrue();
        try (Server next = Tcp.serve(server.address(), ECHO)) {
          assertThat(next.address()).isEqualTo(server.address());
        }
      }
    });
  }

  /// Its coroutine is cancelled before it runs, and nobody else would close it.
  @Test
  void close_closesAConnectionThatIsNotServedYet() {
    run(() -> {
      Server server = Tcp.serve(ANY, ECHO);
      try (StreamSocket client = connect(server)) {
        while (server.connections() == 0) {
          Heddle.yieldNow();
        }
        server.close();
        assertThat(server.connections()).isZero();
        assertThat(isCutOff(client)).isTrue();
      }
    });
  }

  @Test
  void close_inAHandler_stopsAccepting_andIsRefused() {
    run(() -> {
      Promise<Server> started = Heddle.promise();
      Promise<Throwable> refused = Heddle.promise();
      Server server =
          Tcp.serve(
              ANY,
              _ -> {
                try {
                  started.future().await().close();
                } catch (IllegalStateException e) {
                  refused.complete(e);
                }
              });
      started.complete(server);
      connect(server).close();
      assertThat(refused.future().await()).hasMessageContaining("would wait for");
      assertThat(server.isAccepting()).isFalse();
      server.close();
    });
  }

  @Test
  void scope_inWhichAServerWasStarted_endsWithTheServer() {
    run(() -> {
      Promise<Server> started = Heddle.promise();
      Coroutine<?> scope =
          suspended(() -> {
            Heddle.scope(() -> started.complete(Tcp.serve(ANY, ECHO)));
            return null;
          });
      Server server = started.future().await();
      try (StreamSocket client = connect(server)) {
        assertThat(ask(client, "served on")).isEqualTo("served on");
        scope.cancel("enough");
        assertThat(isCutOff(client)).isTrue();
        server.join();
      }
    });
  }
}
