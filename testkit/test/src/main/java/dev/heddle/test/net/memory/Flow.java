// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.test.net.Faults;
import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.net.memory.MemoryLink.Packet;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// One direction of a stream: TCP between hosts, or what UNIX sockets and pipes have within one.
///
/// **Thread** that of the loop whose turn it is.
final class Flow {
  /*
   * States of a segment.
   *   from       event                                       to         who
   *   -          write(), end(), handshakeDone()             UNSENT     the sender
   *   UNSENT     the receiver has room                       SENT       pump()
   *   SENT       lost, by chance or in a partition           WAITING    transmit(), Packet.isLost
   *   WAITING    its pause is over                           SENT       the clock
   *   SENT       it arrives                                  ARRIVED    the clock
   *   ARRIVED    all before it have arrived                  delivered  deliverInOrder()
   *
   * Packets overtake each other on the link, so segments are kept in the order in which they were
   * written, and the receiver gets them in this order.
   *
   * Room. The sender's buffer keeps the bytes that were not acknowledged. A segment leaves while
   * the receiver's buffer is not full, counting what is on its way: so a peer that does not read
   * fills both buffers, and then the writer waits. An acknowledgement also says that there is room
   * again. It carries no number: it stands for the state of the receiver when it arrives.
   *
   * A segment that was lost is sent again after 200 ms, then twice as late each time. After 15
   * times the sender gives up (Linux's tcp_retries2).
   *
   * A direct flow has no link: what is written has arrived, and both buffers are one.
   *
   * I1. The receiver gets the bytes that were written, once and in order, whatever the link does.
   *     [StreamFaultsTest]
   * I2. No more bytes are on their way or unread than the two buffers hold, and one segment.
   *     [StreamFaultsTest]
   */
  private static final int MAX_ATTEMPTS = 15;
  private static final long FIRST_PAUSE_NANOS = 200_000_000; // RFC 6298's lower limit on Linux
  private static final long MAX_PAUSE_NANOS = 120_000_000_000L;
  private static final byte[] NOTHING = {};

  private final Traffic traffic;
  private final StreamEnd sender;
  private final StreamEnd receiver;
  private final boolean direct;

  // the sender's
  private final ArrayDeque<Segment> unsent = new ArrayDeque<>();
  private final ArrayDeque<Segment> sent =
      new ArrayDeque<>(); // in order, the first has not arrived
  private int unacknowledged; // bytes in the sender's buffer
  private int onTheWay; // bytes

  // the receiver's
  private final ByteQueue received = new ByteQueue();
  private boolean ended;
  private boolean acknowledging; // one is on its way, or will be sent again

  Flow(Traffic traffic, StreamEnd sender, StreamEnd receiver, Medium medium) {
    this.traffic = traffic;
    this.sender = sender;
    this.receiver = receiver;
    this.direct = medium == Medium.DIRECT;
  }

  /// What is between the ends of a flow.
  enum Medium {
    /// Links, with all that goes wrong on them.
    NETWORK,
    /// The memory of one host.
    DIRECT
  }

  private enum Content {
    HANDSHAKE,
    DATA,
    END
  }

  private static final class Segment {
    private final Content content;
    private final byte[] bytes;
    private int attempts;
    private boolean arrived;

    Segment(Content content, byte[] bytes) {
      this.content = content;
      this.bytes = bytes;
    }
  }

  StreamEnd receiver() {
    return receiver;
  }

  boolean isDirect() {
    return direct;
  }

  // ---- the sender ----

  /// The number of bytes that the sender's buffer has room for.
  int room() {
    int room =
        direct
            ? sender.sendBuffer() + receiver.receiveBuffer() - received.size()
            : sender.sendBuffer() - unacknowledged;
    return Math.max(0, room);
  }

  /// Takes bytes; the caller has seen to it that there is room.
  void write(ByteBuffer from, int bytes) {
    int most = direct ? bytes : link().options().segmentBytes();
    for (int left = bytes; left > 0; ) {
      byte[] piece = new byte[Math.min(left, most)];
      from.get(piece);
      left -= piece.length;
      unsent.add(new Segment(Content.DATA, piece));
    }
    unacknowledged += direct ? 0 : bytes;
    pump();
  }

  /// The sender writes no more.
  void end() {
    unsent.add(new Segment(Content.END, NOTHING));
    pump();
  }

  /// The client has got the answer to its request: the connection is there for the server, too.
  void handshakeDone() {
    unsent.add(new Segment(Content.HANDSHAKE, NOTHING));
    pump();
  }

