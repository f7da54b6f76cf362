// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Engines in memory, in virtual time: a network that loses, delays, repeats and reorders packets
/// as a seeded random says. No thread: who drives it calls [#step].
public final class LoopbackNetwork {
  /// An address.
  public record Place(String name) implements Engine.Address {
    @Override
    public String toString() {
      return name;
    }
  }

  /// How likely what is, 0 to 1.
  public record Faults(double lost, double repeated, double late, double reordered) {
    public static final Faults NONE = new Faults(0, 0, 0, 0);
  }

  private record Direction(Engine.Address from, Engine.Address to) {}

  private record Slow(long byteNanos, boolean areUrgentOvertaking) {}

  private record Event(long at, long order, Runnable action) {}

  private static final long MILLI = 1_000_000;

  private final RandomGenerator random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
  private final Map<Engine.Address, LoopbackEngine> engines = new LinkedHashMap<>();
  private final Map<Direction, Long> last = new HashMap<>();
  private final Set<Direction> cut = new HashSet<>();
  private final Map<Direction, Slow> slow = new HashMap<>();
  private Faults faults = Faults.NONE;
  private long now;
  private long order;

  public LoopbackNetwork(RandomGenerator random) {
    this.random = random;
  }

  public long now() {
    return now;
  }

  /// An engine at a place; an earlier one there is closed first.
  public LoopbackEngine engine(String name) {
    return new LoopbackEngine(this, new Place(name));
  }

  public void faults(Faults faults) {
    this.faults = faults;
  }

  /// Carries nothing from one place to another any more.
  public void cut(Engine.Address from, Engine.Address to) {
    cut.add(new Direction(from, to));
  }

  /// Carries from one place to another again.
  public void heal(Engine.Address from, Engine.Address to) {
    cut.remove(new Direction(from, to));
  }

  /// Carries so many bytes a second from one place to another, one packet behind the other.
  ///
  /// @param areUrgentOvertaking whether urgent packets wait for no other
  public void slow(
      Engine.Address from, Engine.Address to, long bytesPerSecond, boolean areUrgentOvertaking) {
    long byteNanos = 1_000 * MILLI / bytesPerSecond;
    slow.put(new Direction(from, to), new Slow(byteNanos, areUrgentOvertaking));
  }

  /// Carries everything again; engines find each other.
  public void heal() {
    cut.clear();
    for (LoopbackEngine a : engines.values()) {
      engines.values().forEach(b -> announce(a, b));
    }
  }

  private void announce(LoopbackEngine to, LoopbackEngine who) {
    if (to != who) {
      at(now + delay(), () -> to.found(who.address()));
    }
  }

  // ---- what engines do ----

  void opened(LoopbackEngine engine) {
    engines.put(engine.address(), engine);
    for (LoopbackEngine other : engines.values()) {
      int sides = random.nextInt(4); // one of the two finds the other, or both do
      if (sides != 1) {
        announce(engine, other);
      }
      if (sides != 2) {
        announce(other, engine);
      }
    }
  }

  void closed(LoopbackEngine engine) {
    engines.remove(engine.address(), engine);
    for (LoopbackEngine other : engines.values()) {
      if (random.nextInt(2) == 0) {
        at(now + delay(), () -> other.suspected(engine.address()));
      }
    }
  }

  void send(Engine.Address from, Engine.Address to, byte[] packet, Engine.Urgency urgency) {
    send(from, to, packet.length, urgency, packet::clone);
  }

  /// As UNICAST3 sends: each copy is read when it is carried, maybe long after the packet has
  /// arrived. Then the array has another packet, unless [Engine.Outgoing] keeps its promise.
  void send(
      Engine.Address from, Engine.Address to, Engine.Outgoing packet, Engine.Urgency urgency) {
    byte[] sent = Objects.requireNonNull(read(packet));
    send(
        from,
        to,
        sent.length,
        urgency,
        () -> {
          byte[] carried = read(packet);
          if (carried != null && !Arrays.equals(carried, sent)) {
            throw new AssertionError("the array of a packet was used again while it may be sent");
          }
          return carried;
        });
  }

  private static byte @Nullable [] read(Engine.Outgoing packet) {
    byte[] bytes = packet.pin();
    if (bytes == null) {
      return null;
    }
    byte[] copy = Arrays.copyOf(bytes, packet.length());
    packet.unpin();
    return copy;
  }

  private void send(
      Engine.Address from,
      Engine.Address to,
      int length,
      Engine.Urgency urgency,
      Supplier<byte @Nullable []> packet) {
    int copies = chance(faults.repeated) ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (!chance(faults.lost)) {
        carry(new Direction(from, to), length, packet, urgency);
      }
    }
  }

  private void carry(
      Direction way, int length, Supplier<byte @Nullable []> packet, Engine.Urgency urgency) {
    if (cut.contains(way)) {
      return;
    }
    long at = now + delay();
    Slow rate = slow.get(way);
    if (rate != null && (urgency == Engine.Urgency.IN_ORDER || !rate.areUrgentOvertaking())) {
      at = Math.max(at, last.getOrDefault(way, 0L)) + rate.byteNanos() * length;
      last.put(way, at);
    } else if (chance(faults.late)) {
      at += random.nextLong(9_000 * MILLI); // longer than any silence
    } else if (urgency == Engine.Urgency.IN_ORDER && !chance(faults.reordered)) {
      at = Math.max(at, last.getOrDefault(way, 0L));
      last.put(way, at);
    }
    at(at, () -> receive(way, packet.get()));
  }

  private void receive(Direction way, byte @Nullable [] packet) {
    LoopbackEngine receiver = engines.get(way.to);
    if (receiver != null && packet != null) { // one that has arrived before has no content
      receiver.received(way.from, packet);
    }
  }

  private long delay() {
    return MILLI / 10 + random.nextLong(3 * MILLI);
  }

  private boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  // ---- time ----

  private void at(long time, Runnable action) {
    events.add(new Event(time, order++, action));
  }

  /// When something happens next; [Long#MAX_VALUE] for never.
  public long nextAt() {
    Event next = events.peek();
    return next == null ? Long.MAX_VALUE : next.at;
  }

  /// Lets time pass, and what happens until then happen.
  public void advanceTo(long time) {
    while (nextAt() <= time) {
      step();
    }
    now = Math.max(now, time);
  }

  /// Lets the next thing happen.
  public void step() {
    Event event = events.remove();
    now = Math.max(now, event.at);
    event.action.run();
  }
}
