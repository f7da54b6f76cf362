// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Set;

/// The numbers that `java.net.SocketImpl` has for options.
final class NumberedOptions {
  static final Set<SocketOption<?>> OF_SOCKETS =
      Set.of(
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_KEEPALIVE,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT,
          StandardSocketOptions.SO_LINGER,
          StandardSocketOptions.TCP_NODELAY,
          StandardSocketOptions.IP_TOS);

  static final Set<SocketOption<?>> OF_UNIX_SOCKETS =
      Set.of(
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_LINGER);

  static final Set<SocketOption<?>> OF_LISTENERS =
      Set.of(
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT);

  static final Set<SocketOption<?>> OF_DATAGRAMS =
      Set.of(
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT,
          StandardSocketOptions.SO_BROADCAST,
          StandardSocketOptions.IP_TOS,
          StandardSocketOptions.IP_MULTICAST_TTL,
          StandardSocketOptions.IP_MULTICAST_LOOP);

  private NumberedOptions() {}

  static void set(SocketOptions socket, int id, Object value) throws SocketException {
    try {
      if (id == java.net.SocketOptions.SO_LINGER && value instanceof Boolean) {
        socket.setOption(StandardSocketOptions.SO_LINGER, -1); // off
      } else {
        set(socket, option(id), value);
      }
    } catch (SocketException e) {
      throw e;
    } catch (IOException e) {
      throw new SocketException(e.getMessage(), e);
    }
  }

  private static <T> void set(SocketOptions socket, SocketOption<T> option, Object value)
      throws IOException {
    socket.setOption(option, option.type().cast(value));
  }

  static Object get(SocketOptions socket, int id) throws SocketException {
    try {
      return socket.getOption(option(id));
    } catch (SocketException e) {
      throw e;
    } catch (IOException e) {
      throw new SocketException(e.getMessage(), e);
    }
  }

  private static SocketOption<?> option(int id) throws SocketException {
    return switch (id) {
      case java.net.SocketOptions.TCP_NODELAY -> StandardSocketOptions.TCP_NODELAY;
      case java.net.SocketOptions.SO_REUSEADDR -> StandardSocketOptions.SO_REUSEADDR;
      case java.net.SocketOptions.SO_REUSEPORT -> StandardSocketOptions.SO_REUSEPORT;
      case java.net.SocketOptions.IP_TOS -> StandardSocketOptions.IP_TOS;
      case java.net.SocketOptions.SO_LINGER -> StandardSocketOptions.SO_LINGER;
      case java.net.SocketOptions.SO_SNDBUF -> StandardSocketOptions.SO_SNDBUF;
      case java.net.SocketOptions.SO_RCVBUF -> StandardSocketOptions.SO_RCVBUF;
      case java.net.SocketOptions.SO_KEEPALIVE -> StandardSocketOptions.SO_KEEPALIVE;
      default -> throw new SocketException("the socket option " + id + " is not simulated");
    };
  }
}
