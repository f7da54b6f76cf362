// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.node.SimulatedNode.Peer;
import dev.heddle.cluster.node.SimulatedNode.Stream;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The packets of an old session, which come again while the next session of the same two lives is
/// open, from the same address and with the numbers that are due: only the session in their header
/// tells that they are old.
@Tag("C1")
@Tag("proc-222")
class OldPacketsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int OLD_MESSAGES = 100;

  private final SimulatedPair pair = new SimulatedPair(1);
  private final SimulatedNode a = pair.a;
  private final SimulatedNode b = pair.b;
  private final List<byte[]> recorded = new ArrayList<>(); // what b has got from a

  /// Hands on what b is told, and keeps the packets.
  private final class Recorder implements Engine.Listener {
    @Override
    public void found(Address address) {
      b.connections.found(address);
    }

    @Override
    public void closed(Address address) {
      b.connections.closed(address);
    }

    @Override
    public void suspected(Address address) {
      b.connections.suspected(address);
    }

    @Override
    public void received(Address from, byte[] packet) {
      recorded.add(packet.clone());
      b.connections.received(from, packet);
    }
  }

  /// Sends messages from a to b, all of which arrive, each in a packet of its own.
  private void exchange(int messages) {
    Peer toB = Objects.requireNonNull(a.open.get("b"));
    for (int i = 0; i < messages; i++) {
      a.send(toB, 100);
      pair.pass(SECOND / 100);
    }
    pair.pass(SECOND / 2);
    Stream sent = pair.history.stream(toB.link.id(), a.life);
    assertThat(sent.delivered).isEqualTo(sent.accepted.size());
  }

  /// The number of the last packet that b has got in a session.
  private long lastNumber(SessionId session) throws MalformedPacketException {
    long last = 0;
    for (byte[] bytes : recorded) {
      Packet packet = Packet.parse(bytes);
      last = packet.session().equals(session) ? Math.max(last, packet.number()) : last;
    }
    return last;
  }

  @Test
  void packetsOfAnOldSession_inTheNextOneOfTheSameLives_areDeliveredNowhere() throws Exception {
    b.engine.open(new Recorder());
    pair.pass(2 * SECOND);
    SessionId old = pair.session();
    exchange(OLD_MESSAGES);
    List<byte[]> replayed = List.copyOf(recorded);

    pair.cut();
    pair.pass(20 * SECOND);
    assertThat(a.open).isEmpty();
    assertThat(b.open).isEmpty();
    pair.network.heal();
    pair.pass(20 * SECOND);
    SessionId fresh = pair.session();
    assertThat(fresh).isNotEqualTo(old);
    exchange(1); // fewer than the old session had: its numbers are due

    long last = lastNumber(fresh);
    List<byte[]> due = new ArrayList<>();
    for (byte[] packet : replayed) {
      if (Packet.parse(packet).number() > last) {
        due.add(packet);
      }
    }
    assertThat(due).hasSizeGreaterThan(OLD_MESSAGES / 2);
    for (List<byte[]> packets : List.of(due, replayed)) {
      packets.forEach(packet -> b.connections.received(a.engine.address(), packet.clone()));
      pair.pass(20 * SECOND);
      assertThat(pair.session()).isEqualTo(fresh);
    }
    exchange(OLD_MESSAGES);
  }
}
