// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.test.net.Flow.Medium;
import dev.heddle.test.net.Link.Packet;
import dev.heddle.test.net.NetworkEvent.Kind;
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

  private final SimulatedNetwork network;
  private final StreamEnd client;
  private final InetSocketAddress to;
  private int attempts;

  private Handshake(StreamEnd client, InetSocketAddress to) {
    this.network = client.host().network();
    this.client = client;
    this.to = to;
  }

  /// Begins; the client is told of the outcome.
  static void begin(StreamEnd client, InetSocketAddress to) {
    new Handshake(client, to).attempt();
  }

  private void attempt() {
    if (client.isGone() || client.isConnected()) {
      return;
    }
    SimulatedHost target = network.hostOf(client.host(), to.getAddress());
    if (target == null) {
      later(NO_HOST_NANOS, () -> client.refused(new NoRouteToHostException("No route to host")));
      return;
    }
    Link link = network.link(client.host(), target);
    double loss = link.faults().segmentLoss();
    if (network.chance().happens(Chance.Concern.SEGMENT_LOSS, loss)) {
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
      later(FIRST_PAUSE_NANOS << (attempts - 1), this::attempt);
    }
  }

  private void later(long nanos, Runnable action) {
    network.clock().schedule(network.clock().nanoTime() + nanos, action);
  }

  private void requested(SimulatedHost target) {
    if (!target.isUp()) {
      unanswered();
      return;
    }
    ListenerEnd listener = target.listenerAt(to);
    Link back = network.link(target, client.host());
    if (listener == null) {
      network.report(Kind.REFUSED, client.name(), target.name() + to, 0, 0);
      IOException refusal = new ConnectException("Connection refused");
      back.send(new Packet(0, () -> client.refused(refusal), this::unanswered));
    } else if (!listener.hasRoom()) {
      network.report(Kind.REFUSED, client.name(), target.name() + to, 0, 0);
      unanswered();
    } else {
      network.report(Kind.CONNECT, client.name(), target.name() + to, 0, 0);
      answer(listener, back, target);
    }
  }

  private void answer(ListenerEnd listener, Link back, SimulatedHost target) {
    listener.reserve();
    StreamEnd server = new StreamEnd(target, to, client.local());
    server.ofListener(listener);
    server.setBuffers(server.sendBuffer(), listener.receiveBuffer());
    Runnable lost =
        () -> {
          listener.abandoned();
          unanswered();
        };
    back.send(new Packet(0, () -> answered(server, listener), lost));
  }

  private void answered(StreamEnd server, ListenerEnd listener) {
    if (client.isGone() || client.isConnected()) {
      listener.abandoned();
    } else {
      network.report(Kind.CONNECTED, client.name(), server.name(), 0, 0);
      StreamEnd.join(client, server, Medium.NETWORK);
      server.host().opened(server);
      client.connected();
    }
  }
}
