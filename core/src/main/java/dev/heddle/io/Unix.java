// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.DatagramHandle;
import dev.heddle.io.handle.HasFileDescriptor;
import dev.heddle.io.handle.SocketHandle;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Opens UNIX domain sockets on the current loop: connections and datagrams between processes of
/// one machine, by the path of a file or, on Linux, by an [abstract name][UnixAbstractAddress].
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=unix}
///
/// What only some drivers have fails with an [UnsupportedOperationException] that names the driver
/// and the reason.
///
/// @since 0.1
public final class Unix {
  private static final int BACKLOG = 1_024; // connections the system keeps while nobody accepts
  private static final int MAX_DESCRIPTORS =
      253; // descriptors in one sending: what Linux allows (SCM_MAX_FD)

  private Unix() {}

  /// Listens on a path that does not exist yet; the file stays when the listener is closed, and is
  /// to be deleted by whoever made it. **Suspends** never.
  ///
  /// @throws java.net.BindException when the path exists, or cannot be made; the message names it
  public static Listener listen(Path path) throws IOException {
    return listen(UnixDomainSocketAddress.of(path));
  }

  /// Listens on a path or an abstract name. Else as [#listen(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  /// @throws UnsupportedOperationException for an abstract name, when the loop's driver has none
  public static Listener listen(SocketAddress address) throws IOException {
    return StreamSockets.listen(
        StandardProtocolFamily.UNIX, known(address), BACKLOG, socket -> {}, socket -> {});
  }

  private static SocketAddress known(SocketAddress address) {
    if (address instanceof UnixAbstractAddress) {
      driver().require(Capability.ABSTRACT_ADDRESS);
    } else if (!(address instanceof UnixDomainSocketAddress)) {
      throw new IllegalArgumentException("not the address of a UNIX socket: " + address);
    }
    return address;
  }

  private static ReactorDriver driver() {
    return CoroutineNode.current().scheduler().reactor().driver();
  }

  /// Serves a path: each connection has a coroutine that runs `handler`. Else as [#listen].
  public static Server serve(Path path, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return serve(path, ServerOptions.defaults(), handler);
  }

  /// Serves a path, with options. Else as [#serve(Path, ConnectionHandler)].
  public static Server serve(
      Path path, ServerOptions options, ConnectionHandler<? super StreamSocket> handler)
      throws IOException {
    return StreamSockets.served(listen(path), options, handler);
  }

  /// Connects to a listener. **Suspends** until the other side has answered; while the listener's
  /// backlog is full, until there is room: it tries again every so often. **Cancelled** the attempt
  /// is given up.
  ///
  /// @throws java.net.ConnectException when nobody listens there, nothing is there, or the path
  ///   cannot be reached; the message names the path
  /// @throws IOException when the system refuses otherwise
  public static StreamSocket connect(Path path) throws IOException {
    return connect(UnixDomainSocketAddress.of(path));
  }

  /// Connects to a listener on a path or an abstract name. Else as [#connect(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  /// @throws UnsupportedOperationException for an abstract name, when the loop's driver has none
  public static StreamSocket connect(SocketAddress address) throws IOException {
    return StreamSockets.connect(StandardProtocolFamily.UNIX, known(address), socket -> {});
  }

  // ---- datagrams ----

  /// A socket for datagrams at a path that does not exist yet; the file stays when the socket is
  /// closed, and is to be deleted by whoever made it. No datagram is lost or overtaken: a sender
  /// waits while the receiver has no room. **Suspends** never.
  ///
  /// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=datagram}
  ///
  /// @throws BindException when the path exists, or cannot be made; the message names it
  /// @throws UnsupportedOperationException when the loop's driver has none
  public static DatagramSocket bindDatagram(Path path) throws IOException {
    return bindDatagram(UnixDomainSocketAddress.of(path));
  }

  /// A socket for datagrams at a path or an abstract name. Else as [#bindDatagram(Path)].
  ///
  /// @param address a [UnixDomainSocketAddress] or a [UnixAbstractAddress]
  public static DatagramSocket bindDatagram(SocketAddress address) throws IOException {
    return datagram(known(address));
  }

  /// A socket for datagrams without a name: it sends, and nobody can answer. **Suspends** never.
  ///
  /// @throws UnsupportedOperationException when the loop's driver has none
  public static DatagramSocket openDatagram() throws IOException {
    return datagram(null);
  }

