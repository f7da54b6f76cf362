// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.GuestHandle;
import dev.heddle.netty.handler.GuestHandles;
import dev.heddle.netty.unix.Transport;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.netty.unix.Watch;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Support;
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
  private static final Transport TRANSPORT =
      new Transport(
          NAME,
          new ChannelTypes(
              EpollIoHandler.class,
              EpollIoHandle.class,
              EpollSocketChannel.class,
              EpollServerSocketChannel.class,
              EpollDatagramChannel.class),
          Transport.servingLinux(
              Support.natively("epoll tells, by edge, direct calls act"), Map.of()),
          true);

  EpollDriver(DriverHost host) {
    super(host, EpollIoHandler.newFactory(), TRANSPORT, null);
  }

  @Override
  public GuestHandle guestHandle(GuestHandles home, IoHandle handle) {
    if (handle instanceof EpollIoHandle own) {
      return new EpollGuestHandle(home, own);
    }
    throw foreign(handle);
  }

  @Override
  protected Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    return new EpollWatch(handler, descriptor);
  }
}
