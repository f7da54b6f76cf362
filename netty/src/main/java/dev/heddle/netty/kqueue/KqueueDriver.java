// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.EmbeddedHandle;
import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.unix.Transport;
import dev.heddle.netty.unix.UnixDriver;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.Support;
import io.netty.channel.IoHandle;
import io.netty.channel.kqueue.KQueueDatagramChannel;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import java.util.Map;

/// The driver over macOS's kqueue, edge-triggered.
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
          Transport.serving(
              Support.natively("kqueue (edge-triggered), direct system calls"), Map.of()),
          false);

  KqueueDriver(DriverHost host) {
    super(host, KQueueIoHandler.newFactory(), TRANSPORT, KqueueRegistration::new, null);
  }

  @Override
  public EmbeddedHandle wrap(EmbeddedHandles home, IoHandle handle) {
    return new KqueueEmbeddedHandle(home, (KQueueIoHandle) handle);
  }
}
