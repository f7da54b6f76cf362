// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.Registration;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.Latency;
import dev.heddle.test.net.Link;
import dev.heddle.test.net.LinkOptions;
import dev.heddle.test.net.memory.Chance.Concern;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A link from one host to another, in one direction.
///
/// **Thread** that of the loop whose turn it is.
final class MemoryLink implements Link {
  /*
   * A packet asks for its way when it leaves: the link adds the time for its bytes, one packet
   * after the other, and draws its latency. Packets may overtake each other; who needs an order
   * keeps it.
   *
   * A partition is looked at twice, when the packet leaves and when it arrives, so that it also
   * stops what was on its way. Several may cut a link; the first one decides what becomes of
   * packets.
   */
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final LinkOptions LOOPBACK =
      LinkOptions.defaults()
          .withLatency(Latency.of(Duration.ofNanos(10_000)))
          .withSegmentBytes(65_483); // what Linux has within a host

  private final Traffic traffic;
  private final ArrayDeque<Packet> held = new ArrayDeque<>();
  private final List<Cut> cuts = new ArrayList<>();
  private LinkOptions options;
  private @Nullable Faults faults; // null: the network's
  private long busyUntil;

  MemoryLink(Traffic traffic, LinkOptions options) {
    this.traffic = traffic;
    this.options = options;
  }

  /// That within a host, on which nothing goes wrong.
  static MemoryLink loopback(Traffic traffic) {
    MemoryLink link = new MemoryLink(traffic, LOOPBACK);
    link.setFaults(Faults.defaults());
    return link;
  }

  /// A packet, with what happens in either case.
  record Packet(int bytes, Runnable arrives, Runnable isLost) {}

  /// One partition; each is another object.
  private static final class Cut {
    private final Partition how;

    Cut(Partition how) {
      this.how = how;
    }
  }

  @Override
  public void setOptions(LinkOptions changed) {
    options = changed;
  }

  @Override
  public LinkOptions options() {
    return options;
  }

  @Override
  public void setFaults(Faults changed) {
    faults = changed;
  }

  @Override
  public Faults faults() {
    return faults == null ? traffic.faults() : faults;
  }

  @Override
  public boolean isCut() {
    return !cuts.isEmpty();
  }

  @Override
  public Registration cut(Partition how) {
    Cut cut = new Cut(how);
    cuts.add(cut);
    return () -> {
      if (!cuts.remove(cut)) {
        return;
      }
      List<Packet> waited = List.copyOf(held);
      held.clear();
      waited.forEach(this::send);
    };
  }

  void send(Packet packet) {
    if (isStopped(packet)) {
      return;
    }
    long start = Math.max(traffic.clock().nanoTime(), busyUntil);
    if (options.bytesPerSecond() > 0) {
      start += packet.bytes() * NANOS_PER_SECOND / options.bytesPerSecond();
      busyUntil = start;
    }
    long arrival = start + drawLatency(options.latency(), traffic.chance());
    traffic.clock().schedule(arrival, () -> arrive(packet));
  }

  static long drawLatency(Latency latency, Chance chance) {
    boolean unusual = chance.happens(Concern.LATENCY, latency.tailChance());
    Duration from = unusual ? latency.most() : latency.least();
    Duration to = unusual ? latency.tail() : latency.most();
    return chance.between(Concern.LATENCY, from.toNanos(), to.toNanos());
  }

  private void arrive(Packet packet) {
    if (!isStopped(packet)) {
      packet.arrives().run();
    }
  }

  private boolean isStopped(Packet packet) {
    if (cuts.isEmpty()) {
      return false;
    }
    if (cuts.getFirst().how == Partition.DELAY) {
      held.add(packet);
    } else {
      packet.isLost().run();
    }
    return true;
  }
}
