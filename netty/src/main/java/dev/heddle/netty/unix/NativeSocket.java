// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import static java.net.StandardProtocolFamily.INET6;
import static java.net.StandardProtocolFamily.UNIX;

import dev.heddle.io.UnixAbstractAddress;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import org.jspecify.annotations.Nullable;

/// A native socket with the JDK's addresses and error messages.
final class NativeSocket extends Socket {
  private static final InetAddress ANY = anyLocal();
  private static final String ABSTRACT = "\0"; // prefix of an abstract name

  private final boolean unix;

  NativeSocket(int fd, boolean unix) {
    super(fd);
    this.unix = unix;
  }

  /// Opens a stream socket. INET6 also serves IPv4.
  static NativeSocket stream(ProtocolFamily family) throws IOException {
    return family == UNIX
        ? opened(newSocketDomain0(), true)
        : opened(newSocketStream0(family == INET6 && isIPv6Preferred()), false);
  }

  /// Opens a datagram socket. INET6 also serves IPv4.
  static NativeSocket datagram(ProtocolFamily family) throws IOException {
    return family == UNIX
        ? opened(newSocketDomainDgram0(), true)
        : opened(newSocketDgram0(family == INET6 && isIPv6Preferred()), false);
  }

  private static NativeSocket opened(int fd, boolean unix) throws IOException {
    if (fd < 0) {
      throw Failures.of("socket", fd);
    }
    return new NativeSocket(fd, unix);
  }

  boolean isUnix() {
    return unix;
  }

  /// Makes receiving calls report the number of remaining bytes, if the system supports it.
  void enableRemainingBytes() {
    try {
      setIntOpt(PlatformConstants.IPPROTO_TCP, PlatformConstants.TCP_INQ, 1);
    } catch (IOException _) {
      // safe: the next read then finds out
    }
  }

  /// Shuts down both directions if the socket is connected.
  void shutdownBoth() {
    try {
      shutdown(true, true);
    } catch (IOException | NotYetConnectedException _) {
      // safe: already disconnected, and closed next
    }
  }

  boolean isIPv6() {
    return ipv6;
  }

  // ---- addresses ----

  /// An address in Netty's form: a wildcard address becomes that of the socket's family.
  SocketAddress netty(SocketAddress address) {
    if (unix && address instanceof UnixDomainSocketAddress a) {
      return new DomainSocketAddress(a.getPath().toString());
    }
    if (unix && address instanceof UnixAbstractAddress a) {
      return new DomainSocketAddress(ABSTRACT + a.name());
    }
    if (!unix && address instanceof InetSocketAddress a) {
      InetAddress host = a.getAddress();
      return ipv6 && host instanceof Inet4Address && host.isAnyLocalAddress()
          ? new InetSocketAddress(ANY, a.getPort())
          : a;
    }
    throw new UnsupportedAddressTypeException();
  }

  @Nullable SocketAddress local() {
    return unix ? name(localDomainSocketAddress()) : bound(localAddress());
  }

  @Nullable SocketAddress remote() {
    return unix ? name(remoteDomainSocketAddress()) : bound(remoteAddress());
  }

  /// An address in the JDK's form; an empty path for a socket without a name.
  static SocketAddress name(@Nullable DomainSocketAddress address) {
    String path = address == null ? "" : address.path();
    return path.length() > 1 && path.startsWith(ABSTRACT)
        ? UnixAbstractAddress.of(path.substring(1))
        : UnixDomainSocketAddress.of(path);
  }

  /// A name in the system's form.
  byte[] nameBytes(SocketAddress address) {
    if (netty(address) instanceof DomainSocketAddress a) {
      return a.path().getBytes(StandardCharsets.UTF_8);
    }
    throw new UnsupportedAddressTypeException();
  }

  /// Binds the socket; a UNIX socket to a free name.
  void bindTo(SocketAddress address) throws IOException {
    try {
      if (unix) {
        bindName(address);
      } else {
        bind(netty(address));
      }
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private void bindName(SocketAddress address) throws IOException {
    // Netty deletes the path before it binds: any file, even a live listener's
    if (DescriptorCalls.areThere()) {
      DescriptorCalls.bind(intValue(), nameBytes(address));
      return;
    }
    // without native calls, a file created between the check and the bind is lost
    if (address instanceof UnixDomainSocketAddress a
        && Files.exists(a.getPath(), LinkOption.NOFOLLOW_LINKS)) {
      throw new BindException("Address already in use");
    }
    bind(netty(address));
  }

  private static @Nullable SocketAddress bound(@Nullable InetSocketAddress address) {
    return address == null || address.getPort() == 0 ? null : address;
  }

  private static InetAddress anyLocal() {
    try {
      return Inet6Address.getByAddress(new byte[16]);
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError("sixteen bytes form an address", e);
    }
  }
}
