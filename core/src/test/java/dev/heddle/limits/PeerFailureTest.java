// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Peers that vanish, refuse or are cut off: each ends in a clear error, and in no hang.
@Tag("T14")
@Tag("trap-31")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PeerFailureTest {
  /// Runs with a connection; failures of coroutines stay with them.
  private static void withConnection(ConnectionBody body) {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Connections connection = Connections.open();
          body.run(connection);
          connection.peer().close();
          return null;
        }));
  }

  @FunctionalInterface
  private interface ConnectionBody {
    void run(Connections connection) throws Exception;
  }

  private static Coroutine<Boolean> suspended(Action action) {
    Coroutine<Boolean> waiting =
        Heddle.spawn(() -> {
          action.run();
          return true;
        });
    Connections.until(waiting::isSuspended);
    return waiting;
  }

  @Test
  void peerKilled_underAParkedReader_failsTheRead() {
    withConnection(connection -> {
      Coroutine<Boolean> reader = suspended(() -> connection.read(1));
      connection.kill();
      assertThatThrownBy(reader::await)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("reset");
    });
  }

  @Test
  void peerKilled_beforeTheRead_failsTheRead() {
    withConnection(connection -> {
      connection.kill();
      assertThatThrownBy(() -> connection.read(1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("reset");
    });
  }

  @Test
  void peerKilled_underAWriterOnAFullBuffer_wakesAndFailsTheWrite() {
    withConnection(connection -> {
      Coroutine<Boolean> writer = suspended(connection::writeForEver);
      connection.kill();
      assertThatThrownBy(writer::await)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageMatching(".*(reset|Broken pipe).*");
    });
  }

  @Test
  void peerClosed_inOrder_endsTheStream() {
    withConnection(connection -> {
      connection.send("ab");
      connection.peer().shutdownOutput();
      assertThat(connection.read(8)).isEqualTo("ab");
      assertThat(connection.ours().read(ByteBuffer.allocate(8))).isEqualTo(-1);
    });
  }

  @Test
  void peerKilled_amongOthers_leavesTheListenerAndTheOthersAlone() {
    withConnection(first -> {
      Connections second = Connections.open();
      Coroutine<Boolean> victim = suspended(() -> first.read(1));
      Coroutine<String> other = Heddle.spawn(() -> second.read(8));
      first.kill();
      assertThatThrownBy(victim::await).hasCauseInstanceOf(IOException.class);
      second.send("still here");
      assertThat(other.await()).isEqualTo("still he");
      second.peer().close();
    });
  }

  @Test
  void connect_toAPortWithoutAListener_isRefusedNamingTheAddress() {
    Heddle.run(() -> {
      SocketAddress address = Connections.refusing();
      assertThatThrownBy(() -> Tcp.connect(address))
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining(address.toString())
          .hasMessageContaining("refused");
    });
  }

  @Test
  void connect_toAnUnresolvedName_saysWhichName() {
    Heddle.run(() ->
        assertThatThrownBy(
                () -> Tcp.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
            .isInstanceOf(UnknownHostException.class)
            .hasMessageContaining("nowhere.invalid"));
  }

  @Test
  void listen_onATakenPort_throwsBindException() {
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(Connections.ANY_PORT)) {
        assertThatThrownBy(() -> Tcp.listen(listener.localAddress()))
            .isInstanceOf(BindException.class);
      }
    });
  }

  @Test
  void close_underAParkedReader_throwsAsynchronousCloseThere() {
    withConnection(connection -> {
      Coroutine<Boolean> reader = suspended(() -> connection.read(1));
      connection.ours().close();
      assertThatThrownBy(reader::await).hasCauseInstanceOf(AsynchronousCloseException.class);
    });
  }

  @Test
  void close_underAParkedWriter_throwsAsynchronousCloseThere() {
    withConnection(connection -> {
      Coroutine<Boolean> writer = suspended(connection::writeForEver);
      connection.ours().close();
      assertThatThrownBy(writer::await).hasCauseInstanceOf(AsynchronousCloseException.class);
    });
  }

  @Test
  void close_underSeveralParkedReaders_endsThemAll() {
    withConnection(connection -> {
      Coroutine<Boolean> first = suspended(() -> connection.read(1));
      Coroutine<Boolean> second = suspended(() -> connection.read(1));
      Coroutine<Boolean> third = suspended(() -> connection.read(1));
      connection.ours().close();
      for (Coroutine<Boolean> reader : List.of(first, second, third)) {
        assertThatThrownBy(reader::await).hasCauseInstanceOf(ClosedChannelException.class);
      }
    });
  }

  @Test
  void close_underAParkedAccept_throwsAsynchronousCloseThere() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          Listener listener = Tcp.listen(Connections.ANY_PORT);
          Coroutine<Boolean> acceptor = suspended(() -> listener.accept().close());
          listener.close();
          assertThatThrownBy(acceptor::await).hasCauseInstanceOf(AsynchronousCloseException.class);
          assertThatThrownBy(listener::accept).isInstanceOf(ClosedChannelException.class);
          return null;
        }));
  }

  @Test
  void call_onAClosedConnection_throwsClosedChannel() {
    withConnection(connection -> {
      AsyncIo ours = connection.ours();
      ours.close();
      ours.close();
      assertThat(ours.isOpen()).isFalse();
      assertThatThrownBy(() -> ours.read(ByteBuffer.allocate(1)))
          .isInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(() -> ours.write(ByteBuffer.allocate(1)))
          .isInstanceOf(ClosedChannelException.class);
    });
  }
}
