// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.unix.EdgeRegistration;
import dev.heddle.netty.unix.UnixDescriptor;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.kqueue.KQueueIoEvent;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoOps;
import java.io.IOException;

/// A descriptor with a filter for each direction. The system removes both when it is closed.
final class KqueueRegistration implements KQueueIoHandle, EdgeRegistration {
  private static final short READ = -1; // EVFILT_READ
  private static final short WRITE = -2; // EVFILT_WRITE
  private static final short BY_EDGE = 0x1 | 0x20; // EV_ADD, EV_CLEAR
  private static final int EOF = 0x8000; // EV_EOF

  private final UnixDescriptor descriptor;
  private final IoRegistration registration;

  KqueueRegistration(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    this.descriptor = descriptor;
    registration = IoHandlerAdapter.register(handler, this, "kqueue accepts no more descriptors");
    registration.submit(KQueueIoOps.newOps(READ, BY_EDGE, 0));
    registration.submit(KQueueIoOps.newOps(WRITE, BY_EDGE, 0));
  }

  @Override
  public int ident() {
    return descriptor.fd().intValue();
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    KQueueIoEvent e = (KQueueIoEvent) event;
    boolean ended = (e.flags() & EOF) != 0;
    if (e.filter() == READ) {
      descriptor.onReady(ended ? UnixDescriptor.RDHUP : UnixDescriptor.IN);
    } else if (e.filter() == WRITE) {
      descriptor.onReady(ended ? UnixDescriptor.HUP : UnixDescriptor.OUT);
    }
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
