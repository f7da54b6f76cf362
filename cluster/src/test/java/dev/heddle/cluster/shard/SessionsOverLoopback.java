// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.engine.LoopbackNetwork.Faults;
import dev.heddle.cluster.node.LoopbackSessions;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Real sessions, over a network that loses, repeats, delays and reorders packets, and is cut in
/// one direction or in both. Their times are those of a cluster that runs: a silence of 6 s ends a
/// session. So the leases are not shortened either.
///
/// A packet carries the number of what travels, and what is done where it arrives is known here.
final class SessionsOverLoopback implements ShardSessions {
  private static final Features CAN = new Features(2, 1);

  /// Something on its way.
  private record Travelling(
      String from,
      SimulatedHost.Life to,
      Object session,
      Consumer<SimulatedHost.Life> received,
      Runnable dropped) {}

  private final ShardSimulation world;
  private final LoopbackSessions sessions;
  private final Map<String, LoopbackSessions.Node> nodes =
      new HashMap<>(); // by name, the last life
  private final Map<Long, Travelling> travelling = new LinkedHashMap<>();
  private long last; // number
  private int places;

  SessionsOverLoopback(ShardSimulation world) {
    this.world = world;
    this.sessions = new LoopbackSessions(world.seed, world.now);
    world.drives(sessions);
  }

  @Override
  public void begin() {
    world.hosts.forEach(host -> start(host.life, host.name));
    world.after(100, this::faults);
  }

  private void start(SimulatedHost.Life life, String place) {
    NodeLife self = new NodeLife(life.name(), "h", life.number);
    nodes.put(life.name(), sessions.start(self, place, CAN, new Ear(life)));
  }

  @Override
  public void restarted(SimulatedHost.Life before, SimulatedHost.Life life) {
    LoopbackSessions.Node node = nodes.get(life.name());
    if (before.hasLeft) {
      node.close();
    } else {
      node.crash();
    }
    drop(it -> it.to == before);
    start(life, world.chance(30) ? life.name() + ++places : node.place());
  }

  /// Tells a life what its node hears.
  private final class Ear implements LoopbackSessions.Listener {
    private final SimulatedHost.Life life;

    Ear(SimulatedHost.Life life) {
      this.life = life;
    }

    @Override
    public void opened(NodeLife other, SessionId session) {
      life.opened(other.node(), session);
    }

    @Override
    public void received(NodeLife from, SessionId session, byte[] content) {
      Travelling it = travelling.remove(ByteBuffer.wrap(content).getLong());
      if (it == null || it.to != life || !it.session.equals(session)) {
        throw new AssertionError(
            "seed %d: %s came to %s in %s".formatted(world.seed, it, life.name(), session));
      }
      it.received.accept(life);
    }

    @Override
    public void ended(NodeLife other, SessionId session) {
      if (!life.dead) {
        life.ended(other.node(), session);
      }
      drop(it -> it.to == life && it.session.equals(session));
    }
  }

  private void drop(Predicate<Travelling> which) {
    List<Map.Entry<Long, Travelling>> found =
        travelling.entrySet().stream().filter(it -> which.test(it.getValue())).toList();
    found.forEach(it -> {
      travelling.remove(it.getKey());
      it.getValue().dropped.run();
    });
  }

  @Override
  public void travel(
      SimulatedHost.Life from, String to, Consumer<SimulatedHost.Life> received, Runnable dropped) {
    Object session = from.sessions.get(to);
    if (session == null || from.dead) {
      dropped.run();
      return;
    }
    long number = ++last;
    SimulatedHost.Life life = world.host(to).life;
    travelling.put(number, new Travelling(from.name(), life, session, received, dropped));
    byte[] content = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    if (!nodes.get(from.name()).send(to, content)) {
      travelling.remove(number);
      dropped.run();
    }
  }

  @Override
  public void end() {
    travelling.values().stream()
        .filter(it -> it.session.equals(it.to.sessions.get(it.from)))
        .filter(it -> it.session.equals(world.host(it.from).life.sessions.get(it.to.name())))
        .findFirst()
        .ifPresent(it -> {
          throw new AssertionError(
              "seed %d: something from %s to %s is lost in an open session"
                  .formatted(world.seed, it.from, it.to.name()));
        });
    drop(_ -> true);
  }

  // ---- faults ----

  @Override
  public void paused(SimulatedHost host) {
    LoopbackSessions.Node node = nodes.get(host.name);
    node.pause();
    world.at(host.resumed, () -> resume(node));
  }

  private static void resume(LoopbackSessions.Node node) {
    if (node.isPaused()) {
      node.resume();
    }
  }

  private void faults() {
    if (world.healed) {
      return;
    }
    world.after(100, this::faults);
    for (LoopbackSessions.Node from : nodes.values()) {
      for (LoopbackSessions.Node to : nodes.values()) {
        maybeCut(from, to);
      }
    }
    if (world.rarely(100)) {
      sessions.network().heal();
    }
    if (world.rarely(100)) {
      sessions
          .network()
          .faults(
              switch (world.random.nextInt(4)) {
                case 0 -> new Faults(0.02, 0.05, 0.05, 0.02);
                case 1 -> new Faults(0, 0.2, 0.2, 0);
                default -> Faults.NONE;
              });
    }
  }

  private void maybeCut(LoopbackSessions.Node from, LoopbackSessions.Node to) {
    if (from == to || !world.rarely(20)) {
      return;
    }
    from.cut(to, true);
    if (world.chance(50)) {
      to.cut(from, true);
    }
  }

  @Override
  public void calm() {
    sessions.network().faults(Faults.NONE);
    sessions.network().heal();
    nodes.values().forEach(SessionsOverLoopback::resume);
  }
}
