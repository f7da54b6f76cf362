// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.session.Outbox;
import dev.heddle.cluster.session.Session;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.FrameCodec;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.SendResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One open session with the frames that wait for it, and what takes the frames that come.
final class Link implements FrameSink {
  /*
   * The writer takes a packet under no lock here: senders may be writing into it. If one has failed
   * half-way, for which there is a way left [Outbox], the session ends after 6 s: what was accepted
   * behind that frame is then dropped with it. So it does when a packet was taken out of the outbox
   * and the engine has not got it: what was thrown in between is not known here, so two counts are
   * compared before the next one. [ConnectionsTest]
   *
   * Locks, in this order. delivery: packets are delivered under it, one after the other. state: the
   * session, for a few instructions; the writer and urgent packets need no other, so a long
   * delivery delays neither. Then that of the outbox. Only threads of the cluster and of the engine
   * take the first two.
   *
   * The end takes no lock of delivery: its caller serves all sessions, and a constructor of a
   * message may wait in a delivery. The end tells the receiver, which takes no other frame then.
   *
   * I1. The delivery of a frame, or of a row of messages to one process, never begins after end.
   *     [ConnectionsTest, MessageRowsTest]
   * I2. Of a packet that cannot be decoded nothing is delivered. [ConnectionsTest]
   */

  /// Takes what the other node says.
  interface Receiver {
    /// Handles the frames of a packet in their order, until the session ends. Called by one thread
    /// at a time.
    void handle(List<Frame> packet);

    /// The session has ended: no frame of it comes after this, but one may be in `handle` on
    /// another thread. Must not wait for that.
    void ended();

    /// Whether it has no space for more packets.
    CompletableFuture<@Nullable Void> creditReturn();
  }

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.node");

  private static final long LATE_NANOS = 6_000_000_000L; // a pause of the JVM ends it then anyway
  private static final long NEVER = Long.MAX_VALUE;

  final Address at;
  final Introduction other;
  private final Outbox outbox = new Outbox();
  private final FrameCodec codec;
  private final Runnable wakeWriter;
  private final Runnable wakeAgent;
  private final LongConsumer wakeAgentBy;
  private final ReentrantLock delivery = new ReentrantLock();
  private final ReentrantLock state = new ReentrantLock();

  // under state; the id never changes
  private final Session session;

  private long handedOver; // packets that the engine has got; the writer only

  // written by the writer, read by the agent
  private volatile long lateUntil = NEVER; // then the session ends

  private volatile @Nullable Receiver receiver; // set once, before the first packet

  // any thread
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean overflown;
  private volatile @Nullable Throwable failure; // of a delivery, for the agent
  private volatile boolean creditKept;

  /// @param wakeWriter a frame waits, or may leave; any thread, never waits
  /// @param wakeAgent something is due now; the same
  /// @param wakeAgentBy something is due at a time, sooner than it was; the same
  Link(
      Address at,
      Introduction other,
      NodeLife self,
      Session session,
      Runnable wakeWriter,
      Runnable wakeAgent,
      LongConsumer wakeAgentBy) {
    this.at = at;
    this.other = other;
    this.session = session;
    this.codec = new FrameCodec(self, other.life());
    this.wakeWriter = wakeWriter;
    this.wakeAgent = wakeAgent;
    this.wakeAgentBy = wakeAgentBy;
  }

  /// Sets what takes the frames, before the first packet.
  void deliverTo(Receiver receiver) {
    this.receiver = receiver;
  }

  SessionId id() {
    return session.id();
  }

  // ---- frames that leave ----

  @Override
  public SendResult send(Frame frame) {
    return switch (outbox.offer(codec.prepare(frame), kindOf(frame))) {
      case ACCEPTED -> {
        wakeWriter.run();
        yield SendResult.ACCEPTED;
      }
      case FULL -> SendResult.FULL;
      case CLOSED -> SendResult.UNREACHABLE;
      case OVERFLOW -> {
        overflown = true; // the agent ends it: this thread has locks
        wakeAgent.run();
        yield SendResult.UNREACHABLE;
      }
    };
  }

  private static Outbox.Kind kindOf(Frame frame) {
    return switch (frame) {
      case Frame.Message _, Frame.Ask _, Frame.Spawn _, Frame.Service _ -> Outbox.Kind.MESSAGE;
      default -> Outbox.Kind.CONTROL;
    };
  }

