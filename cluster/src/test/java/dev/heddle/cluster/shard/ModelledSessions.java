// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static dev.heddle.cluster.shard.SimulatedLog.MILLI;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;

/// A model of sessions: they keep the order, and end at random, each side at its own time.
final class ModelledSessions implements ShardSessions {
  private final ShardSimulation world;

  ModelledSessions(ShardSimulation world) {
    this.world = world;
  }

  @Override
  public void restarted(SimulatedHost.Life before, SimulatedHost.Life life) {}

  @Override
  public void paused(SimulatedHost host) {}

  @Override
  public void calm() {}

  @Override
  public void end() {}

  @Override
  public void begin() {
    world.after(world.between(100, 400), this::begin);
    for (SimulatedHost one : world.hosts) {
      for (SimulatedHost other : world.hosts) {
        if (one.name.compareTo(other.name) < 0) {
          change(one, other);
        }
      }
    }
  }

  private void change(SimulatedHost one, SimulatedHost other) {
    boolean isOpen = one.life.sessions.get(other.name) != null;
    boolean isOpenThere = other.life.sessions.get(one.name) != null;
    if (!isOpen && !isOpenThere) {
      boolean runs = world.now >= one.resumed && world.now >= other.resumed;
      if (runs && (world.healed || world.random.nextInt(100) < 30)) {
        Object session = new Object();
        one.life.opened(other.name, session);
        other.life.opened(one.name, session);
      }
      return;
    }
    boolean isStuck =
        Math.max(one.resumed, other.resumed) - world.now > world.scale.millis(6_000) * MILLI;
    if (isOpen != isOpenThere || isStuck || world.rarely(40)) {
      world.after(world.between(1, 1_500), () -> end(one, other));
      world.after(world.between(1, 1_500), () -> end(other, one));
    }
  }

  private static void end(SimulatedHost one, SimulatedHost other) {
    SimulatedHost.Life life = one.life;
    Object session = life.sessions.get(other.name);
    if (session != null) {
      life.whenRunning(() -> life.ended(other.name, session));
    }
  }

  /// Both ends must still have the session when it arrives.
  @Override
  public void travel(
      SimulatedHost.Life from, String to, Consumer<SimulatedHost.Life> received, Runnable dropped) {
    Object session = from.sessions.get(to);
    SimulatedHost receiver = world.host(to);
    SimulatedHost.Life life = receiver.life;
    if (session == null) {
      dropped.run();
      return;
    }
    long arrival =
        Math.max(from.lastArrival.getOrDefault(to, 0L), world.now + travelTime() * MILLI);
    from.lastArrival.put(to, arrival);
    Runnable arrived =
        () -> {
          if (receiver.life == life && life.sessions.get(from.name()) == session) {
            received.accept(life);
          } else {
            dropped.run();
          }
        };
    from.inFlight.computeIfAbsent(to, _ -> new ArrayDeque<>()).add(arrived);
    world.at(arrival, () -> arrive(from, receiver));
  }

  private long travelTime() {
    return world.isCalm && world.random.nextInt(50) == 0
        ? world.between(40, 3_000)
        : world.between(1, 40);
  }

  /// The next one of its direction, so that the order holds behind a pause.
  private void arrive(SimulatedHost.Life from, SimulatedHost receiver) {
    if (world.now < receiver.resumed) {
      world.at(receiver.resumed, () -> arrive(from, receiver));
    } else {
      Objects.requireNonNull(from.inFlight.get(receiver.name)).remove().run();
    }
  }
}
