// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import static dev.heddle.netty.unix.PlatformConstants.IPPROTO_TCP;
import static dev.heddle.netty.unix.PlatformConstants.LINUX;
import static dev.heddle.netty.unix.PlatformConstants.SOL_SOCKET;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The options of a kind of socket: the JDK's options, mapped to the system's.
final class NativeOptions {
  private interface Setter<T> {
    void set(NativeSocket socket, T value) throws IOException;
  }

  private interface Getter<T> {
    T get(NativeSocket socket) throws IOException;
  }

  private record Access<T>(SocketOption<T> option, @Nullable Setter<T> setter, Getter<T> getter) {}

  private static final int TCP_KEEPIDLE = LINUX ? 4 : 0x10; // TCP_KEEPALIVE of the BSDs
  private static final int TCP_KEEPINTVL = LINUX ? 5 : 0x101;
  private static final int TCP_KEEPCNT = LINUX ? 6 : 0x102;
  private static final int TCP_QUICKACK = 12; // Linux only
  private static final int SO_INCOMING_NAPI_ID = 56; // Linux only
  private static final int DOUBLED = LINUX ? 2 : 1; // Linux reports twice the requested size

  static final NativeOptions OF_LISTENERS = new NativeOptions(buffers().subList(0, 1), reuse());
  static final NativeOptions OF_STREAMS =
      new NativeOptions(buffers(), reuse(), lingering(), keepAlive(), connections());
  static final NativeOptions OF_PATHS = new NativeOptions(buffers(), lingering());
  static final NativeOptions OF_PATH_DATAGRAMS = new NativeOptions(buffers());
  static final NativeOptions OF_DATAGRAMS = new NativeOptions(buffers(), reuse(), datagrams());

  private final Map<String, Access<?>> byName = new HashMap<>();

  @SafeVarargs
  private NativeOptions(List<Access<?>>... groups) {
    for (List<Access<?>> group : groups) {
      group.forEach(access -> byName.put(access.option().name(), access));
    }
  }

  private static List<Access<?>> buffers() {
    return List.of(
        new Access<>(
            StandardSocketOptions.SO_RCVBUF,
            (s, v) -> s.setReceiveBufferSize(notNegative(v)),
            s -> s.getReceiveBufferSize() / DOUBLED),
        new Access<>(
            StandardSocketOptions.SO_SNDBUF,
            (s, v) -> s.setSendBufferSize(notNegative(v)),
            s -> s.getSendBufferSize() / DOUBLED));
  }

  private static List<Access<?>> reuse() {
    return List.of(
        new Access<>(
            StandardSocketOptions.SO_REUSEADDR, Socket::setReuseAddress, Socket::isReuseAddress),
        new Access<>(
            StandardSocketOptions.SO_REUSEPORT, Socket::setReusePort, Socket::isReusePort));
  }

  private static List<Access<?>> lingering() {
    return List.of(
        new Access<>(StandardSocketOptions.SO_LINGER, Socket::setSoLinger, Socket::getSoLinger));
  }

  private static List<Access<?>> datagrams() {
    List<Access<?>> all = new ArrayList<>();
    all.add(
        new Access<>(
            StandardSocketOptions.SO_BROADCAST, Socket::setBroadcast, Socket::isBroadcast));
    all.add(
        new Access<>(
            StandardSocketOptions.IP_TOS, Socket::setTrafficClass, Socket::getTrafficClass));
    all.add(
        new Access<>(StandardSocketOptions.IP_MULTICAST_TTL, Multicast::setHops, Multicast::hops));
    all.add(
        new Access<>(
            StandardSocketOptions.IP_MULTICAST_LOOP, Multicast::setLoop, Multicast::isLoop));
    all.add(
        new Access<>(
            StandardSocketOptions.IP_MULTICAST_IF, Multicast::setInterface, Multicast::outgoing));
    if (LINUX) {
      all.add(
          new Access<>(
              new Extended<>("IP_DONTFRAGMENT", Boolean.class),
              Multicast::setUnfragmented,
              Multicast::isUnfragmented));
    }
    return all;
  }

  private static List<Access<?>> connections() {
    return List.of(
        new Access<>(
            StandardSocketOptions.TCP_NODELAY, Socket::setTcpNoDelay, Socket::isTcpNoDelay),
        new Access<>(
            StandardSocketOptions.IP_TOS, Socket::setTrafficClass, Socket::getTrafficClass),
        new Access<>(
            StandardSocketOptions.SO_KEEPALIVE, Socket::setKeepAlive, Socket::isKeepAlive));
  }

  private static List<Access<?>> keepAlive() {
    List<Access<?>> all = new ArrayList<>();
    all.add(number("TCP_KEEPIDLE", TCP_KEEPIDLE));
    all.add(number("TCP_KEEPINTERVAL", TCP_KEEPINTVL));
    all.add(number("TCP_KEEPCOUNT", TCP_KEEPCNT));
    if (LINUX) {
      all.add(
          new Access<>(
              new Extended<>("TCP_QUICKACK", Boolean.class),
              (s, v) -> s.setIntOpt(IPPROTO_TCP, TCP_QUICKACK, v ? 1 : 0),
              s -> s.getIntOpt(IPPROTO_TCP, TCP_QUICKACK) != 0));
      all.add(
          new Access<>(
              new Extended<>("SO_INCOMING_NAPI_ID", Integer.class),
              null,
              s -> s.getIntOpt(SOL_SOCKET, SO_INCOMING_NAPI_ID)));
    }
    return all;
  }

  /// An option of `jdk.net`, an optional module: identified by its name.
  record Extended<T>(String name, Class<T> type) implements SocketOption<T> {}

  private static Access<Integer> number(String name, int number) {
    return new Access<>(
        new Extended<>(name, Integer.class),
        (s, v) -> s.setIntOpt(IPPROTO_TCP, number, v),
        s -> s.getIntOpt(IPPROTO_TCP, number));
  }

  static int notNegative(int size) {
    if (size < 0) {
      throw new IllegalArgumentException("a buffer's size must not be negative, as " + size);
    }
    return size;
  }

  // ---- by name ----

  <T> void set(NativeSocket socket, SocketOption<T> option, T value) throws IOException {
    Objects.requireNonNull(value, option.name());
    Access<T> access = access(option);
    Setter<T> setter = access.setter();
    if (setter == null) {
      throw new UnsupportedOperationException(option.name() + " is read-only");
    }
    try {
      setter.set(socket, value);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  <T> T get(NativeSocket socket, SocketOption<T> option) throws IOException {
    try {
      return access(option).getter().get(socket);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  @SuppressWarnings("unchecked") // a name determines the type
  private <T> Access<T> access(SocketOption<T> option) {
    Access<?> access = byName.get(option.name());
    if (access == null || access.option().type() != option.type()) {
      throw new UnsupportedOperationException(
          option.name()
              + " is not an option of this socket here; it has "
              + byName.keySet().stream().sorted().collect(Collectors.joining(", ")));
    }
    return (Access<T>) access;
  }
}