  @Override
  public CompletableFuture<@Nullable Void> room() {
    return outbox.space();
  }

  /// The next packet to send, in order with all others; null when none may be sent now. Only the
  /// writer calls it, again after a time while [#isLate].
  ///
  /// A packet that was taken out and not [handed over][#handedOver], whatever was thrown between,
  /// ends the session: without its number the other node would not miss it.
  Outbox.@Nullable Packed nextPacket(long now) {
    if (outbox.taken() != handedOver) {
      var _ = failed(new Ending(Cause.FAILED, "a packet was taken out and not sent"));
      wakeAgent.run();
      return null;
    }
    if (outbox.bytes() == 0) {
      return null;
    }
    Outbox.Packed packet = outbox.next(space());
    late(outbox.isLate(), now);
    if (packet != null && !number(packet, now)) {
      handedOver();
      return null;
    }
    return packet;
  }

  /// The engine has got the packet, or nobody needs it any more. Only the writer calls it.
  void handedOver() {
    handedOver = outbox.taken();
  }

  private long space() {
    state.lock();
    try {
      return session.space();
    } finally {
      state.unlock();
    }
  }

  /// @return false when the session has ended
  private boolean number(Outbox.Packed packet, long now) {
    state.lock();
    try {
      if (session.ending() != null) {
        return false;
      }
      Packet.writeHeader(
          packet.bytes(),
          session.version(),
          id(),
          session.number(),
          session.ack(),
          session.window());
      session.sent(packet, now);
      return true;
    } finally {
      state.unlock();
    }
  }

  private void late(boolean isLate, long now) {
    if (!isLate) {
      lateUntil = NEVER;
    } else if (lateUntil == NEVER) {
      lateUntil = now + LATE_NANOS;
      wakeAgentBy.accept(lateUntil);
    }
  }

  /// Whether a sender is still writing into the next packet.
  boolean isLate() {
    return lateUntil != NEVER;
  }

  /// An urgent packet of this session.
  byte[] packet(Urgent content) {
    state.lock();
    try {
      return Packet.write(session.version(), id(), session.ack(), session.window(), content);
    } finally {
      state.unlock();
    }
  }

  // ---- packets that come ----

  /// What a packet has led to.
  ///
  /// @param answer to send; may be null
  /// @param answered whether the other node has answered a probe by it
  /// @param ending of the session, for the owner to carry out; null while it is open
  record Result(@Nullable Urgent answer, boolean answered, @Nullable Ending ending) {}

  /// Takes a packet of this session.
  Result received(Packet packet, long now) {
    return packet.urgent() ? urgent(packet, now) : numbered(packet, now);
  }

  private Result urgent(Packet packet, long now) {
    Urgent content;
    try {
      content = packet.content();
    } catch (MalformedPacketException e) {
      return new Result(null, false, new Ending(Cause.MALFORMED, String.valueOf(e.getMessage())));
    }
    state.lock();
    try {
      boolean wasProbed = session.isProbed();
      long before = session.space();
      session.received(packet, now);
      Urgent answer = session.received(content, now);
      if (answer != null) {
        session.ackLeaves();
      }
      if (session.space() > before && outbox.bytes() > 0) {
        wakeWriter.run();
      }
      return new Result(answer, wasProbed && !session.isProbed(), session.ending());
    } finally {
      state.unlock();
    }
  }

  private Result numbered(Packet packet, long now) {
    delivery.lock();
    try {
      Ending ending = take(packet, now);
      if (ending == null) {
        List<Frame> frames = codec.decode(packet);
        deliver(frames);
        checkCredit();
      }
      return new Result(null, false, ending);
    } catch (MalformedPacketException e) {
      return failed(new Ending(Cause.MALFORMED, String.valueOf(e.getMessage())));
    } catch (Throwable t) {
      Result result = failed(undelivered(t));
      log(t);
      return result;
    } finally {
      delivery.unlock();
    }
  }

  @Override
  public void fail(Throwable why) {
    failure = why; // the agent ends it: this thread has locks, and maybe there is no memory
    wakeAgent.run();
  }

  private static Ending undelivered(Throwable why) {
    return new Ending(Cause.FAILED, "a packet could not be delivered: " + why);
  }