  /// Drops what has not arrived.
  void cut() {
    unsent.clear();
    sent.clear();
    unacknowledged = 0;
    onTheWay = 0;
  }

  private MemoryLink link() {
    return sender.site().linkTo(receiver.site());
  }

  // the receiver's state is read before news of it could be here: it saves an acknowledgement, and
  // is the same in each run
  private void pump() {
    while (!unsent.isEmpty() && mayLeave(unsent.element())) {
      Segment segment = unsent.remove();
      sent.add(segment);
      onTheWay += segment.bytes.length;
      transmit(segment);
    }
  }

  private boolean mayLeave(Segment segment) {
    return direct
        || segment.bytes.length == 0
        || onTheWay + received.size() < receiver.receiveBuffer();
  }

  private void transmit(Segment segment) {
    if (direct) {
      arrive(segment);
      return;
    }
    if (sender.hasVanished() || !sent.contains(segment)) {
      return;
    }
    MemoryLink link = link();
    Faults faults = link.faults();
    boolean reset = traffic.chance().happens(Chance.Concern.RESET, faults.reset());
    boolean lost = traffic.chance().happens(Chance.Concern.SEGMENT_LOSS, faults.segmentLoss());
    if (reset && segment.content == Content.DATA) {
      link.send(new Packet(0, this::breakConnection, () -> sendAgain(segment)));
    } else if (lost) {
      sendAgain(segment);
    } else {
      link.send(new Packet(segment.bytes.length, () -> arrive(segment), () -> sendAgain(segment)));
    }
  }

  private void breakConnection() {
    sender.reset();
    receiver.reset();
  }

  private void sendAgain(Segment segment) {
    report(Kind.LOST, segment.bytes);
    segment.attempts++;
    if (segment.attempts > MAX_ATTEMPTS) {
      sender.timeOut();
    } else {
      later(segment.attempts, () -> transmit(segment));
    }
  }

  private void later(int attempts, Runnable action) {
    long pause = Math.min(FIRST_PAUSE_NANOS << (attempts - 1), MAX_PAUSE_NANOS);
    traffic.later(pause, action);
  }

  // ---- the receiver ----

  private void arrive(Segment segment) {
    if (receiver.isUnreachable()) {
      sendAgain(segment);
    } else if (receiver.isGone()) {
      if (segment.content != Content.END) {
        receiver.sendReset();
      }
    } else {
      segment.arrived = true;
      deliverInOrder();
    }
  }

  private void deliverInOrder() {
    boolean delivered = false;
    while (!sent.isEmpty() && sent.element().arrived) {
      Segment next = sent.remove();
      onTheWay -= next.bytes.length;
      deliver(next);
      delivered = true;
    }
    if (delivered && !direct) {
      acknowledge(0);
    }
  }

  private void deliver(Segment segment) {
    switch (segment.content) {
      case HANDSHAKE -> receiver.established();
      case DATA -> {
        received.add(segment.bytes);
        report(Kind.DATA, segment.bytes);
      }
      case END -> {
        ended = true;
        report(Kind.END, NOTHING);
      }
    }
    receiver.changed();
  }

  private void acknowledge(int attempts) {
    if (!acknowledging || attempts > 0) {
      acknowledging = attempts <= MAX_ATTEMPTS;
      if (acknowledging) {
        receiver
            .site()
            .linkTo(sender.site())
            .send(
                new Packet(
                    0,
                    this::acknowledged,
                    () -> later(attempts + 1, () -> acknowledge(attempts + 1))));
      }
    }
  }

  private void acknowledged() {
    acknowledging = false;
    int before = room();
    unacknowledged = bytes(unsent) + bytes(sent);
    pump();
    if (room() > before) {
      sender.changed();
    }
  }

  private static int bytes(ArrayDeque<Segment> segments) {
    int sum = 0;
    for (Segment segment : segments) {
      sum += segment.bytes.length;
    }
    return sum;
  }

  /// The number of bytes that can be read.
  int available() {
    return received.size();
  }

  /// Whether no more bytes come after those that can be read.
  boolean hasEnded() {
    return ended;
  }

  /// Reads bytes.
  ///
  /// @param most no more than [#available()], and than there is room for
  void read(ByteBuffer into, int most) {
    received.take(into, most);
    if (direct) {
      sender.changed();
    } else if (!unsent.isEmpty()) {
      acknowledge(0);
    }
  }

  @Override
  public String toString() {
    return sender.name() + " > " + receiver.name() + ", unread " + received.size();
  }

  private void report(Kind kind, byte[] bytes) {
    traffic.report(kind, sender.name(), receiver.name(), bytes);
  }
}
