// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.jgroups;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.PartnerProcess;
import dev.heddle.bench.partner.Trips;
import dev.heddle.bench.partner.Window;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jgroups.Address;
import org.jspecify.annotations.Nullable;

/// Round trips, or items one way, between two bare nodes.
public final class JGroupsTraffic implements Program {
  private static final int PING_BYTES = 24; // about a small record's

  private final int packed;
  private final PartnerProcess partner;
  private final JGroupsNode node;
  private final Address other;
  private final List<Semaphore> credit = new ArrayList<>();
  private volatile @Nullable Pings pings;

  private JGroupsTraffic(int packed) throws Exception {
    this.packed = packed;
    for (int i = 0; i < Window.SENDERS; i++) {
      credit.add(new Semaphore(Window.SIZE));
    }
    partner = PartnerProcess.start(JGroupsPartner.class);
    var at =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), Integer.parseInt(partner.address()));
    node = new JGroupsNode(JGroupsPartner.freePort(), List.of(at), this::received);
    other = node.other();
  }

  /// One message to and fro.
  public static Program pingPong() throws Exception {
    return new JGroupsTraffic(0);
  }

  /// Items one way.
  ///
  /// @param packed how many go in one message
  public static Program oneWay(int packed) throws Exception {
    return new JGroupsTraffic(packed);
  }

  @Override
  public Sample round(long operations) throws Exception {
    return packed == 0 ? trips(operations) : items(operations);
  }

  private Sample trips(long operations) throws Exception {
    var trips = new Pings(operations);
    pings = trips;
    var meter = new Meter();
    meter.start();
    trips.next();
    trips.over.get();
    return trips.times.in(meter.stop(operations));
  }

  private Sample items(long operations) throws Exception {
    long each = Window.each(operations);
    List<Thread> senders = new ArrayList<>();
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < Window.SENDERS; i++) {
      int sender = i;
      senders.add(Thread.ofPlatform().start(() -> send(sender, each)));
    }
    for (Thread sender : senders) {
      sender.join();
    }
    for (Semaphore window : credit) {
      window.acquire(Window.SIZE); // all counted there
      window.release(Window.SIZE);
    }
    return meter.stop(each * Window.SENDERS);
  }

  private void send(int sender, long each) {
    byte[] item = new byte[JGroupsPartner.ITEM_BYTES];
    item[0] = 1;
    for (long sent = 0; sent < each; sent += packed) {
      int items = (int) Math.min(packed, each - sent);
      credit.get(sender).acquireUninterruptibly(items);
      int length = JGroupsPartner.HEAD_BYTES + items * JGroupsPartner.ITEM_BYTES;
      ByteBuffer packet = ByteBuffer.allocate(length);
      packet.put(JGroupsPartner.ITEMS).put((byte) sender).putInt(items);
      for (int i = 0; i < items; i++) {
        packet.put(item);
      }
      node.send(other, packet.array(), length);
    }
  }

  private void received(Address from, byte[] bytes, int offset, int length) {
    if (bytes[offset] == JGroupsPartner.CREDIT) {
      credit.get(bytes[offset + 1]).release(Window.CREDIT);
      return;
    }
    Pings trips = pings;
    if (trips != null) {
      trips.answered();
    }
  }

  @Override
  public void close() throws Exception {
    node.close();
    partner.close();
  }

  /// The round trips of a round, one after the other.
  private final class Pings {
    private final Trips times;
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private volatile long began;

    Pings(long operations) {
      times = new Trips(operations);
    }

    void next() {
      byte[] ping = new byte[PING_BYTES];
      ping[0] = JGroupsPartner.PING;
      began = System.nanoTime();
      node.send(other, ping, PING_BYTES);
    }

    void answered() {
      if (times.since(began)) {
        over.complete(true);
      } else {
        next();
      }
    }
  }
}
