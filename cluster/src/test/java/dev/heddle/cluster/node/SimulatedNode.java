// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LoopbackEngine;
import dev.heddle.cluster.engine.LoopbackNetwork;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.Content;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One life of a node in a simulation: real connections, and receivers that compare what comes with
/// what was sent.
final class SimulatedNode implements Connections.Sessions {
  private static final long GRACE_NANOS = 8_000_000_000L; // of Cluster.child
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
    @Nullable AssertionError failure; // of what was delivered

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
    private long heardAt;

    Peer(Introduction other, Link link) {
      this.other = other;
      this.link = link;
      this.heardAt = network.now();
      this.remote = processes == null ? null : remoteNode(processes, other.life(), link);
    }

    /// C10: what is linked over a session ends 8 s after its last packet has come, if this node
    /// runs.
    void checkNotOverdue() {
      long silent = network.now() - Math.max(heardAt, resumedAt);
      check(
          silent <= GRACE_NANOS,
          () ->
              "C10: %s is in %s after a silence of %d ms"
                  .formatted(life, link.id(), silent / 1_000_000));
    }

    @Override
    public void handle(List<Frame> packet) {
      try {
        checkNotEnded();
        if (remote == null) {
          for (int i = 0; i < packet.size() && (i == 0 || !ended); i++) {
            take(packet.get(i));
          }
        } else {
          remote.handle(packet);
        }
      } catch (AssertionError e) { // it would end the session only, and maybe that has ended
        history.failure = history.failure == null ? e : history.failure;
        throw e;
      }
    }

    private void checkNotEnded() {
      check(!ended, () -> "C1: delivered after the end of " + link.id());
    }

    private void take(Frame frame) {
      checkNotEnded();
      long number = numberOf(frame);
      Stream stream = history.stream(link.id(), other.life());
      check(
          stream.delivered < stream.accepted.size(),
          () -> "C1: " + number + " came again, or was never sent in " + link.id());
      long expected = stream.accepted.get(stream.delivered);
      check(
          number == expected,
          () -> "C2: %d came in %s where %d is next".formatted(number, link.id(), expected));
      stream.delivered++;
    }

    @Override
    public void ended() {
      check(!ended, "told twice of the end of " + link.id());
      ended = true;
      if (remote != null) {
        checkNotOverdue();
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
  private final LoopbackNetwork network;
  final LoopbackEngine engine;
  final Connections connections;
  final Map<String, Peer> open = new HashMap<>();
  private final Map<String, NodeLife> replaced = new HashMap<>();
  private final History history;
  boolean crashed;
  boolean paused;
  private long resumedAt;
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

  /// @param processes of all nodes, which are simulated besides; null for messages only
  SimulatedNode(
      NodeLife life,
      LoopbackEngine engine,
      LoopbackNetwork network,
      SplittableRandom random,
      History history,
      @Nullable ProcessHistory processes) {
    this.life = life;
    this.processes = processes == null ? null : new SimulatedProcesses(life, processes);
    this.groups = this.processes == null ? null : new Groups(this.processes);
    this.network = network;
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
    engine.open(processes == null ? connections : new Ear());
  }

  /// Notes which sessions are heard of.
  private final class Ear implements Engine.Listener {
    @Override
    public void found(Engine.Address address) {
      connections.found(address);
    }

    @Override
    public void closed(Engine.Address address) {
      connections.closed(address);
    }

    @Override
    public void suspected(Engine.Address address) {
      connections.suspected(address);
    }

    @Override
    public void received(Engine.Address from, byte[] packet) {
      ByteBuffer header = ByteBuffer.wrap(packet);
      SessionId session = new SessionId(header.getLong(4), header.getLong(12));
      for (Peer peer : open.values()) {
        if (peer.link.id().equals(session)) {
          peer.heardAt = network.now();
        }
      }
      connections.received(from, packet);
    }
  }

  private RemoteNode remoteNode(SimulatedProcesses local, NodeLife other, FrameSink sink) {
    return new RemoteNode(
        other,
        local,
        sink,
        NO_TYPES,
        new PeerOptions(
            Map.of("child", Entry.of(() -> (_, _) -> {})), PeerOptions.ForeignOrders.CARRIED_OUT),
        Objects.requireNonNull(groups),
        _ -> {});
  }

  static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /// As above, for what is checked often: the text takes longer than the rest.
  static void check(boolean holds, Supplier<String> what) {
    if (!holds) {
      throw new AssertionError(what.get());
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
    check(why.cause() != Cause.MALFORMED && why.cause() != Cause.FAILED, why.text());
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
        new Frame.Message(
            new Pid(other.node(), other.host(), 1, other.life()), Content.of(content)));
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
      case Frame.Message(var _, var content) -> ByteBuffer.wrap(content.toBytes()).getLong();
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
      while (connections.write() != Long.MAX_VALUE) {} // one packet of each session at a time
    }
    if (agentWoken || now >= agentAt) {
      agentWoken = false;
      agentAt = connections.due();
    }
  }

  void pause() {
    paused = true;
    engine.pause();
  }

  void resume() {
    paused = false;
    resumedAt = network.now();
    engine.resume();
  }

  void crash() {
    crashed = true;
    engine.close();
    if (processes != null) {
      processes.crash();
    }
  }
}
