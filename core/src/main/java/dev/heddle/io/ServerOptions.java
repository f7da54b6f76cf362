// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.util.Objects;

/// How a [Server] serves. An immutable value; start from [#defaults()] and change what matters.
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

  /// As many connections as the process has descriptors for, and the defaults of [TcpOptions].
  public static ServerOptions defaults() {
    return DEFAULTS;
  }

  /// The same with a bound of connections that are open at the same time. At the bound the server
  /// accepts nobody until a connection has ended. Whoever connects meanwhile waits in the system's
  /// line, whose length is [TcpOptions#withBacklog]; when the line is full, the system leaves
  /// further clients without an answer, and they try again by themselves.
  ///
  /// Leave descriptors for what handlers open: a bound below `ulimit -n` keeps clients from taking
  /// them all. Each loop of a [dev.heddle.LoopGroup] has a bound of its own.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public ServerOptions withMaxConnections(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("a bound of connections must be positive, not " + most);
    }
    return new ServerOptions(most, tcp);
  }

  /// The same with other options for the listening socket and for the connections. A server of UNIX
  /// domain sockets does not look at them.
  public ServerOptions withTcp(TcpOptions options) {
    return new ServerOptions(maxConnections, Objects.requireNonNull(options, "options"));
  }

  /// How many connections are open at most.
  public int maxConnections() {
    return maxConnections;
  }

  /// The options for the listening socket and for the connections.
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
