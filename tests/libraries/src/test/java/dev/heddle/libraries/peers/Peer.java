// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import java.util.concurrent.ScheduledExecutorService;

/// The servers.
enum Peer {
  JDK(JdkPeer::start),
  JETTY(JettyPeer::start),
  TOMCAT(TomcatPeer::start),
  HELIDON(HelidonPeer::start),
  GRPC(GrpcPeer::start),
  SPRING(SpringPeer::start);

  private interface Start {
    Running start(ScheduledExecutorService executor, Handler handler) throws Exception;
  }

  @SuppressWarnings("ImmutableEnumChecker") // keeps nothing
  private final Start start;

  Peer(Start start) {
    this.start = start;
  }

  /// Starts a server that calls `handler` in the executor's tasks.
  Running start(ScheduledExecutorService executor, Handler handler) throws Exception {
    return start.start(executor, handler);
  }
}
