// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// How TCP sockets are opened. An immutable value; start from [#defaults()] and change what
/// matters.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=tcpOptions}
///
/// @since 0.1
public final class TcpOptions {
  private static final int BACKLOG = 1_024; // connections the system keeps while nobody accepts
  private static final Set<SocketOption<?>> LISTENERS =
      Set.of(
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT);
  private static final TcpOptions DEFAULTS = new TcpOptions(BACKLOG, null, Map.of());

  private final int backlog;
  private final @Nullable SocketAddress local;
  private final Map<SocketOption<?>, Object> options;

  private TcpOptions(
      int backlog, @Nullable SocketAddress local, Map<SocketOption<?>, Object> options) {
    this.backlog = backlog;
    this.local = local;
    this.options = options;
  }

  /// Small writes leave at once (`TCP_NODELAY`), a listener takes an address that was used a moment
  /// ago (`SO_REUSEADDR`), and its backlog is 1,024.
  public static TcpOptions defaults() {
    return DEFAULTS;
  }

  /// The same with an option set before the socket binds or connects, be it one of
  /// [StandardSocketOptions] or of `jdk.net.ExtendedSocketOptions`. On a listener `SO_RCVBUF`,
  /// `SO_REUSEADDR` and `SO_REUSEPORT` are set on the listening socket, all others on each
  /// connection that it accepts.
  public <T> TcpOptions with(SocketOption<T> option, T value) {
    Objects.requireNonNull(option, "option");
    Objects.requireNonNull(value, option.name());
    Map<SocketOption<?>, Object> changed = new LinkedHashMap<>(options);
    changed.put(option, value);
    return new TcpOptions(backlog, local, changed);
  }

  /// The same with another number of connections that the system keeps while nobody accepts.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public TcpOptions withBacklog(int connections) {
    if (connections < 1) {
      throw new IllegalArgumentException("a backlog must be positive, not " + connections);
    }
    return new TcpOptions(connections, local, options);
  }

  /// The same, connecting from `address`; a listener has its own.
  public TcpOptions withLocalAddress(SocketAddress address) {
    Objects.requireNonNull(address, "address");
    return new TcpOptions(backlog, address, options);
  }

  int backlog() {
    return backlog;
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

  @SuppressWarnings("unchecked") // with() took a value of the option's type
  private void apply(SocketOptions socket, Predicate<SocketOption<?>> which) throws IOException {
    for (Map.Entry<SocketOption<?>, Object> entry : options.entrySet()) {
      if (which.test(entry.getKey())) {
        socket.setOption((SocketOption<Object>) entry.getKey(), entry.getValue());
      }
    }
  }

  @Override
  public String toString() {
    return "backlog " + backlog + (local == null ? "" : ", from " + local) + ", " + options;
  }
}
