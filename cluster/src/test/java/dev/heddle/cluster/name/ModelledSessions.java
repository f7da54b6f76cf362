// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.name.NameSimulation.Life;
import dev.heddle.cluster.wire.NodeLife;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A model of sessions: they keep the order, and end when a pair of nodes is cut in both
/// directions, each side at its own time.
final class ModelledSessions implements SimulatedSessions {
  private static final int CALM_MILLIS = 15_000;

  private final NameSimulation world;
  private final SimulatedTime time;
  private final Map<Set<String>, SimulatedPair> pairs = new HashMap<>();
  private int sessions;

  ModelledSessions(NameSimulation world) {
    this.world = world;
    this.time = world.time;
    List<String> names = time.scale.names();
    for (int i = 0; i < names.size(); i++) {
      for (String other : names.subList(0, i)) {
        pairs.put(Set.of(names.get(i), other), new SimulatedPair());
      }
    }
  }

  @Override
  public void begin(Life life) {}

  @Override
  public void end(Life life, int most) {
    String name = life.node.name;
    pairs.forEach((names, pair) -> {
      if (names.contains(name)) {
        if (pair.session != 0) {
          close(names, pair, most);
        }
        pair.open.remove(name);
      }
    });
  }

  @Override
  public void pause(Life life) {}

  @Override
  public void resume(Life life) {}

  @Override
  public boolean send(Life from, String to, byte[] content) {
    SimulatedPair pair = pairs.get(Set.of(from.node.name, to));
    if (!pair.open.containsKey(from.node.name) || time.chance(1)) {
      return false;
    }
    Life other = world.node(to).life;
    if (pair.session != 0) {
      arrive(pair, pair.session, other, () -> other.service.received(from.self, content));
    }
    return true;
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Life from, String to) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public int logFormat(Life at, String other) {
    SimulatedPair pair = pairs.get(Set.of(at.node.name, other));
    return pair.open.containsKey(at.node.name) ? pair.formats.get(other) : 0;
  }

  @Override
  public boolean reaches(String one, String other) {
    return !pairs.get(Set.of(one, other)).isCut;
  }

  @Override
  public void faults() {
    pairs.forEach((names, pair) -> {
      if (pair.isCut ? time.rarely(6) : time.rarely(2)) {
        pair.isCut = !pair.isCut;
      }
      meet(names, pair);
    });
  }

  @Override
  public void cutOff(String node) {
    pairs.forEach((names, pair) -> pair.isCut |= names.contains(node));
  }

  @Override
  public void calm() {
    pairs.values().forEach(pair -> pair.isCut = false);
  }

  @Override
  public int calmMillis() {
    return time.scale.millis(CALM_MILLIS);
  }

  /// Ends and opens the session of two nodes.
  private void meet(Set<String> names, SimulatedPair pair) {
    if (pair.isCut && pair.session != 0) {
      close(names, pair, time.scale.millis(6_000));
    } else if (!pair.isCut
        && pair.session == 0
        && pair.open.isEmpty()
        && lives(names).stream().noneMatch(Life::isDead)) {
      int session = ++sessions;
      pair.session = session;
      pair.last.clear();
      List<Life> lives = lives(names);
      for (int i = 0; i < 2; i++) {
        Life life = lives.get(i);
        NodeLife other = lives.get(1 - i).self;
        pair.open.put(life.node.name, session);
        pair.formats.put(life.node.name, life.codec.formats().newest());
        arrive(pair, session, life, () -> life.service.opened(other));
      }
    }
  }

  private List<Life> lives(Set<String> names) {
    return world.nodes.stream().filter(it -> names.contains(it.name)).map(it -> it.life).toList();
  }

  /// @param most until a node notices it, ms
  private void close(Set<String> names, SimulatedPair pair, int most) {
    int session = pair.session;
    pair.session = 0;
    List<Life> lives = lives(names);
    for (int i = 0; i < 2; i++) {
      Life life = lives.get(i);
      NodeLife other = lives.get(1 - i).self;
      if (pair.open.containsKey(life.node.name)) {
        time.after(
            time.between(1, most),
            () -> {
              pair.open.remove(life.node.name, session);
              life.whenRunning(() -> life.service.ended(other));
            });
      }
    }
  }

  /// In order, in its session only.
  private void arrive(SimulatedPair pair, int session, Life at, Runnable run) {
    long earliest = pair.last.getOrDefault(at.node.name, 0L) + 1;
    long when = Math.max(earliest, time.now() + time.delay() * SimulatedTime.MILLI);
    pair.last.put(at.node.name, when);
    time.at(
        when,
        () ->
            at.whenRunning(() -> {
              if (pair.session == session) {
                run.run();
              }
            }));
  }
}
