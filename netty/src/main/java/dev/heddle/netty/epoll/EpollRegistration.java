// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.unix.EdgeRegistration;
import dev.heddle.netty.unix.UnixDescriptor;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;

/// A descriptor in the epoll set. It is removed from the set before it is closed.
final class EpollRegistration implements EpollIoHandle, EdgeRegistration {
  private static final int EDGES = 0x8000_0000; // EPOLLET
  private static final EpollIoOps ALL =
      EpollIoOps.valueOf(
          UnixDescriptor.IN
              | UnixDescriptor.PRI
              | UnixDescriptor.OUT
              | UnixDescriptor.RDHUP
              | EDGES);

  private final UnixDescriptor descriptor;
  private final IoRegistration registration;

  EpollRegistration(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    this.descriptor = descriptor;
    registration = IoHandlerAdapter.register(handler, this, "epoll accepts no more descriptors");
    registration.submit(ALL);
  }

  @Override
  public FileDescriptor fd() {
    return descriptor.fd();
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    descriptor.onReady(((EpollIoEvent) event).ops().value());
  }

  @Override
  public void endAndClose() {
    registration.cancel();
    descriptor.closeNow();
  }

  @Override
  public void close() {
    // the driver closes all its descriptors before the handler
  }
}
