// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Options of TCP sockets and listeners. An immutable value; start from [#defaults()] and change
/// what matters.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=tcpOptions}
///
/// @since 0.1
public final class TcpOptions {
  private static final int DEFAULT_BACKLOG =
      1_024; // connections that the system queues until they are accepted
  private static final Set<SocketOption<?>> LISTENERS =
      Set.of(
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT);
  private static final Duration DEFAULT_ATTEMPT_DELAY =
      Duration.ofMillis(250); // RFC 8305, section 8
  private static final Duration MIN_ATTEMPT_DELAY = Duration.ofMillis(10); // as above
  private static final TcpOptions DEFAULTS =
      new TcpOptions(DEFAULT_BACKLOG, null, DEFAULT_ATTEMPT_DELAY, Map.of());

  private final int backlog;
  private final @Nullable SocketAddress local;
  private final Duration attemptDelay;
  private final Map<SocketOption<?>, Object> options;

  private TcpOptions(
      int backlog,
      @Nullable SocketAddress local,
      Duration attemptDelay,
      Map<SocketOption<?>, Object> options) {
    this.backlog = backlog;
    this.local = local;
    this.attemptDelay = attemptDelay;
    this.options = options;
  }

  /// `TCP_NODELAY` on, `SO_REUSEADDR` on for listeners, and a backlog of 1,024.
  public static TcpOptions defaults() {
    return DEFAULTS;
  }

  /// Returns options with a socket option, set before the socket binds or connects: one of
  /// [StandardSocketOptions] or of `jdk.net.ExtendedSocketOptions`. On a listener `SO_RCVBUF`,
  /// `SO_REUSEADDR` and `SO_REUSEPORT` are set on the listening socket, all others on each
  /// connection that it accepts.
  public <T> TcpOptions with(SocketOption<T> option, T value) {
    Objects.requireNonNull(option, "option");
    Objects.requireNonNull(value, option.name());
    Map<SocketOption<?>, Object> changed = new LinkedHashMap<>(options);
    changed.put(option, value);
    return new TcpOptions(backlog, local, attemptDelay, changed);
  }

  /// Returns options with another backlog: the number of connections that the system queues until
  /// they are accepted.
  ///
  /// @throws IllegalArgumentException when it is not positive
  public TcpOptions withBacklog(int connections) {
    if (connections < 1) {
      throw new IllegalArgumentException("a backlog must be positive, not " + connections);
    }
    return new TcpOptions(connections, local, attemptDelay, options);
  }

  /// Returns options that connect from `address`; listeners ignore it. Of a host's addresses, only
  /// those of its family are tried.
  public TcpOptions withLocalAddress(SocketAddress address) {
    Objects.requireNonNull(address, "address");
    return new TcpOptions(backlog, address, attemptDelay, options);
  }

  /// Returns options with another connection attempt delay (RFC 8305) for [Tcp#connect(String,
  /// int)]: the time from the start of one attempt until the next one begins in parallel.
  ///
  /// @param delay default 250 ms; the RFC recommends 100 ms to 2 s
  /// @throws IllegalArgumentException below 10 ms, which the RFC forbids
  public TcpOptions withConnectionAttemptDelay(Duration delay) {
    if (delay.compareTo(MIN_ATTEMPT_DELAY) < 0) {
      throw new IllegalArgumentException(
          "a connection attempt delay must be 10 ms at least (RFC 8305), not " + delay);
    }
    return new TcpOptions(backlog, local, delay, options);
  }

  Duration connectionAttemptDelay() {
    return attemptDelay;
  }

  int backlog() {
    return backlog;
  }

  /// The addresses of `known` that the local address can reach; all if there are none, so that the
  /// system reports the reason.
  List<InetAddress> ofLocalFamily(List<InetAddress> known) {
    if (!(local instanceof InetSocketAddress from) || from.isUnresolved()) {
      return known;
    }
    List<InetAddress> same =
        known.stream().filter(from.getAddress().getClass()::isInstance).toList();
    return same.isEmpty() ? known : same;
  }

  void applyTo(SocketDescriptor socket) throws IOException {
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    apply(socket, option -> true);
    if (local != null) {
      socket.bind(local);
    }
  }

  void applyTo(ListenerDescriptor listener) throws IOException {
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    apply(listener, LISTENERS::contains);
  }

  void applyToAccepted(SocketDescriptor socket) throws IOException {
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    apply(socket, option -> !LISTENERS.contains(option));
  }

  @SuppressWarnings("unchecked") // with() ensures the option's type
  private void apply(SocketOptions socket, Predicate<SocketOption<?>> which) throws IOException {
    for (Map.Entry<SocketOption<?>, Object> entry : options.entrySet()) {
      if (which.test(entry.getKey())) {
        socket.setOption((SocketOption<Object>) entry.getKey(), entry.getValue());
      }
    }
  }

  @Override
  public String toString() {
    return "backlog "
        + backlog
        + (local == null ? "" : ", from " + local)
        + (attemptDelay.equals(DEFAULT_ATTEMPT_DELAY)
            ? ""
            : ", attempts " + attemptDelay + " apart")
        + ", "
        + options;
  }
}
