// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.engine.LoopbackNetwork.Faults;
import dev.heddle.cluster.name.NameSimulation.Life;
import dev.heddle.cluster.node.LoopbackSessions;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Real sessions, over a network that loses, repeats, delays and reorders packets, and is cut in
/// one direction or in both. Their times are those of a cluster that runs: a silence of 6 s ends a
/// session. So the leases are not shortened either.
final class SessionsOverLoopback implements SimulatedSessions {
  private static final int CALM_MILLIS = 40_000; // an address that has refused is greeted each 15 s
  private static final int LEFT_MILLIS = 100; // it has said goodbye

  /// One direction.
  private record Way(String from, String to) {}

  private final SimulatedTime time;
  private final LoopbackSessions sessions;
  private final Map<String, LoopbackSessions.Node> nodes =
      new HashMap<>(); // by name, the last life
  private final List<Way> ways = new ArrayList<>();
  private final List<Way> cut = new ArrayList<>();
  private final Set<Way> cutOff = new HashSet<>(); // of those, with all of a node
  private int places;

  SessionsOverLoopback(NameSimulation world) {
    this.time = world.time;
    this.sessions = new LoopbackSessions(world.seed, time.now());
    for (String from : time.scale.names()) {
      time.scale.names().stream()
          .filter(to -> !to.equals(from))
          .forEach(to -> ways.add(new Way(from, to)));
    }
    time.drives(sessions);
  }

  @Override
  public void begin(Life life) {
    String name = life.node.name;
    LoopbackSessions.Node before = nodes.get(name);
    boolean isMoved = before != null && time.chance(300);
    String place = isMoved ? name + ++places : before == null ? name : before.place();
    Features can = new Features(life.codec.formats().newest(), 1);
    LoopbackSessions.Node node = sessions.start(life.self, place, can, new Ear(life));
    nodes.put(name, node);
    if (life.node.isPaused()) {
      node.pause();
    }
    cut.forEach(way -> carry(way, true));
  }

  /// Hands to the service what a node hears.
  private record Ear(Life life) implements LoopbackSessions.Listener {
    @Override
    public void opened(NodeLife other, SessionId session) {
      life.service.opened(other);
    }

    @Override
    public void received(NodeLife from, SessionId session, byte[] content) {
      life.service.received(from, content);
    }

    @Override
    public void ended(NodeLife other, SessionId session) {
      if (!life.isDead()) { // a node that closes has no names any more
        life.service.ended(other);
      }
    }
  }

  @Override
  public void end(Life life, int most) {
    LoopbackSessions.Node node = nodes.get(life.node.name);
    if (most > LEFT_MILLIS) {
      node.crash();
    } else {
      node.close();
    }
  }

  @Override
  public void pause(Life life) {
    nodes.get(life.node.name).pause();
  }

  @Override
  public void resume(Life life) {
    nodes.get(life.node.name).resume();
  }

  @Override
  public boolean send(Life from, String to, byte[] content) {
    return nodes.get(from.node.name).send(to, content);
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Life from, String to) {
    return nodes.get(from.node.name).room(to);
  }

  @Override
  public int logFormat(Life at, String other) {
    Features can = nodes.get(at.node.name).can(other);
    return can == null ? 0 : can.logFormat();
  }

  @Override
  public boolean reaches(String one, String other) {
    return !cut.contains(new Way(one, other)) && !cut.contains(new Way(other, one));
  }

  @Override
  public void faults() {
    for (Way way : ways) {
      if (cut.contains(way)) {
        if (!cutOff.contains(way) && time.rarely(6)) {
          heal(way);
        }
      } else if (time.rarely(1)) {
        cut(way);
        if (time.chance(500)) {
          cut(new Way(way.to, way.from));
        }
      }
    }
    if (time.rarely(10)) {
      sessions
          .network()
          .faults(
              switch (time.random.nextInt(4)) {
                case 0 -> new Faults(0.02, 0.05, 0.05, 0.02);
                case 1 -> new Faults(0, 0.2, 0.2, 0);
                default -> Faults.NONE;
              });
    }
    if (time.rarely(10)) {
      Way rumour = ways.get(time.random.nextInt(ways.size()));
      nodes.get(rumour.from).suspected(nodes.get(rumour.to));
    }
  }

  private void cut(Way way) {
    if (!cut.contains(way)) {
      cut.add(way);
      carry(way, true);
    }
  }

  private void heal(Way way) {
    cut.remove(way);
    carry(way, false);
  }

  private void carry(Way way, boolean isCut) {
    LoopbackSessions.Node from = nodes.get(way.from);
    LoopbackSessions.Node to = nodes.get(way.to);
    if (from != null && to != null) {
      from.cut(to, isCut);
    }
  }

  @Override
  public void cutOff(String node) { // for as long as a lease, or longer
    List<Way> own = ways.stream().filter(it -> it.from.equals(node) || it.to.equals(node)).toList();
    own.forEach(this::cut);
    cutOff.addAll(own);
    time.after(
        time.between(2_000, 25_000),
        () -> {
          cutOff.removeAll(own);
          own.forEach(this::heal);
        });
  }

  @Override
  public void calm() {
    cut.clear();
    cutOff.clear();
    sessions.network().faults(Faults.NONE);
    sessions.network().heal();
  }

  @Override
  public int calmMillis() {
    return CALM_MILLIS;
  }
}
