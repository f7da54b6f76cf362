// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A link from one host to another, in one direction.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// **Thread** that of the loop whose turn it is.
public final class Link {
  /*
   * A packet asks for its way when it leaves: the link adds the time for its bytes, one packet
   * after the other, and draws its latency. Packets may overtake each other; who needs an order
   * keeps it.
   *
   * A partition is looked at twice, when the packet leaves and when it arrives, so that it also
   * stops what was on its way.
   */
  /// What a partition does with packets.
  public enum Partition {
    /// They are lost. Streams send them again, with growing pauses, and give up in the end.
    DROP,
    /// They wait for the end of the partition.
    DELAY
  }

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final SimulatedNetwork network;
  private final ArrayDeque<Packet> held = new ArrayDeque<>();
  private LinkOptions options;
  private @Nullable Faults faults; // null: the network's
  private @Nullable Partition partition;
  private long busyUntil;

  Link(SimulatedNetwork network, LinkOptions options) {
    this.network = network;
    this.options = options;
  }

  /// A packet, with what happens in either case.
  record Packet(int bytes, Runnable arrives, Runnable isLost) {}

  /// Changes what the link is like, for packets that leave from now on.
  public void setOptions(LinkOptions changed) {
    options = changed;
  }

  /// What the link is like.
  public LinkOptions options() {
    return options;
  }

  /// Changes what goes wrong here; else it is what goes wrong in the whole network.
  public void setFaults(Faults changed) {
    faults = changed;
  }

  /// What goes wrong here.
  public Faults faults() {
    return faults == null ? network.faults() : faults;
  }

  /// Lets nothing through, until [#heal()].
  public void cut(Partition how) {
    partition = how;
  }

  /// Lets everything through again, first what has waited.
  public void heal() {
    partition = null;
    for (Packet packet = held.poll(); packet != null; packet = held.poll()) {
      send(packet);
    }
  }

  /// Whether it lets nothing through.
  public boolean isCut() {
    return partition != null;
  }

  void send(Packet packet) {
    if (isStopped(packet)) {
      return;
    }
    long start = Math.max(network.clock().nanoTime(), busyUntil);
    if (options.bytesPerSecond() > 0) {
      start += packet.bytes() * NANOS_PER_SECOND / options.bytesPerSecond();
      busyUntil = start;
    }
    long arrival = start + options.latency().draw(network.chance());
    network.clock().schedule(arrival, () -> arrive(packet));
  }

  private void arrive(Packet packet) {
    if (!isStopped(packet)) {
      packet.arrives().run();
    }
  }

  private boolean isStopped(Packet packet) {
    if (partition == Partition.DELAY) {
      held.add(packet);
    } else if (partition == Partition.DROP) {
      packet.isLost().run();
    }
    return partition != null;
  }
}
