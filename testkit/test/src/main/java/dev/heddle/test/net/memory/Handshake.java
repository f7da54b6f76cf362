// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.net.memory.Flow.Medium;
import dev.heddle.test.net.memory.MemoryLink.Packet;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;

/// A request for a TCP connection: sent again while no answer comes, up to the limit.
///
/// **Thread** that of the loop whose turn it is.
final class Handshake {
  /*
   * client            server
   *   request    ->              a listener with room keeps a place for the connection; none: a
   *                              refusal goes back; no room, or the host is down: nothing
   *              <-   answer     the client is connected
   *   done       ->              first segment of the client's flow, so nothing overtakes it: the
   *                              connection waits to be accepted
   *
   * Without an answer the request is sent again after 1 s, then twice as late each time, and given
   * up after 6 times: 127 s (Linux's tcp_syn_retries). An address that no host has is reported
   * after 3 s, as on a local network.
   */
  private static final int MAX_ATTEMPTS = 6;
  private static final long FIRST_PAUSE_NANOS = 1_000_000_000;
  private static final long NO_HOST_NANOS = 3_000_000_000L;

  private final Routes routes;
  private final Traffic traffic;
  private final Peer home;
  private final StreamEnd client;
  private final InetSocketAddress to;
  private int attempts;

  private Handshake(
      Routes routes, Traffic traffic, Peer home, StreamEnd client, InetSocketAddress to) {
    this.routes = routes;
    this.traffic = traffic;
    this.home = home;
    this.client = client;
    this.to = to;
  }

  /// Begins; the client is told of the outcome.
  ///
  /// @param home the client's host
  static void begin(
      Routes routes, Traffic traffic, Peer home, StreamEnd client, InetSocketAddress to) {
    new Handshake(routes, traffic, home, client, to).attempt();
  }

  private void attempt() {
    if (client.isGone() || client.isConnected()) {
      return;
    }
    Peer target = home.owns(to.getAddress()) ? home : routes.peerAt(to.getAddress());
    if (target == null) {
      traffic.later(
          NO_HOST_NANOS, () -> client.refused(new NoRouteToHostException("No route to host")));
      return;
    }
    MemoryLink link = home.linkTo(target);
    double loss = link.faults().segmentLoss();
    if (traffic.chance().happens(Chance.Concern.SEGMENT_LOSS, loss)) {
      unanswered();
    } else {
      link.send(new Packet(0, () -> requested(target), this::unanswered));
    }
  }

  private void unanswered() {
    attempts++;
    if (attempts > MAX_ATTEMPTS) {
      client.refused(new ConnectException("Connection timed out"));
    } else {
      traffic.later(FIRST_PAUSE_NANOS << (attempts - 1), this::attempt);
    }
  }

  private void requested(Peer target) {
    if (!target.isUp()) {
      unanswered();
      return;
    }
    ListenerEnd listener = target.listenerAt(to);
    MemoryLink back = target.linkTo(home);
    if (listener == null) {
      traffic.report(Kind.REFUSED, client.name(), target.name() + to);
      IOException refusal = new ConnectException("Connection refused");
      back.send(new Packet(0, () -> client.refused(refusal), this::unanswered));
    } else if (!listener.hasRoom()) {
      traffic.report(Kind.REFUSED, client.name(), target.name() + to);
      unanswered();
    } else {
      traffic.report(Kind.CONNECT, client.name(), target.name() + to);
      answer(listener, back, target);
    }
  }

  private void answer(ListenerEnd listener, MemoryLink back, Peer target) {
    listener.reserve();
    StreamEnd server = target.newEnd(to, client.local());
    server.ofListener(listener);
    server.setBuffers(server.sendBuffer(), listener.receiveBuffer());
    Runnable lost =
        () -> {
          listener.abandoned();
          unanswered();
        };
    back.send(new Packet(0, () -> answered(server, listener, target), lost));
  }

  private void answered(StreamEnd server, ListenerEnd listener, Peer target) {
    if (client.isGone() || client.isConnected()) {
      listener.abandoned();
    } else {
      traffic.report(Kind.CONNECTED, client.name(), server.name());
      StreamEnd.join(client, server, Medium.NETWORK);
      target.opened(server);
      client.connected();
    }
  }
}
