// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.EmbeddedHandle;
import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.unix.Transport;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandle;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Map;

/// The driver over Linux's epoll, edge-triggered.
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
              Support.natively("epoll (edge-triggered), direct system calls"), Map.of()),
          true);

  EpollDriver(DriverHost host) {
    super(host, EpollIoHandler.newFactory(), TRANSPORT, EpollRegistration::new, null);
  }

  @Override
  public EmbeddedHandle wrap(EmbeddedHandles home, IoHandle handle) {
    return new EpollEmbeddedHandle(home, (EpollIoHandle) handle);
  }
}
