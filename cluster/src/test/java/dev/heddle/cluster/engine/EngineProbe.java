// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// An engine on loopback and what its listener was told.
final class EngineProbe implements Engine.Listener, AutoCloseable {
  private static final long GUARD_MINUTES = 2;

  final BlockingQueue<Engine.Address> found = new LinkedBlockingQueue<>();
  final BlockingQueue<Engine.Address> closed = new LinkedBlockingQueue<>();
  final BlockingQueue<Engine.Address> suspected = new LinkedBlockingQueue<>();
  final BlockingQueue<Packet> packets = new LinkedBlockingQueue<>();
  final JGroupsEngine engine;

  record Packet(Engine.Address from, byte[] content) {}

  private EngineProbe(JGroupsEngine engine) {
    this.engine = engine;
  }

  static EngineProbe open(String node, int port, @Nullable SSLContext tls, int... seeds)
      throws IOException {
    List<InetSocketAddress> all =
        java.util.Arrays.stream(seeds)
            .mapToObj(seed -> InetSocketAddress.createUnresolved("127.0.0.1", seed))
            .toList();
    var bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    var probe =
        new EngineProbe(new JGroupsEngine(new JGroupsEngine.Settings(node, bind, port, all, tls)));
    probe.engine.open(probe);
    return probe;
  }

  @Override
  public void found(Engine.Address address) {
    found.add(address);
  }

  @Override
  public void closed(Engine.Address address) {
    closed.add(address);
  }

  @Override
  public void suspected(Engine.Address address) {
    suspected.add(address);
  }

  @Override
  public void received(Engine.Address from, byte[] packet) {
    packets.add(new Packet(from, packet));
  }

  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(GUARD_MINUTES, MINUTES);
    if (next == null) {
      throw new AssertionError("nothing in " + GUARD_MINUTES + " minutes");
    }
    return next;
  }

  /// The address of another node, once it is found.
  Engine.Address waitFor(EngineProbe other) throws InterruptedException {
    while (true) {
      Engine.Address next = next(found);
      if (next.equals(other.engine.address())) {
        return next;
      }
    }
  }

  @Override
  public void close() {
    engine.close();
  }
}
