// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.engine.LoopbackEngine;
import dev.heddle.cluster.engine.LoopbackNetwork;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent.Introduction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sessions of nodes over a [LoopbackNetwork], for simulations of what is above sessions: the real
/// greetings, sessions and packets, in virtual time, over a network that loses, repeats, delays and
/// reorders. The simulation lets its own time pass here, too: see [#nextAt].
///
/// Each second a node learns where those are that are in session with its peers, as [AddressGossip]
/// tells them: a node that leaves and starts again at its place is not greeted by all otherwise.
public final class LoopbackSessions {
  private static final String SERVICE = "simulated";
  private static final long GOSSIP_NANOS = 1_000_000_000;

  /// What a node hears of its sessions; nothing while it is paused.
  public interface Listener {
    /// A session is open.
    void opened(NodeLife other, SessionId session);

    /// Something came in a session that has not ended.
    void received(NodeLife from, SessionId session, byte[] content);

    /// A session has ended: nothing comes in it any more.
    void ended(NodeLife other, SessionId session);
  }

  private final SplittableRandom random;
  private final LoopbackNetwork network;
  private final List<Node> nodes = new ArrayList<>();
  private long gossipAt;

  /// A network without nodes.
  ///
  /// @param now the time at which the simulation begins, ns
  public LoopbackSessions(long seed, long now) {
    this.random = new SplittableRandom(seed);
    this.network = new LoopbackNetwork(random.split());
    network.advanceTo(now);
    gossipAt = now + GOSSIP_NANOS;
  }

  /// The network, for its faults.
  public LoopbackNetwork network() {
    return network;
  }

  /// Starts a life of a node.
  ///
  /// @param place of the network
  public Node start(NodeLife life, String place, Features can, Listener listener) {
    Node node = new Node(life, network.engine(place), can, listener);
    nodes.add(node);
    return node;
  }

  /// When something happens next; [Long#MAX_VALUE] for never.
  public long nextAt() {
    long next = Math.min(network.nextAt(), gossipAt);
    for (Node node : nodes) {
      next = Math.min(next, node.nextAt());
    }
    return Math.max(next, network.now());
  }

  /// Lets time pass, and what is due until then happen.
  public void advanceTo(long time) {
    network.advanceTo(time);
    if (time >= gossipAt) {
      gossipAt = time + GOSSIP_NANOS;
      nodes.forEach(Node::gossip);
    }
    for (Node node : List.copyOf(nodes)) {
      if (node.nextAt() <= time) {
        node.run(time);
      }
    }
  }

  /// A life of a node.
  public final class Node implements Connections.Sessions {
    private final String name;
    private final LoopbackEngine engine;
    private final Connections connections;
    private final Listener listener;
    private final Map<String, Peer> open = new HashMap<>();
    private boolean isPaused;
    private boolean isAgentWoken = true;
    private boolean isWriterWoken;
    private long agentAt;

    private Node(NodeLife life, LoopbackEngine engine, Features can, Listener listener) {
      this.name = life.node();
      this.engine = engine;
      this.listener = listener;
      Introduction self =
          new Introduction(
              "sim",
              life,
              0,
              Packet.OLDEST_VERSION,
              Packet.VERSION,
              can.bits(),
              Map.of(),
              List.of());
      this.connections =
          new Connections(
              engine,
              self,
              random.split(),
              network::now,
              this,
              () -> isAgentWoken = true,
              _ -> isAgentWoken = true,
              () -> isWriterWoken = true);
      engine.open(connections);
    }

    /// Where it is.
    public String place() {
      return engine.address().toString();
    }

    /// The session with a node, if it is open.
    public @Nullable SessionId session(String other) {
      Peer peer = open.get(other);
      return peer == null ? null : peer.link.id();
    }

    /// What a node in session can do.
    public @Nullable Features can(String other) {
      Peer peer = open.get(other);
      return peer == null ? null : peer.other.can();
    }

