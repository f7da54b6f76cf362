// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.GuestHandle;
import dev.heddle.netty.handler.GuestHandles;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;

/// One of Netty's own on the ring. Each completion comes once, and Netty uses its event again.
final class UringGuestHandle extends GuestHandle implements IoUringIoHandle {
  private final IoUringIoHandle handle;

  UringGuestHandle(GuestHandles home, IoUringIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    // a ring of ours has entries without extra data
    IoUringIoEvent copy = new IoUringIoEvent(e.res(), e.flags(), e.opcode(), e.userData());
    tell(() -> handle.handle(registration, copy));
  }

  @Override
  protected IoRegistration registration(IoRegistration real) {
    return real;
  }
}
