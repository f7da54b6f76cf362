// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

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
  private static final Transport TRANSPORT =
      new Transport(
          NAME,
          new ChannelTypes(
              KQueueIoHandler.class,
              KQueueIoHandle.class,
              KQueueSocketChannel.class,
              KQueueServerSocketChannel.class,
              KQueueDatagramChannel.class),
          Transport.serving(Support.natively("kqueue tells, by edge, direct calls act"), Map.of()),
          false);

  KqueueDriver(DriverHost host) {
    super(host, KQueueIoHandler.newFactory(), TRANSPORT, null);
  }

  @Override
  public GuestHandle guestHandle(GuestHandles home, IoHandle handle) {
    if (handle instanceof KQueueIoHandle own) {
      return new KqueueGuestHandle(home, own);
    }
    throw foreign(handle);
  }

  @Override
  protected Watch watch(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    return new KqueueWatch(handler, descriptor);
  }
}
