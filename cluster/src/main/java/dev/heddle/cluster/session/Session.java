// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Farewell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One session: the numbers of its packets in both directions, what is acknowledged, and when it
/// ends. Times are nanoseconds of any clock that only grows.
///
/// **Thread** one at a time; the owner has a lock.
public final class Session {
  /*
   * States.
   *
   * from   event                                        to     with
   * OPEN   the next number                              OPEN   it is delivered
   * OPEN   any other number                             ENDED  OUT_OF_ORDER
   * OPEN   an ack of what was not sent, other version   ENDED  MALFORMED
   * OPEN   PING                                         OPEN   PONG
   * OPEN   GOODBYE, ENDED                               ENDED  LEFT, ENDED_THERE; the owner
   *                                                            answers GOODBYE
   * OPEN   each 2 s                                     OPEN   PING, which carries ack and window
   * OPEN   6 s of silence                               ENDED  SILENCE
   * OPEN   6 s in which no ack of what was sent came    ENDED  UNACKNOWLEDGED
   * OPEN   a rumour                                     OPEN   PING, the probe
   * OPEN   a closed connection                          OPEN   the same; of a young session, with
   *                                                            6 s for the answer
   * OPEN   1 s after the probe, no PONG of it or later  ENDED  NO_ANSWER
   * OPEN   end(ending)                                  ENDED  by the owner
   * ENDED  anything                                     ENDED  nothing: it never opens again
   *
   * Only numbered packets are delivered, only in the order of their numbers, each once: so of a
   * session a prefix of what was sent is delivered (C1, C2). A PONG, not any packet, answers a
   * probe: others may have been on their way for long.
   *
   * A lost packet is a gap only when another one follows it. For the last packet the missing ack
   * tells. C3 needs it: what was accepted is delivered, or the session ends. [ClusterSimulation]
   *
   * Window. A sender has at most 2 MiB unacknowledged, and 512 packets, which an engine must be
   * able to queue without waiting; over a slow connection less [CongestionWindow]. A receiver
   * acknowledges after 512 KiB or 128 packets, or after 50 ms. What is small is acknowledged within
   * 1 s, which wakes nobody: the agent looks each second anyway, and mostly the next packet has the
   * ack before. A node that leaves asks for acks, by PINGs: it waits for them.
   * Acks are cumulative, and each PING repeats them, so a lost one costs 2 s at most. A receiver
   * that has no space for more says window 0; what is on its way is taken nevertheless.
   *
   * Closed connections. Two nodes that meet connect to each other at the same time, and close one
   * of the two connections, or both: a closed connection says nothing then. Both nodes are busy
   * with classes that are loaded, and do not always answer within 1 s. So in the first 5 s of a
   * session it leads to a probe with more time. The probe makes a connection. Where that is
   * refused, the engine has a rumour, and 1 s is enough again: a kill -9 is seen as soon in a young
   * session as in an old one.
   *
   * I1. What is delivered has the numbers 1, 2, 3, …; nothing is after the end. [SessionTest]
   * I2. Unacknowledged bytes stay within the window that the other node tells. [SessionTest]
   * I3. A packet counts as arrived once it is acknowledged, not before. A session that has ended
   *     keeps none. [SessionTest, PacketReuseStress]
   */

  /// How many bytes a sender may have unacknowledged.
  public static final int WINDOW_BYTES = 2 * 1024 * 1024;

  private static final int WINDOW_PACKETS = 512;
  private static final int ACK_BYTES = WINDOW_BYTES / 4;
  private static final int ACK_PACKETS = WINDOW_PACKETS / 4;

  private static final long ACK_NANOS = 50_000_000; // less than people notice
  // also what a sender keeps its last packets for, where less than that goes one way in a second
  private static final long SMALL_ACK_NANOS = 1_000_000_000;
  private static final int SMALL_BYTES = 4 * 1024; // what nodes that idle tell each other has less
  private static final long PING_NANOS = 2_000_000_000L; // three fit into the silence
  static final long SILENCE_NANOS = 6_000_000_000L;
  static final long PROBE_NANOS = 1_000_000_000L;
  static final long PROBE_PING_NANOS = PROBE_NANOS / 5; // some are lost with their connection
  static final long YOUNG_NANOS = 5_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  /// What is due: urgent packets to send, or the end.
  public record Due(List<Urgent> send, @Nullable Ending ending) {}

  private final SessionId id;
  private final int version;
  private @Nullable Ending ending;

  // receiving
  private long taken; // number of the last packet
  private int bytesSinceAck;
  private int packetsSinceAck;
  private long ackAt = NEVER;
  private boolean creditKept;
  private long heardAt;
  private final long openedAt;

