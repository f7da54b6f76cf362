// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Outbox.Importance;
import dev.heddle.cluster.session.Session;
import dev.heddle.cluster.session.Session.Credit;
import dev.heddle.cluster.session.SessionEnd;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.SendResult;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One session, between the engine and the processes.
final class Connection implements FrameSink, Session.Output {
  /*
   * The session is a state machine for one thread at a time: the lock makes it so. Frames are
   * delivered under it, and its end is announced under it, so nothing of a session is delivered
   * after its end. Only threads of the engine, the agent and the writer take it, and those that
   * report space in a mailbox: no worker and no body of a process.
   *
   * All packets leave on the thread of the writer: an engine may wait, and the thread that receives
   * must not. Urgent ones are queued before the others.
   */
  private final Engine.Address address;
  private final Introduction other;
  private final Session session;
  private final LongSupplier clock;
  private final Runnable signal; // wakes the writer
  private final Consumer<Connection> onEnd;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<byte[]> urgent = new ConcurrentLinkedQueue<>();
  private final RemoteNode peer;

  // under the lock
  private boolean isClosed;

  // written under the lock, now and then: for status()
  private volatile long roundTrip = -1;
  private volatile long unacknowledged;

  /// @param signal is called when there is something to send
  /// @param peers makes the peer of this session
  /// @param onEnd is called once, after the peer was told of the end, without the lock
  Connection(
      Engine.Address address,
      Introduction other,
      Session session,
      LongSupplier clock,
      Runnable signal,
      Function<FrameSink, RemoteNode> peers,
      Consumer<Connection> onEnd) {
    this.address = address;
    this.other = other;
    this.session = session;
    this.clock = clock;
    this.signal = signal;
    this.onEnd = onEnd;
    this.peer = peers.apply(this);
  }

  Engine.Address address() {
    return address;
  }

  Introduction other() {
    return other;
  }

  Session session() {
    return session;
  }

  RemoteNode peer() {
    return peer;
  }

  // ---- frames of the processes ----

  @Override
  public SendResult send(Frame frame) {
    SendResult result = session.outbox().add(session.codec().encode(frame), importanceOf(frame));
    if (result == SendResult.ACCEPTED) {
      signal.run();
    }
    return result;
  }

  private static Importance importanceOf(Frame frame) {
    return switch (frame) {
      case Frame.Message _, Frame.Ask _, Frame.Spawn _ -> Importance.MAY_WAIT;
      default -> Importance.MUST_GO;
    };
  }

  @Override
  public CompletableFuture<@Nullable Void> room() {
    return session.outbox().room();
  }

  // ---- packets ----

  void received(Packet packet) {
    underLock(() -> {
      session.received(packet, clock.getAsLong(), this);
      CompletableFuture<@Nullable Void> credit = peer.creditReturn();
      if (!credit.isDone()) {
        session.withholdCredit(Credit.WITHHELD, clock.getAsLong(), this);
        var _ = credit.thenRun(this::returnCredit);
      }
    });
    if (!session.outbox().isEmpty()) {
      signal.run(); // an acknowledgement has made space
    }
  }

  private void returnCredit() {
    underLock(() -> session.withholdCredit(Credit.GIVEN, clock.getAsLong(), this));
  }

  @Override
  public void urgent(byte[] packet) {
    urgent.add(packet);
    signal.run();
  }

  @Override
  public void deliver(Frame frame) {
    peer.handle(frame);
  }

  /// Sends what is to be sent, one packet of frames at most. Only the writer.
  ///
  /// @return whether a packet was sent
  boolean flush(Engine engine) {
    boolean sent = false;
    for (byte[] packet = urgent.poll(); packet != null; packet = urgent.poll()) {
      engine.send(address, packet, Engine.Urgency.URGENT);
      sent = true;
    }
    byte[] packet;
    lock.lock();
    try {
      packet = session.nextPacket(clock.getAsLong());
    } finally {
      lock.unlock();
    }
    if (packet != null) {
      engine.send(address, packet, Engine.Urgency.IN_ORDER);
      sent = true;
    }
    return sent;
  }

  /// The next urgent packet of a connection that was ended and is flushed no more; null when there
  /// is none.
  byte @Nullable [] farewell() {
    return urgent.poll();
  }

  // ---- time and ends ----

  void tick() {
    underLock(() -> {
      session.tick(clock.getAsLong(), this);
      roundTrip = session.roundTrip();
      unacknowledged = session.unacknowledgedBytes();
    });
  }

  void suspect() {
    underLock(() -> session.suspect(clock.getAsLong(), this));
  }

  void leave() {
    underLock(() -> session.leave(clock.getAsLong(), this));
  }

  void end(SessionEnd how) {
    underLock(() -> session.end(how));
  }

  /// Whether all that was accepted has arrived.
  boolean isDrained() {
    lock.lock();
    try {
      return session.end() != null
          || session.outbox().isEmpty() && session.unacknowledgedBytes() == 0;
    } finally {
      lock.unlock();
    }
  }

  private void underLock(Runnable action) {
    boolean hasEnded;
    lock.lock();
    try {
      action.run();
      hasEnded = session.end() != null && !isClosed;
      if (hasEnded) {
        isClosed = true;
        peer.ended();
      }
    } finally {
      lock.unlock();
    }
    if (hasEnded) {
      onEnd.accept(this);
    }
  }

  long roundTrip() {
    return roundTrip;
  }

  long unacknowledgedBytes() {
    return unacknowledged;
  }
}
