// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.epoll;

import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.ReadinessHandle;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.UncheckedIOException;

/// A Netty channel's handle in the epoll set, level-triggered. A muted handle is edge-triggered,
/// because errors and hang-ups cannot be masked.
final class EpollEmbeddedHandle extends ReadinessHandle implements EpollIoHandle {
  private record Reported(EpollIoOps ops) implements EpollIoEvent {}

  private final EpollIoHandle handle;
  private EpollIoOps wanted = EpollIoOps.NONE;
  private int ready;
  private boolean isInSet; // registered in the epoll set

  EpollEmbeddedHandle(EmbeddedHandles home, EpollIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public FileDescriptor fd() {
    return handle.fd();
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    ready |= ((EpollIoEvent) event).ops().value();
    markPending();
  }

  @Override
  protected void forwardEvents() {
    EpollIoOps all = EpollIoOps.valueOf(ready);
    ready = 0;
    handle.handle(this, new Reported(all));
  }

  @Override
  public long submit(IoOps ops) {
    wanted = (EpollIoOps) ops;
    isInSet |= !wanted.equals(EpollIoOps.NONE);
    return submitNow(asked());
  }

  // Netty's handler removes a handle without interest from the set and later fails to find it: so
  // it stays registered, edge-triggered, and only its end is reported, once
  private EpollIoOps asked() {
    if (wanted.equals(EpollIoOps.NONE)) {
      return isInSet ? EpollIoOps.EPOLLET : wanted;
    }
    return isMuted() ? wanted.with(EpollIoOps.EPOLLET) : wanted;
  }

  @Override
  protected void updateInterest() {
    try {
      registration().submit(asked());
    } catch (UncheckedIOException _) {
      // safe: its descriptor is closed and not reported any more
    }
  }
}
