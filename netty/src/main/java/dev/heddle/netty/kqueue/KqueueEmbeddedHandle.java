// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.kqueue;

import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.ReadinessHandle;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.kqueue.KQueueIoEvent;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoOps;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A Netty channel's handle in the kqueue, with one filter per kind of event. Muting disables the
/// filters that have fired.
final class KqueueEmbeddedHandle extends ReadinessHandle implements KQueueIoHandle {
  private static final short DELETE = 0x2; // EV_DELETE
  private static final short ENABLE = 0x4; // EV_ENABLE
  private static final short DISABLE = 0x8; // EV_DISABLE

  private final KQueueIoHandle handle;
  private final Map<Short, KQueueIoEvent> ready = new TreeMap<>(); // by filter

  KqueueEmbeddedHandle(EmbeddedHandles home, KQueueIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public int ident() {
    return handle.ident();
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    KQueueIoEvent e = (KQueueIoEvent) event;
    // Netty reuses the event object
    ready.put(
        e.filter(),
        KQueueIoEvent.newEvent(e.ident(), e.filter(), e.flags(), e.fflags(), e.data(), e.udata()));
    markPending();
  }

  @Override
  protected void forwardEvents() {
    List<KQueueIoEvent> all = List.copyOf(ready.values());
    ready.clear();
    for (KQueueIoEvent each : all) {
      if (isValid()) {
        handle.handle(this, each);
      }
    }
  }

  @Override
  public long submit(IoOps ops) {
    KQueueIoOps asked = (KQueueIoOps) ops;
    if ((asked.flags() & DELETE) != 0) {
      ready.remove(asked.filter()); // and must not be enabled again
    }
    return submitNow(ops);
  }

  @Override
  protected void updateInterest() {
    for (short filter : ready.keySet()) {
      registration().submit(KQueueIoOps.newOps(filter, isMuted() ? DISABLE : ENABLE, 0));
    }
  }
}
