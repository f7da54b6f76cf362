// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.GuestHandle;
import dev.heddle.netty.handler.GuestHandles;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.netty.unix.Watch;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.kqueue.KQueueDatagramChannel;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import java.io.IOException;
import java.util.Map;

/// The kqueue of macOS, by edge.
final class KqueueDriver extends UnixDriver {
  static final String NAME = "kqueue";
  private static final Support POLLED = Support.natively("kqueue tells, by edge, direct calls act");
  private static final Support WATCHED =
      Support.composed(
          "a Selector on a thread of its own tells; the driver cannot see their numbers");
  private static final Support RAW =
      Support.refused("descriptors are watched by number on Linux only; watch a channel");
  private static final ChannelTypes CHANNELS =
      new ChannelTypes(
          KQueueIoHandler.class,
          KQueueIoHandle.class,
          KQueueSocketChannel.class,
          KQueueServerSocketChannel.class,
          KQueueDatagramChannel.class);
  private static final Map<Facility, Support> CAPABILITIES =
      Support.withThoseBesideTheLoop(
          Map.of(
              Facility.TCP, POLLED,
              Facility.UNIX, POLLED,
              Facility.UNIX_DATAGRAM, POLLED,
              Facility.UDP, POLLED,
              Facility.PIPE, POLLED,
              Facility.POLL, WATCHED,
              Facility.RAW_POLL, RAW));

  KqueueDriver(DriverHost host) {
    super(host, KQueueIoHandler.newFactory());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public ChannelTypes channelTypes() {
    return CHANNELS;
  }

  @Override
  public GuestHandle guestHandle(GuestHandles home, IoHandle handle) {
    if (handle instanceof KQueueIoHandle own) {
      return new KqueueGuestHandle(home, own);
    }
    throw foreign(handle);
  }

  @Override
  public Map<Facility, Support> capabilities() {
    return CAPABILITIES;
  }

  @Override
  protected Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    return new KqueueWatch(handler, descriptor);
  }
}
