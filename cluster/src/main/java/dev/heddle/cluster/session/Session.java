// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.session.SessionEnd.Reason;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.FrameCodec;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Farewell;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Two lives of nodes in touch, as one of them sees it. It decides what is delivered, in which
/// order, what may be sent, and when the other node counts as lost.
///
/// A state machine without a thread, a clock or a socket: its caller passes packets and the time in
/// nanoseconds, one call at a time, and does what [Output] says. Only [#outbox] is for any thread.
public final class Session {
  /*
   * States.
   *
   * from      event                                       to        then
   * (none)    HELLO or WELCOME, see Greetings             OPENED    pings
   * OPENED    a packet of this session                    MUTUAL    numbered packets may be sent
   * both      packet n+1 after n                          same      its frames are delivered
   * both      packet n or less                            same      ignored: it was delivered
   * both      a packet after n+1                          ENDED     GAP
   * both      nothing heard for `silence`                 ENDED     SILENCE
   * both      suspect(), nothing heard for `probe`        ENDED     NO_ANSWER
   * both      GOODBYE, ENDED of this session              ENDED     LEFT, ENDED_THERE
   * both      a packet that cannot be read                ENDED     MALFORMED, after a GOODBYE
   * both      no space for a frame that must go           ENDED     OVERFLOW, after a GOODBYE
   * both      end()                                       ENDED     as the caller says
   * ENDED     anything                                    same      nothing is delivered or sent
   *
   * OPENED. The node that answers a HELLO is in the session before the other one. If it sent packet
   * 1 at once, that could overtake the WELCOME and be lost, and then packet 2 would be a gap. So it
   * sends numbered packets only when it has heard the other node in this session.
   *
   * Numbers. Each direction counts its packets from 1. A packet is lost, repeated or late only when
   * the engine or the network has failed, and then nobody knows what else is missing: the session
   * ends, and both nodes know that what they have not been told of may not have arrived.
   *
   * Window. A node says with each packet up to which number it has taken packets (`ack`), and how
   * many bytes after that one it takes (`window`). Packets that are sent and not acknowledged are
   * within that. An acknowledgement travels with whatever is sent; alone only when a quarter of the
   * window is used up, or when credit is given back.
   *
   * I1. Nothing is delivered twice or out of order, and nothing after the end. [SessionTest,
   *     ClusterSimulationTest]
   * I2. What is sent and not acknowledged is at most the window, and one packet. [SessionTest]
   *
   * C1, C2, C3; proc-191, proc-222.
   */
  /// What the session wants done.
  public interface Output {
    /// Sends an urgent packet.
    void urgent(byte[] packet);

    /// Delivers a frame.
    void deliver(Frame frame);
  }

  /// How many bytes may be on their way.
  static final int WINDOW = 2 << 20;

  private record Sent(long number, int bytes) {}

  private final SessionId id;
  private final NodeLife other;
  private final int version;
  private final FrameCodec codec;
  private final SessionTimes times;
  private final Outbox outbox = new Outbox();

  private @Nullable SessionEnd end;
  private boolean isMutual;

  // packets to the other node
  private final Deque<Sent> unacknowledged = new ArrayDeque<>();
  private long sent; // the number of the last one
  private long unacknowledgedBytes;
  private int otherWindow = WINDOW;
  private long lastSent; // nanoseconds, any packet

  // packets from the other node
  private long received; // the number of the last one
  private int unreported; // bytes since the last ack
  private boolean withholdsCredit;
  private long lastHeard;

  // suspicion
  private boolean isSuspected;
  private long answerBy;
  private long roundTrip = -1;

  /// @param id of the session
  /// @param self the life of this node
  /// @param other the life of the other node
  /// @param version of the wire
  /// @param now nanoseconds
  public Session(
      SessionId id, NodeLife self, NodeLife other, int version, SessionTimes times, long now) {
    this.id = id;
    this.other = other;
    this.version = version;
    this.codec = new FrameCodec(self, other);
    this.times = times;
    this.lastHeard = now;
    this.lastSent = now;
  }

  // ---- what it is ----

  public SessionId id() {
    return id;
  }

  public NodeLife other() {
    return other;
  }

  public int version() {
    return version;
  }

  /// Takes what is to be sent. Any thread.
  public Outbox outbox() {
    return outbox;
  }

  /// Writes frames for the outbox. Any thread.
  public FrameCodec codec() {
    return codec;
  }

  /// How it has ended, or null.
  public @Nullable SessionEnd end() {
    return end;
  }

  /// Whether the other node is known to have opened it, too.
  public boolean isMutual() {
    return isMutual;
  }

  /// The last time between a ping and its answer in nanoseconds; -1 when there was none.
  public long roundTrip() {
    return roundTrip;
  }

  /// Bytes that were sent and not acknowledged.
  public long unacknowledgedBytes() {
    return unacknowledgedBytes;
  }

  // ---- packets of the other node ----

  /// Takes a packet of this session.
  public void received(Packet packet, long now, Output out) {
    if (end != null) {
      return;
    }
    lastHeard = now;
    isMutual = true;
    isSuspected = false;
    try {
      acknowledge(packet);
      if (packet.urgent()) {
        urgent(packet.content(), now, out);
      } else {
        numbered(packet, out);
      }
    } catch (MalformedPacketException e) {
      String text = "a packet cannot be read: " + e.getMessage();
      send(new Urgent.Goodbye(Farewell.MALFORMED, text), now, out);
      end(new SessionEnd(Reason.MALFORMED, text));
    }
  }