  // sending
  private long sent; // number of the last packet
  private long acknowledged;
  private long unacknowledgedBytes;
  private final Outbox.@Nullable Packed[] onTheirWay = new Outbox.Packed[WINDOW_PACKETS];
  private int window = WINDOW_BYTES; // as the other node says
  private final CongestionWindow congestion = new CongestionWindow(WINDOW_BYTES);
  private long progressAt = NEVER; // of the last ack; NEVER when nothing is unacknowledged

  // looking after the other node
  private long pings;
  private long pingedAt;
  private long pingAt;
  private long probe; // the token that answers it
  private long probedAt;
  private long probedUntil = NEVER;
  private long roundTripNanos = -1;

  /// Opens a session.
  ///
  /// @param version of the wire
  public Session(SessionId id, int version, long now) {
    this.id = id;
    this.version = version;
    this.openedAt = now;
    this.heardAt = now;
    this.pingAt = now;
  }

  public SessionId id() {
    return id;
  }

  public int version() {
    return version;
  }

  /// Why it has ended; null while it is open.
  public @Nullable Ending ending() {
    return ending;
  }

  /// Ends it, unless it has ended.
  ///
  /// @return false when it had ended
  public boolean end(Ending why) {
    if (ending != null) {
      return false;
    }
    ending = why;
    Arrays.fill(onTheirWay, null); // who keeps the session keeps none of them
    return true;
  }

  // ---- receiving ----

  /// Reads the header of a packet of this session, and takes a numbered one if it is the next.
  ///
  /// @return whether the owner delivers the packet; when it is numbered and not delivered, the
  ///   session has ended
  public boolean received(Packet packet, long now) {
    if (ending != null) {
      return false;
    }
    if (packet.version() != version) {
      end(new Ending(Cause.MALFORMED, "version " + packet.version() + " in one of " + version));
      return false;
    }
    if (packet.ack() > sent) {
      end(new Ending(Cause.MALFORMED, "ack " + packet.ack() + " of " + sent + " packets sent"));
      return false;
    }
    heardAt = Math.max(heardAt, now);
    acknowledged(packet, now);
    if (packet.urgent()) {
      return false;
    }
    if (packet.number() != taken + 1) {
      end(
          new Ending(
              Cause.OUT_OF_ORDER,
              "packet %d came after packet %d".formatted(packet.number(), taken)));
      return false;
    }
    taken++;
    bytesSinceAck += packet.length();
    packetsSinceAck++;
    boolean isMuch = bytesSinceAck >= ACK_BYTES || packetsSinceAck >= ACK_PACKETS;
    long within = bytesSinceAck < SMALL_BYTES ? SMALL_ACK_NANOS : ACK_NANOS;
    ackAt = Math.min(ackAt, isMuch ? now : now + within);
    return true;
  }

  private void acknowledged(Packet packet, long now) {
    if (packet.ack() < acknowledged) {
      return; // overtaken by a later one, whose window counts
    }
    window = packet.window();
    congestion.acknowledged(packet.ack(), now);
    if (packet.ack() > acknowledged) {
      progressAt = packet.ack() == sent ? NEVER : now;
    }
    while (acknowledged < packet.ack()) {
      acknowledged++;
      Outbox.Packed arrived = Objects.requireNonNull(onTheirWay[slot(acknowledged)]);
      onTheirWay[slot(acknowledged)] = null;
      unacknowledgedBytes -= arrived.length(); // it counts, whatever comes now
      arrived.arrived();
    }
  }

  /// For tests: how many packets it keeps.
  int kept() {
    return (int) Arrays.stream(onTheirWay).filter(Objects::nonNull).count();
  }

  private static int slot(long number) {
    return (int) (number % WINDOW_PACKETS);
  }

  /// What an urgent packet of this session says.
  ///
  /// @return what to answer; may be null
  public @Nullable Urgent received(Urgent content, long now) {
    if (ending != null) {
      return null;
    }
    switch (content) {
      case Urgent.Ping(long token) -> {
        return new Urgent.Pong(token);
      }
      case Urgent.Pong(long token) -> answered(token, now);
      case Urgent.Ended(String text) -> end(new Ending(Cause.ENDED_THERE, text));
      case Urgent.Goodbye(Farewell why, String text) ->
          end(new Ending(why == Farewell.LEAVING ? Cause.LEFT : Cause.ENDED_THERE, text));
      case Urgent.Ack _ -> {} // its header has been read
      case Urgent.Hello _, Urgent.Welcome _, Urgent.HelloRefused _ -> {} // greetings read them
    }
    return null;
  }

  private void answered(long token, long now) {
    if (token == pings) {
      roundTripNanos = now - pingedAt;
    }
    if (token >= probe) {
      probedUntil = NEVER;
      pingAt = pingedAt + PING_NANOS;
    }
  }

  // ---- sending ----

