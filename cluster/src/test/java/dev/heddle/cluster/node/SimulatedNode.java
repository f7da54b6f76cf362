// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.LoopbackEngine;
import dev.heddle.cluster.engine.LoopbackNetwork;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One life of a node in a simulation: real connections, and receivers that compare what comes with
/// what was sent.
final class SimulatedNode implements Connections.Sessions {
  private static final MessageTypes NO_TYPES = MessageTypes.of(List.of(), List.of());

  /// What was accepted for one direction of a session, and how much of it has come.
  static final class Stream {
    final List<Long> accepted = new ArrayList<>();
    int delivered;
  }

  private record Direction(SessionId session, NodeLife from) {}

  /// What all nodes of a simulation share.
  static final class History {
    private final Map<Direction, Stream> streams = new HashMap<>();
    long nextMessage = 1;
    long messages;
    long opened;

    Stream stream(SessionId session, NodeLife from) {
      return streams.computeIfAbsent(new Direction(session, from), _ -> new Stream());
    }
  }

  /// A session as this node has it.
  final class Peer implements Link.Receiver {
    final Introduction other;
    final Link link;
    final @Nullable RemoteNode remote; // only where processes are simulated
    private boolean ended;

    Peer(Introduction other, Link link) {
      this.other = other;
      this.link = link;
      this.remote = processes == null ? null : remoteNode(processes, other.life(), link);
    }

    @Override
    public void handle(Frame frame) {
      check(!ended, "C1: delivered after the end of " + link.id());
      if (remote != null) {
        remote.handle(frame);
        return;
      }
      long number = numberOf(frame);
      Stream stream = history.stream(link.id(), other.life());
      check(
          stream.delivered < stream.accepted.size(),
          "C1: " + number + " came again, or was never sent in " + link.id());
      long expected = stream.accepted.get(stream.delivered);
      check(
          number == expected,
          "C2: %d came in %s where %d is next".formatted(number, link.id(), expected));
      stream.delivered++;
    }

    @Override
    public void ended() {
      check(!ended, "told twice of the end of " + link.id());
      ended = true;
      if (remote != null) {
        remote.ended();
      }
    }

    @Override
    public CompletableFuture<@Nullable Void> creditReturn() {
      return CompletableFuture.completedFuture(null);
    }
  }

  final NodeLife life;
  final @Nullable SimulatedProcesses processes;
  final @Nullable Groups groups;
  final LoopbackEngine engine;
  final Connections connections;
  final Map<String, Peer> open = new HashMap<>();
  private final Map<String, NodeLife> replaced = new HashMap<>();
  private final History history;
  boolean crashed;
  boolean paused;
  boolean agentWoken = true;
  boolean writerWoken;
  long agentAt;

  SimulatedNode(
      NodeLife life,
      LoopbackEngine engine,
      LoopbackNetwork network,
      SplittableRandom random,
      History history) {
    this(life, engine, network, random, history, null);
  }

  /// @param processes that are simulated besides; null for messages only
  SimulatedNode(
      NodeLife life,
      LoopbackEngine engine,
      LoopbackNetwork network,
      SplittableRandom random,
      History history,
      @Nullable SimulatedProcesses processes) {
    this.life = life;
    this.processes = processes;
    this.groups = processes == null ? null : new Groups(processes);
    this.engine = engine;
    this.history = history;
    Introduction self =
        new Introduction(
            "sim", life, 0, Packet.OLDEST_VERSION, Packet.VERSION, 0, Map.of(), List.of());
    this.connections =
        new Connections(
            engine,
            self,
            random,
            network::now,
            this,
            () -> agentWoken = true,
            _ -> agentWoken = true,
            () -> writerWoken = true);
    engine.open(connections);
  }

  private RemoteNode remoteNode(SimulatedProcesses local, NodeLife other, FrameSink sink) {
    return new RemoteNode(
        other,
        local,
        sink,
        NO_TYPES,
        new PeerOptions(Map.of(), PeerOptions.ForeignOrders.CARRIED_OUT),
        Objects.requireNonNull(groups),
        _ -> {});
  }

  static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  boolean runs() {
    return !crashed && !paused;
  }

  // ---- sessions ----

  @Override
  public Link.Receiver opened(Introduction other, FrameSink sink) {
    Peer peer = new Peer(other, (Link) sink);
    String name = other.life().node();
    NodeLife before = replaced.remove(name);
    check(
        before == null || before.equals(other.life()),
        "a session with %s was replaced by one with %s".formatted(before, other.life()));
    check(open.put(name, peer) == null, "two sessions with " + name);
    history.opened++;
    return peer;
  }

  @Override
  public void ended(Introduction other, Ending why) {
    Peer peer = open.remove(other.life().node());
    check(peer != null && peer.ended, "ended without its receiver, or twice");
    check(why.cause() != Cause.MALFORMED, why.text());
    if (why.cause() == Cause.REPLACED) {
      replaced.put(other.life().node(), other.life());
    }
  }

  @Override
  public void log(System.Logger.Level level, String line) {} // faults are what this is about

  // ---- traffic ----

  /// Sends a message, numbered anew.
  ///
  /// @param bytes of it
  void send(Peer to, int bytes) {
    long number = history.nextMessage++;
    NodeLife other = to.other.life();
    byte[] content = ByteBuffer.allocate(bytes).putLong(number).array();
    send(
        to,
        number,
        new Frame.Message(new Pid(other.node(), other.host(), 1, other.life()), content));
  }

  /// A process here ends: what it has sent comes first.
  void down(Peer to) {
    long number = history.nextMessage++;
    Pid pid = new Pid(life.node(), life.host(), number, life.life());
    send(to, number, new Frame.Down(pid, new Frame.ExitText(Exit.Reason.NORMAL, null, null, null)));
  }

  private void send(Peer to, long number, Frame frame) {
    if (to.link.send(frame) == SendResult.ACCEPTED) {
      history.stream(to.link.id(), life).accepted.add(number);
      history.messages++;
    }
  }

  private static long numberOf(Frame frame) {
    return switch (frame) {
      case Frame.Message(var _, var content) -> ByteBuffer.wrap(content).getLong();
      case Frame.Down(var pid, var _) -> pid.id();
      default -> throw new AssertionError(frame);
    };
  }

  // ---- its threads ----

  /// When it has something to do.
  long nextAt(long now) {
    return agentWoken || writerWoken ? now : agentAt;
  }

  void run(long now) {
    if (writerWoken) {
      writerWoken = false;
      while (connections.write()) {} // one packet of each session at a time
    }
    if (agentWoken || now >= agentAt) {
      agentWoken = false;
      agentAt = connections.due();
    }
  }

  void crash() {
    crashed = true;
    engine.close();
  }
}