    /// Sends to another node, in the session that is open.
    ///
    /// @return false when it was not accepted
    public boolean send(String to, byte[] content) {
      Peer peer = open.get(to);
      return peer != null && peer.link.send(new Frame.Service(SERVICE, content)).isAccepted();
    }

    /// Completes when [#send] has room again; at once without a session.
    public CompletableFuture<@Nullable Void> room(String to) {
      Peer peer = open.get(to);
      return peer == null ? CompletableFuture.completedFuture(null) : peer.link.room();
    }

    private void gossip() {
      if (isPaused) {
        return;
      }
      Set<Address> others = new LinkedHashSet<>();
      for (Node peer : nodes) {
        if (open.containsKey(peer.name)) {
          peer.open.values().forEach(it -> others.add(it.link.at));
        }
      }
      open.values().forEach(it -> others.remove(it.link.at));
      others.remove(engine.address());
      others.forEach(connections::found);
    }

    private long nextAt() {
      if (isPaused) {
        return Long.MAX_VALUE;
      }
      return isAgentWoken || isWriterWoken ? network.now() : agentAt;
    }

    private void run(long now) {
      if (isWriterWoken) {
        isWriterWoken = false;
        while (connections.write() != Long.MAX_VALUE) {} // one packet of each session at a time
      }
      if (isAgentWoken || now >= agentAt) {
        isAgentWoken = false;
        agentAt = connections.due();
      }
    }

    /// It stands still: what comes, comes when it goes on.
    public void pause() {
      isPaused = true;
      engine.pause();
    }

    /// Whether it stands still.
    public boolean isPaused() {
      return isPaused;
    }

    /// It goes on.
    public void resume() {
      isPaused = false;
      engine.resume();
    }

    /// It ends, and tells nobody.
    public void crash() {
      nodes.remove(this);
      engine.close();
    }

    /// It ends, and says goodbye.
    public void close() {
      connections.close();
      crash();
    }

    /// A rumour says that another place is gone.
    public void suspected(Node other) {
      engine.suspected(other.engine.address());
    }

    /// What it sends to another one is carried no more, or is again.
    public void cut(Node to, boolean isCut) {
      if (isCut) {
        network.cut(engine.address(), to.engine.address());
      } else {
        network.heal(engine.address(), to.engine.address());
      }
    }

    @Override
    public Link.Receiver opened(Introduction other, FrameSink sink) {
      Peer peer = new Peer(other, (Link) sink);
      SimulatedNode.check(open.put(other.life().node(), peer) == null, "two sessions with a node");
      listener.opened(other.life(), peer.link.id());
      return peer;
    }

    @Override
    public void ended(Introduction other, Ending why) {
      Peer peer = open.remove(other.life().node());
      SimulatedNode.check(peer != null && peer.isEnded, "ended without its receiver, or twice");
      SimulatedNode.check(
          why.cause() != Cause.MALFORMED && why.cause() != Cause.FAILED, why.text());
      listener.ended(other.life(), peer.link.id());
    }

    @Override
    public void log(System.Logger.Level level, String line) {} // faults are what this is about

    private final class Peer implements Link.Receiver {
      private final Introduction other;
      private final Link link;
      private boolean isEnded;

      Peer(Introduction other, Link link) {
        this.other = other;
        this.link = link;
      }

      @Override
      public void handle(List<Frame> packet) {
        for (int i = 0; i < packet.size() && (i == 0 || !isEnded); i++) {
          handle(packet.get(i));
        }
      }

      private void handle(Frame frame) {
        SimulatedNode.check(!isEnded, "delivered after the end");
        listener.received(other.life(), link.id(), ((Frame.Service) frame).content());
      }

      @Override
      public void ended() {
        isEnded = true;
      }

      @Override
      public CompletableFuture<@Nullable Void> creditReturn() {
        return CompletableFuture.completedFuture(null);
      }
    }
  }
}
