// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.driver;

import dev.heddle.netty.OnDriver;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.DriverProvider;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A driver without a loop: the test is its carrier, and ticks by hand.
final class HandDriven implements AutoCloseable {
  static final InetSocketAddress LOOPBACK =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final ReactorDriver driver;

  private HandDriven(ReactorDriver driver) {
    this.driver = driver;
  }

  /// The drivers of this module that are made for this system.
  static Stream<String> names() {
    return OnDriver.names();
  }

  /// Those whose descriptors are watched by edge.
  static Stream<String> byEdge() {
    return names().filter(List.of("io_uring", "epoll", "kqueue")::contains);
  }

  /// Those that bind a path by one call, without a look before it.
  static Stream<String> bindingAtOnce() {
    return names().filter(name -> !name.equals("kqueue"));
  }

  static Stream<DriverProvider> all() {
    return OnDriver.all();
  }

  /// Those that send together what a turn has written.
  static Stream<String> batching() {
    return names().filter("io_uring"::equals);
  }

  /// One that sends small writes together, also where few are written.
  static HandDriven openBatching(String name) {
    System.setProperty("heddle.sends", "batched");
    try {
      return open(name);
    } finally {
      System.clearProperty("heddle.sends");
    }
  }

  /// Skips the test, with the reason, where the driver does not work.
  static HandDriven open(String name) {
    OnDriver.require(name);
    Thread carrier = Thread.currentThread();
    DriverProvider provider = all().filter(p -> p.name().equals(name)).findFirst().orElseThrow();
    return new HandDriven(provider.open(thread -> thread == carrier));
  }

  ReactorDriver driver() {
    return driver;
  }

  /// Ticks until the wait is answered.
  void await(Wait wait) {
    while (wait.isWaiting()) {
      driver.poll(ReactorDriver.NO_DEADLINE);
    }
  }

  /// Ticks until what was closed has gone.
  void settle() {
    while (driver.isArmed()) {
      driver.poll(ReactorDriver.NO_WAIT); // a selector that has tidied up has nothing to wait for
    }
  }

  ListenerDescriptor listener() throws IOException {
    ListenerDescriptor listener = driver.openListener(StandardProtocolFamily.INET6);
    listener.bind(LOOPBACK, 16);
    return listener;
  }

  /// A connection of the driver's whose peer is a channel of the JDK's that blocks.
  Pair pair() throws IOException {
    ListenerDescriptor listener = listener();
    SocketChannel peer = SocketChannel.open(listener.localAddress());
    Wait coming = wait(listener, Direction.READ);
    await(coming);
    SocketDescriptor ours = listener.accept();
    listener.close();
    settle();
    return new Pair(ours, peer);
  }

  record Pair(SocketDescriptor ours, SocketChannel peer) {}

  /// Begins a wait.
  Wait wait(Descriptor descriptor, Direction direction) {
    Wait wait = new Wait(descriptor, direction);
    wait.begin();
    return wait;
  }

  @Override
  public void close() {
    driver.close();
  }

  /// Counts its answers.
  static final class Wait implements ReadinessListener {
    private final Descriptor descriptor;
    private final Direction direction;
    private boolean waiting;
    int answers;
    @Nullable Throwable error;

    Wait(Descriptor descriptor, Direction direction) {
      this.descriptor = descriptor;
      this.direction = direction;
    }

    void begin() {
      waiting = true;
      descriptor.arm(direction, this);
    }

    void cancel() {
      waiting = false;
      descriptor.disarm(direction, this);
    }

    boolean isWaiting() {
      return waiting;
    }

    @Override
    public void onReady(@Nullable Throwable e) {
      waiting = false;
      answers++;
      error = e;
    }
  }
}
