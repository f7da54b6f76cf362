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

/// One of Netty's own in the set, by level. Muted it is told by edge: errors and the peer's end
/// cannot be switched off.
final class EpollEmbeddedHandle extends ReadinessHandle implements EpollIoHandle {
  private record Told(EpollIoOps ops) implements EpollIoEvent {}

  private final EpollIoHandle handle;
  private EpollIoOps wanted = EpollIoOps.NONE;
  private int ready;
  private boolean isInSet; // of those that epoll watches

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
    handle.handle(this, new Told(all));
  }

  @Override
  public long submit(IoOps ops) {
    wanted = (EpollIoOps) ops;
    isInSet |= !wanted.equals(EpollIoOps.NONE);
    return submitNow(asked());
  }

  // Netty's handler takes who wants nothing out of the set, and then does not find it there: it
  // stays, and is told nothing but its end, once
  private EpollIoOps asked() {
    if (wanted.equals(EpollIoOps.NONE)) {
      return isInSet ? EpollIoOps.EPOLLET : wanted;
    }
    return isMuted() ? wanted.with(EpollIoOps.EPOLLET) : wanted;
  }

  @Override
  protected void mute() {
    try {
      registration().submit(asked());
    } catch (UncheckedIOException _) {
      // safe: its descriptor has been closed, and is told no more
    }
  }

  @Override
  protected void unmute() {
    try {
      registration().submit(asked());
    } catch (UncheckedIOException _) {
      // safe: the same
    }
  }
}