  private void log(Throwable why) {
    LOG.log(System.Logger.Level.ERROR, "a packet of " + other.life().node() + " failed", why);
  }

  /// A packet counts as taken and was not delivered as a whole: no later one may be.
  private Result failed(Ending why) {
    state.lock();
    try {
      boolean _ = session.end(why);
      return new Result(null, false, session.ending());
    } finally {
      state.unlock();
    }
  }

  /// @return why the session has ended; null when the packet is the next one
  private @Nullable Ending take(Packet packet, long now) {
    state.lock();
    try {
      long before = session.space();
      long dueAt = session.dueAt();
      boolean isNext = session.received(packet, now);
      if (session.space() > before && outbox.bytes() > 0) {
        wakeWriter.run();
      }
      if (session.dueAt() < dueAt) {
        wakeAgentBy.accept(session.dueAt());
      }
      return isNext ? null : session.ending();
    } finally {
      state.unlock();
    }
  }

  private void deliver(List<Frame> frames) {
    Receiver to = receiver;
    if (to != null) {
      to.handle(frames);
    }
  }

  /// Tells the other node to wait, when too much of what it has sent is held here.
  private void checkCredit() {
    Receiver to = receiver;
    if (creditKept || to == null) {
      return;
    }
    CompletableFuture<@Nullable Void> space = to.creditReturn();
    if (space.isDone()) {
      return;
    }
    creditKept = true;
    state.lock();
    try {
      session.keepCredit();
    } finally {
      state.unlock();
    }
    CompletableFuture<?> _ =
        space.whenComplete((_, _) -> {
          creditKept = false;
          wakeAgent.run(); // it may complete on a worker, which takes no lock here
        });
  }

  // ---- time and the end ----

  /// A connection with the other node has closed.
  void connectionClosed(long now) {
    state.lock();
    try {
      session.connectionClosed(now);
    } finally {
      state.unlock();
    }
    wakeAgent.run();
  }

  /// All that was sent is to be acknowledged soon. To be called again and again.
  void requestAck(long now) {
    state.lock();
    try {
      session.requestAck(now);
    } finally {
      state.unlock();
    }
  }

  /// The other node may be lost.
  void suspect(long now) {
    state.lock();
    try {
      session.suspect(now);
    } finally {
      state.unlock();
    }
    wakeAgent.run();
  }

  /// What is due.
  Session.Due due(long now) {
    Throwable why = failure;
    if (why != null) {
      failure = null;
      var _ = failed(undelivered(why));
      log(why);
    }
    state.lock();
    try {
      if (!creditKept && session.window() == 0) {
        session.returnCredit(now);
      }
      if (overflown) {
        session.end(new Ending(Cause.OVERFLOW, "more than 64 MiB wait for the other node"));
      }
      if (now >= lateUntil) {
        session.end(new Ending(Cause.FAILED, "a frame was begun and not written for 6 s"));
      }
      return session.due(now);
    } finally {
      state.unlock();
    }
  }

  long dueAt() {
    state.lock();
    try {
      return Math.min(session.dueAt(), lateUntil);
    } finally {
      state.unlock();
    }
  }

  /// Ends the session: no more frames of it are delivered. Does not wait for one that is just being
  /// delivered.
  ///
  /// @return how many frames were not sent; -1 when it had ended
  int end(Ending why) {
    if (!ended.compareAndSet(false, true)) {
      return -1;
    }
    state.lock();
    try {
      session.end(why);
    } finally {
      state.unlock();
    }
    int dropped = outbox.close();
    Receiver to = receiver;
    if (to != null) {
      to.ended();
    }
    return dropped;
  }

  // ---- what is seen from outside ----

  /// Whether all that was sent is acknowledged.
  boolean isDrained() {
    return outbox.bytes() == 0 && status().unacknowledgedBytes() == 0;
  }

  /// Numbers of an open session.
  record Status(
      long roundTripNanos,
      long outboxBytes,
      long unacknowledgedBytes,
      int windowBytes,
      boolean isStalled) {}

  Status status() {
    state.lock();
    try {
      return new Status(
          session.roundTripNanos(),
          outbox.bytes(),
          session.unacknowledgedBytes(),
          session.sendWindow(),
          session.isStalled());
    } finally {
      state.unlock();
    }
  }
}
