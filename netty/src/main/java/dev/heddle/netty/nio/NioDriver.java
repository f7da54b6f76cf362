// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.nio;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.EmbeddedHandle;
import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.handler.NettyDriver;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.jdk.ChannelDriver;
import dev.heddle.reactor.jdk.Interest;
import dev.heddle.reactor.jdk.JdkDescriptor;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.util.Map;

/// The driver over JDK channels and the selector of Netty's handler, for Netty's channels on
/// systems without a better transport.
final class NioDriver extends ChannelDriver implements NettyDriver {
  static final String NAME = "nio";
  private static final long HALF_A_MILLI = 500_000; // nanoseconds
  private static final ChannelTypes CHANNELS =
      new ChannelTypes(
          NioIoHandler.class,
          NioIoHandle.class,
          NioSocketChannel.class,
          NioServerSocketChannel.class,
          NioDatagramChannel.class);
  private static final Map<Capability, Support> CAPABILITIES =
      serving(Support.natively("Netty's Selector, JDK channels"));

  private final IoHandlerAdapter handler;

  NioDriver(DriverHost host) {
    this.handler = new IoHandlerAdapter(host, NioIoHandler.newFactory());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public IoHandlerAdapter handler() {
    return handler;
  }

  @Override
  public ChannelTypes channelTypes() {
    return CHANNELS;
  }

  @Override
  public EmbeddedHandle wrap(EmbeddedHandles home, IoHandle handle) {
    return new NioEmbeddedHandle(home, (NioIoHandle) handle);
  }

  @Override
  protected Interest register(JdkDescriptor descriptor, int ops) throws IOException {
    try {
      return new NioRegistration(this, descriptor, ops);
    } catch (ChannelException e) {
      // Netty's exception when no descriptor is left
      throw new IOException("the driver " + NAME + " cannot poll: " + e.getMessage(), e);
    }
  }

  void onReady(JdkDescriptor descriptor, int ops) {
    ready(descriptor, ops);
  }

  @Override
  protected boolean isOpen() {
    return handler.isOpen();
  }

  @Override
  public boolean isArmed() {
    return super.isArmed() || handler.isArmed();
  }

  @Override
  public boolean wouldOnlyRepeat() {
    return !super.isArmed();
  }

  // Netty rounds to the nearest millisecond and would spin for the rest
  @Override
  protected void select(long deadlineNanos) {
    boolean isMoment = deadlineNanos != NO_WAIT && deadlineNanos < NO_DEADLINE - HALF_A_MILLI;
    handler.turn(isMoment ? deadlineNanos + HALF_A_MILLI : deadlineNanos);
  }

  @Override
  public void wakeup() {
    handler.wakeup();
  }

  @Override
  protected void release() {
    if (handler.isOpen()) {
      handler.turn(NO_WAIT); // deregisters closed channels
    }
    handler.close();
  }
}
