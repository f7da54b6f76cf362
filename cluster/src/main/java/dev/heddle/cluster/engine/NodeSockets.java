// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import org.jgroups.util.DefaultSocketFactory;
import org.jspecify.annotations.Nullable;

/// Makes the sockets of JGroups.
///
/// JGroups has TLS of its own. It is not used, because it does the handshake on the only thread
/// that accepts, and because with TLS 1.3 the side that connects takes a refused certificate for a
/// broken connection later.
final class NodeSockets extends DefaultSocketFactory {
  private final @Nullable SSLContext context;
  private final int timeoutMillis;
  private final Refusals refusals;

  NodeSockets(@Nullable SSLContext context, int timeoutMillis, Refusals refusals) {
    this.context = context;
    this.timeoutMillis = timeoutMillis;
    this.refusals = refusals;
  }

  @Override
  public Socket createSocket(String service) {
    return new NodeSocket(context, timeoutMillis, refusals);
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    return new NodeServerSocket(context, timeoutMillis, refusals);
  }
}
