// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.Adopt;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.DatagramSocket;
import dev.heddle.io.DescriptorTypeException;
import dev.heddle.io.Listener;
import dev.heddle.io.PeerCredentials;
import dev.heddle.io.Pipe;
import dev.heddle.io.ReceivedDescriptors;
import dev.heddle.io.Server;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Unix;
import dev.heddle.io.UnixAbstractAddress;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of the documentation on UNIX sockets and sockets of others; on each driver, where
/// it has them.
class UnixSnippetsTest {
  private static void assumeServed(Capability capability) {
    Support support =
        Heddle.run(() ->
            CoroutineNode.current().scheduler().reactor().driver().capabilities().get(capability));
    assumeTrue(
        support != null && support.level() != Support.Level.UNSUPPORTED,
        "the driver has no " + capability + ": its example is not run");
  }

  @Test
  void datagram(@TempDir Path folder) {
    assumeServed(Capability.UNIX_DATAGRAM);
    Path path = folder.resolve("log");
    String line =
        Heddle.run(() -> {
          // @start region=datagram
          try (DatagramSocket server = Unix.bindDatagram(path);
              DatagramSocket client = Unix.openDatagram()) {
            client.send(StandardCharsets.UTF_8.encode("one line"), server.localAddress());
            ByteBuffer datagram = ByteBuffer.allocate(1_024);
            server.receive(datagram);
            return StandardCharsets.UTF_8.decode(datagram.flip()).toString();
          }
          // @end
        });
    assertThat(line).isEqualTo("one line");
  }

  @Test
  void abstractName(@TempDir Path folder) {
    assumeServed(Capability.ABSTRACT_ADDRESS);
    String unique = "heddle-" + folder.getFileName();
    Heddle.run(() -> {
      // @start region=abstract
      UnixAbstractAddress name = UnixAbstractAddress.of(unique);
      try (Listener listener = Unix.listen(name);
          StreamSocket client = Unix.connect(name);
          StreamSocket server = listener.accept()) {
        client.write(StandardCharsets.UTF_8.encode("hello\n"));
        assertThat(server.readLine()).isEqualTo("hello");
      }
      // @end
    });
  }

  @Test
  void peer(@TempDir Path folder) {
    assumeServed(Capability.PEER_CREDENTIALS);
    List<Integer> served = new ArrayList<>();
    Heddle.run(() -> {
      Path path = folder.resolve("socket");
      try (Listener listener = Unix.listen(path);
          StreamSocket client = Unix.connect(path);
          StreamSocket server = listener.accept()) {
        // @start region=peer
        PeerCredentials peer = Unix.peerCredentials(server);
        if (peer.uid() != 0) { // root may do this anyway
          server.write(StandardCharsets.UTF_8.encode("hello, process " + peer.pid() + "\n"));
        }
        // @end
        served.add(peer.pid());
        assertThat(client.isOpen()).isTrue();
      }
    });
    assertThat(served).containsExactly((int) ProcessHandle.current().pid());
  }

  @Test
  void kind() {
    // what is not open is of no kind, and the JDK's driver adopts no descriptors
    assertThatThrownBy(() -> Heddle.run(() -> adopted(-1)))
        .isInstanceOfAny(CoroutineException.class, UnsupportedOperationException.class);
  }

  private static AsyncIo adopted(int number) throws IOException {
    // @start region=kind
    try {
      return Adopt.socket(number);
    } catch (DescriptorTypeException e) { // it is no stream socket, and still open
      return Adopt.pipe(number);
    }
    // @end
  }

  @Test
  void passing(@TempDir Path folder) {
    assumeServed(Capability.DESCRIPTOR_PASSING);
    Path path = folder.resolve("socket");
    Heddle.run(() -> {
      try (Listener listener = Unix.listen(path);
          StreamSocket one = Unix.connect(path);
          StreamSocket other = listener.accept();
          Pipe pipe = Pipe.open()) {
        // @start region=passing
        Unix.sendDescriptors(one, StandardCharsets.UTF_8.encode("log"), pipe.sink());
        // over there
        ByteBuffer what = ByteBuffer.allocate(64);
        try (ReceivedDescriptors received = Unix.receiveDescriptors(other, what, 1);
            var log = received.takePipe(0)) {
          log.write(StandardCharsets.UTF_8.encode("hello\n"));
        }
        // @end
        assertThat(pipe.source().readLine()).isEqualTo("hello");
      }
    });
  }

  @Test
  void adopt() throws Exception {
    ServerSocketChannel channel = ServerSocketChannel.open();
    channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Heddle.run(() -> {
      // @start region=adopt
      try (Server server =
          Server.start(Adopt.listener(channel), ServerOptions.defaults(), c -> c.transferTo(c))) {
        // systemd's: with the unit's FileDescriptorName=, or "unknown"
        Map<String, List<Listener>> inherited = Adopt.inheritedListeners();
        assertThat(inherited).isEmpty();
        assertThat(server.isAccepting()).isTrue();
      }
      // @end
    });
    assertThat(channel.isOpen()).isFalse();
  }
}
