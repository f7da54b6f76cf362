// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.util.Objects;

/// Options of a [Server]. An immutable value; start from [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=serverOptions}
///
/// @since 0.1
public final class ServerOptions {
  private static final ServerOptions DEFAULTS =
      new ServerOptions(Integer.MAX_VALUE, TcpOptions.defaults());

  private final int maxConnections;
  private final TcpOptions tcp;

  private ServerOptions(int maxConnections, TcpOptions tcp) {
    this.maxConnections = maxConnections;
    this.tcp = tcp;
  }

  /// No limit of connections, and the defaults of [TcpOptions].
  public static ServerOptions defaults() {
    return DEFAULTS;
  }

  /// Returns options with a limit of open connections. At the limit the server accepts no
  /// connection until one has ended. Clients that connect meanwhile wait in the system's backlog,
  /// whose length is [TcpOptions#withBacklog]; when it is full, the system does not answer further
  /// clients, and their systems retry.
  ///
  /// Set the limit below `ulimit -n`, so that file descriptors are left for what handlers open. In
  /// a [dev.heddle.LoopGroup] the limit applies to each loop.
  ///
  /// @throws IllegalArgumentException when it is not positive
  public ServerOptions withMaxConnections(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("a limit of connections must be positive, not " + most);
    }
    return new ServerOptions(most, tcp);
  }

  /// Returns options with other TCP options, for the listening socket and the connections. A server
  /// of UNIX domain sockets ignores them.
  public ServerOptions withTcp(TcpOptions options) {
    return new ServerOptions(maxConnections, Objects.requireNonNull(options, "options"));
  }

  /// The limit of open connections.
  public int maxConnections() {
    return maxConnections;
  }

  /// The options for the listening socket and the connections.
  public TcpOptions tcp() {
    return tcp;
  }

  @Override
  public String toString() {
    String bound =
        maxConnections == Integer.MAX_VALUE ? "any number of" : "at most " + maxConnections;
    return bound + " connections, " + tcp;
  }
}
