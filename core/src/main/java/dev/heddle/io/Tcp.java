// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Opens TCP connections and listeners on the current loop.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=tcp}
///
/// @since 0.1
public final class Tcp {
  private static final int BACKLOG = 1_024; // connections the system keeps while nobody accepts

  private Tcp() {}

  /// Listens on an address; port 0 lets the system choose. **Suspends** never.
  ///
  /// @throws BindException when the address is taken or not ours; the message names it
  /// @throws IOException when the system refuses otherwise
  public static Listener listen(SocketAddress address) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(resolved(address), BACKLOG);
      channel.configureBlocking(false);
      return new TcpListener(scheduler, channel);
    } catch (BindException e) {
      Channels.close(channel);
      BindException named = new BindException(address + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    } catch (IOException | RuntimeException e) {
      Channels.close(channel);
      throw e;
    }
  }

  /// Connects to an address. **Suspends** until the other side has answered. **Cancelled** the
  /// attempt is given up.
  ///
  /// @throws ConnectException when the other side refuses; the message names the address
  /// @throws UnknownHostException when the address was not resolved
  /// @throws IOException when the system refuses otherwise
  public static AsyncIo connect(SocketAddress address) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    SocketAddress remote = resolved(address);
    SocketChannel channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      TcpStream stream = new TcpStream(scheduler, channel, "the connection to " + address);
      stream.finishConnect(remote);
      return stream;
    } catch (ConnectException e) {
      ConnectException named = new ConnectException(address + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    } catch (IOException | RuntimeException e) {
      Channels.close(channel);
      throw e;
    }
  }

  private static SocketAddress resolved(SocketAddress address) throws UnknownHostException {
    if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
      throw new UnknownHostException(inet.getHostString());
    }
    return address;
  }
}