  private static DatagramSocket datagram(@Nullable SocketAddress local) throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    DatagramDescriptor descriptor =
        scheduler.reactor().driver().openDatagram(StandardProtocolFamily.UNIX);
    try {
      if (local != null) {
        descriptor.bind(local);
      }
      return new DatagramHandle(scheduler, descriptor, "UNIX datagram");
    } catch (SocketException e) {
      descriptor.close();
      BindException named = new BindException(local + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }

  // ---- who is there ----

  /// Who is on the other side of a connection: the process that connected, or that listened.
  /// **Suspends** never.
  ///
  /// @throws UnsupportedOperationException when it is no UNIX socket, and when the loop's driver
  ///   does not know
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  public static PeerCredentials peerCredentials(StreamSocket socket) throws IOException {
    return unix(socket, Capability.PEER_CREDENTIALS).peerCredentials();
  }

  private static SocketHandle unix(StreamSocket socket, Capability capability) throws IOException {
    driver().require(capability);
    if (!socket.isOpen()) {
      throw new ClosedChannelException();
    }
    if (socket instanceof SocketHandle handle && handle.isUnix()) {
      return handle;
    }
    throw new UnsupportedOperationException(socket + " is no UNIX socket: it has no " + capability);
  }

  // ---- descriptors ----

  /// Sends all of `bytes`, and open descriptors with the first of it, which the other process then
  /// has, too. **Suspends** while the other side does not take it. **Cancelled** the buffer's
  /// position says how much has left; the descriptors have left when any has.
  ///
  /// Handles stay open here, and may be closed when the call returns.
  ///
  /// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=passing}
  ///
  /// @param bytes at least one: the system sends no descriptors alone
  /// @param handles connections, listeners, datagram sockets, pipes of this loop; files where the
  ///   driver opens them itself (io_uring). At most 253
  /// @throws UnsupportedOperationException when the loop's driver passes none, it is no UNIX
  ///   socket, or nobody knows the number of a handle
  /// @throws IllegalArgumentException without a byte, and for more than 253 handles
  /// @throws IOException when it broke, or a handle is closed
  public static void sendDescriptors(
      StreamSocket socket, ByteBuffer bytes, AutoCloseable... handles) throws IOException {
    SocketHandle by = unix(socket, Capability.DESCRIPTOR_PASSING);
    if (!bytes.hasRemaining() || handles.length == 0 || handles.length > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "1 to "
              + MAX_DESCRIPTORS
              + " descriptors leave with at least one byte, not "
              + handles.length
              + " with "
              + bytes.remaining());
    }
    List<HasFileDescriptor> numbered = new ArrayList<>();
    for (AutoCloseable handle : handles) {
      if (!(handle instanceof HasFileDescriptor one)) {
        throw new UnsupportedOperationException(handle + " has no descriptor of its own");
      }
      numbered.add(one);
    }
    by.sendDescriptors(bytes, numbered);
  }

  /// Reads at least one byte, and the descriptors that came with it; of two sendings with
  /// descriptors it reads one. They do not survive an `exec`. **Suspends** until there is a byte.
  /// **Cancelled** nothing is lost.
  ///
  /// All other reads of a socket drop the descriptors that come with their bytes; the system closes
  /// them.
  ///
  /// @param into with room; of what was sent with descriptors at least the first byte is to fit
  /// @param most how many descriptors may come, from 1 to 253
  /// @return close it: that closes the descriptors that nobody has taken
  /// @throws IOException when more came than may, or this process may not open as many: then all of
  ///   them are closed, and the bytes are in the buffer; or when it broke
  /// @throws UnsupportedOperationException when the loop's driver receives none, or it is no UNIX
  ///   socket
  public static ReceivedDescriptors receiveDescriptors(
      StreamSocket socket, ByteBuffer into, int most) throws IOException {
    SocketHandle by = unix(socket, Capability.DESCRIPTOR_PASSING);
    if (!into.hasRemaining() || most < 1 || most > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "1 to "
              + MAX_DESCRIPTORS
              + " descriptors come with at least one byte, not "
              + most
              + " with "
              + into.remaining());
    }
    List<Descriptor> received = new ArrayList<>();
    int bytes = by.receiveDescriptors(into, most, received);
    return new ReceivedDescriptors(CoroutineNode.current().scheduler(), bytes, received);
  }
}