  private void acknowledge(Packet packet) throws MalformedPacketException {
    if (packet.ack() > sent) {
      throw new MalformedPacketException(
          "packet %d is acknowledged; the last one was %d".formatted(packet.ack(), sent), 28);
    }
    for (Sent first = unacknowledged.peek();
        first != null && first.number <= packet.ack();
        first = unacknowledged.peek()) {
      unacknowledged.remove();
      unacknowledgedBytes -= first.bytes;
    }
    otherWindow = packet.window();
  }

  private void urgent(Urgent content, long now, Output out) throws MalformedPacketException {
    switch (content) {
      case Urgent.Ping(long token) -> send(new Urgent.Pong(token), now, out);
      case Urgent.Pong(long token) -> roundTrip = Math.max(0, now - token);
      case Urgent.Ack() -> {}
      case Urgent.Welcome _ -> {} // opened it, or repeats that
      case Urgent.Goodbye(Farewell why, String text) ->
          end(
              why == Farewell.LEAVING
                  ? new SessionEnd(Reason.LEFT, "it has left")
                  : new SessionEnd(Reason.ENDED_THERE, "it has ended the session: " + text));
      case Urgent.Ended(String text) ->
          end(new SessionEnd(Reason.ENDED_THERE, "it does not know the session: " + text));
      case Urgent.Hello _, Urgent.HelloRefused _ ->
          throw new MalformedPacketException("a greeting inside a session", Packet.HEADER_BYTES);
    }
  }

  private void numbered(Packet packet, Output out) throws MalformedPacketException {
    if (packet.number() <= received) {
      return;
    }
    if (packet.number() != received + 1) {
      end(
          new SessionEnd(
              Reason.GAP, "packet %d came after packet %d".formatted(packet.number(), received)));
      return;
    }
    List<Frame> frames = codec.decode(packet);
    received++;
    unreported += packet.bytes().length;
    for (Frame frame : frames) {
      out.deliver(frame);
      if (end != null) {
        return;
      }
    }
    if (unreported >= WINDOW / 4 && !withholdsCredit) {
      send(new Urgent.Ack(), lastHeard, out);
    }
  }

  /// Gives the other node no credit for more packets, or gives it back.
  public void withholdCredit(Credit credit, long now, Output out) {
    boolean isWithheld = credit == Credit.WITHHELD;
    if (end == null && withholdsCredit != isWithheld) {
      withholdsCredit = isWithheld;
      send(new Urgent.Ack(), now, out);
    }
  }

  /// Whether the other node may send.
  public enum Credit {
    GIVEN,
    WITHHELD
  }

  // ---- packets to the other node ----

  /// The next packet of frames, when there are some and they may be sent.
  public byte @Nullable [] nextPacket(long now) {
    if (!maySend()) {
      return null;
    }
    List<byte[]> frames = outbox.take();
    if (frames.isEmpty()) {
      return null;
    }
    byte[] packet = Packet.write(version, id, ++sent, received, window(), frames);
    unacknowledged.add(new Sent(sent, packet.length));
    unacknowledgedBytes += packet.length;
    unreported = 0;
    lastSent = now;
    return packet;
  }

  private boolean maySend() {
    return end == null && isMutual && unacknowledgedBytes < Math.min(WINDOW, otherWindow);
  }

  private int window() {
    return withholdsCredit ? 0 : WINDOW;
  }

  private void send(Urgent content, long now, Output out) {
    byte[] packet = Packet.write(version, id, received, window(), content);
    unreported = 0;
    lastSent = now;
    out.urgent(packet);
  }

  // ---- time and ends ----

  /// To be called several times in a second.
  public void tick(long now, Output out) {
    if (end != null) {
      return;
    }
    if (now - lastHeard >= times.silence()) {
      end(new SessionEnd(Reason.SILENCE, "nothing heard for " + millis(now - lastHeard)));
    } else if (isSuspected && now - answerBy >= 0) {
      end(new SessionEnd(Reason.NO_ANSWER, "suspected, and no answer in " + millis(times.probe())));
    } else if (outbox.isOverflown()) {
      String text = "the outbox is over its limit of " + Outbox.ALL_BYTES + " bytes";
      send(new Urgent.Goodbye(Farewell.OTHER, text), now, out);
      end(new SessionEnd(Reason.OVERFLOW, text));
    } else if (now - lastSent >= times.heartbeat()) {
      send(new Urgent.Ping(now), now, out);
    }
  }

  private static String millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
  }

  /// The other node may be lost: the session ends unless it answers soon.
  public void suspect(long now, Output out) {
    if (end == null && !isSuspected) {
      isSuspected = true;
      answerBy = now + times.probe();
      send(new Urgent.Ping(now), now, out);
    }
  }

  /// Says farewell, and ends it.
  public void leave(long now, Output out) {
    if (end == null) {
      send(new Urgent.Goodbye(Farewell.LEAVING, "it leaves"), now, out);
    }
    end(new SessionEnd(Reason.CLOSED, "this node has left"));
  }

  /// Ends it, unless it has ended.
  public void end(SessionEnd how) {
    if (end == null) {
      end = how;
      outbox.close();
    }
  }
}
