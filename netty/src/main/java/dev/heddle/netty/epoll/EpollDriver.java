// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.GuestHandle;
import dev.heddle.netty.handler.GuestHandles;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.netty.unix.Watch;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.raw.RawDescriptors;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.util.Map;

/// Linux's epoll, by edge.
final class EpollDriver extends UnixDriver {
  static final String NAME = "epoll";
  private static final Support POLLED = Support.natively("epoll tells, by edge, direct calls act");
  private static final Support WATCHED =
      Support.composed(
          "a Selector on a thread of its own tells; the driver cannot see their numbers");
  private static final Support RAW =
      RawDescriptors.support(Support.natively("an epoll set of theirs, which the driver watches"));
  private static final ChannelTypes CHANNELS =
      new ChannelTypes(
          EpollIoHandler.class,
          EpollIoHandle.class,
          EpollSocketChannel.class,
          EpollServerSocketChannel.class,
          EpollDatagramChannel.class);
  private static final Map<Facility, Support> CAPABILITIES =
      servingLinux(
          Map.of(
              Facility.TCP, POLLED,
              Facility.UNIX, POLLED,
              Facility.UDP, POLLED,
              Facility.PIPE, POLLED,
              Facility.POLL, WATCHED,
              Facility.RAW_POLL, RAW));

  EpollDriver(DriverHost host) {
    super(host, EpollIoHandler.newFactory());
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
    if (handle instanceof EpollIoHandle own) {
      return new EpollGuestHandle(home, own);
    }
    throw foreign(handle);
  }

  @Override
  public Map<Facility, Support> capabilities() {
    return CAPABILITIES;
  }

  @Override
  protected boolean tellsOfUrgentData() {
    return true;
  }

  @Override
  protected Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    return new EpollWatch(handler, descriptor);
  }
}