  /// How many bytes the next packet may have; 0 when none may be sent now.
  public long space() {
    if (ending != null || sent - acknowledged >= WINDOW_PACKETS) {
      return 0;
    }
    int most = unacknowledgedBytes < SMALL_BYTES ? window : sendWindow();
    return Math.max(0, most - unacknowledgedBytes);
  }

  /// How many bytes may be on their way, but for one packet that is longer; 0 when the other node
  /// takes no more.
  public int sendWindow() {
    return Math.min(window, congestion.bytes());
  }

  /// The number of the next packet. The packet carries [#ack] and [#window].
  public long number() {
    return sent + 1;
  }

  /// The next packet leaves. It is told when it has [arrived][Outbox.Packed#arrived].
  public void sent(Outbox.Packed packet, long now) {
    if (sent == acknowledged) {
      progressAt = now;
    }
    sent++;
    onTheirWay[slot(sent)] = packet;
    unacknowledgedBytes += packet.length();
    congestion.sent(sent, unacknowledgedBytes, now);
    ackLeaves();
  }

  /// What was sent is to be acknowledged soon: the owner waits for that. To be called again until
  /// it is, as the answer may overtake what was sent.
  public void requestAck(long now) {
    if (sent > acknowledged) {
      pingAt = Math.min(pingAt, Math.max(now, pingedAt + ACK_NANOS));
    }
  }

  public long ack() {
    return taken;
  }

  public int window() {
    return creditKept ? 0 : WINDOW_BYTES;
  }

  /// A packet leaves, with the ack.
  public void ackLeaves() {
    bytesSinceAck = 0;
    packetsSinceAck = 0;
    ackAt = NEVER;
  }

  /// The node has no space for more of this session.
  public void keepCredit() {
    creditKept = true;
  }

  /// It has space again: the other node is told with the next [#due].
  public void returnCredit(long now) {
    creditKept = false;
    ackAt = now;
  }

  // ---- time ----

  /// A connection with the other node has closed: it is asked, and has more time to answer while
  /// the session is young.
  public void connectionClosed(long now) {
    probe(now, now - openedAt < YOUNG_NANOS ? SILENCE_NANOS : PROBE_NANOS);
  }

  /// The other node may be lost: it is asked, again and again.
  public void suspect(long now) {
    probe(now, PROBE_NANOS);
  }

  private void probe(long now, long patienceNanos) {
    if (probedUntil == NEVER) {
      probe = pings + 1;
      probedAt = now;
      pingAt = now;
    }
    probedUntil = Math.min(probedUntil, now + patienceNanos);
  }

  /// Whether the other node was asked, and has not answered yet.
  public boolean isProbed() {
    return probedUntil != NEVER;
  }

  /// What is due by now.
  public Due due(long now) {
    if (ending == null && now - heardAt >= SILENCE_NANOS) {
      end(new Ending(Cause.SILENCE, "nothing heard for " + (now - heardAt) / 1_000_000 + " ms"));
    } else if (ending == null && now >= probedUntil) {
      end(new Ending(Cause.NO_ANSWER, "no answer for " + (now - probedAt) / 1_000_000 + " ms"));
    } else if (ending == null && now >= unacknowledgedAt()) {
      end(
          new Ending(
              Cause.UNACKNOWLEDGED,
              "packets %d to %d have no ack for %d ms"
                  .formatted(acknowledged + 1, sent, (now - progressAt) / 1_000_000)));
    }
    if (ending != null) {
      return new Due(List.of(), ending);
    }
    List<Urgent> send = new ArrayList<>(1);
    if (now >= pingAt) {
      pings++;
      pingedAt = now;
      pingAt = now + (isProbed() ? PROBE_PING_NANOS : PING_NANOS);
      send.add(new Urgent.Ping(pings));
    } else if (now >= ackAt) {
      send.add(new Urgent.Ack());
    }
    if (!send.isEmpty()) {
      ackLeaves();
    }
    return new Due(send, null);
  }

  private long unacknowledgedAt() {
    return progressAt == NEVER ? NEVER : progressAt + SILENCE_NANOS;
  }

  /// When [#due] has something to do; later, if something is received or sent until then.
  public long dueAt() {
    if (ending != null) {
      return NEVER;
    }
    long ends = Math.min(Math.min(heardAt + SILENCE_NANOS, probedUntil), unacknowledgedAt());
    return Math.min(Math.min(pingAt, ackAt), ends);
  }

  // ---- what is seen from outside ----

  /// Nanoseconds from the last PING to its PONG; -1 when none has come yet.
  public long roundTripNanos() {
    return roundTripNanos;
  }

  public long unacknowledgedBytes() {
    return unacknowledgedBytes;
  }

  /// Whether the other node takes no more packets for now.
  public boolean isStalled() {
    return window == 0;
  }
}
