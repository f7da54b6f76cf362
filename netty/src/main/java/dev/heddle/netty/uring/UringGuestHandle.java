// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.GuestHandle;
import dev.heddle.netty.handler.GuestHandles;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One of Netty's own on the ring. Each completion comes once, and Netty uses its event again.
///
/// **A server channel with no descriptor left.** Netty submits a failed accept anew at once,
/// whatever the channel's `autoRead` says, and the system refuses it anew at once: the loop would
/// do nothing else. So such a failure reaches the channel a second late, which is the pause that
/// Netty's `ServerBootstrap` makes on other transports.
final class UringGuestHandle extends GuestHandle implements IoUringIoHandle {
  private static final byte ACCEPT = 13; // IORING_OP_ACCEPT
  private static final int CANCELLED = -125; // ECANCELED
  private static final Set<Integer> NOTHING_LEFT =
      Set.of(-24, -23, -105, -12); // EMFILE, ENFILE, ENOBUFS, ENOMEM
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final IoUringIoHandle handle;
  private @Nullable Runnable tellNow; // the failure that is kept back

  UringGuestHandle(GuestHandles home, IoUringIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    int result = isAbandoned() && e.res() < 0 ? CANCELLED : e.res(); // by us, whatever it says
    // a ring of ours has entries without extra data
    IoUringIoEvent copy = new IoUringIoEvent(result, e.flags(), e.opcode(), e.userData());
    if (e.opcode() == ACCEPT && NOTHING_LEFT.contains(e.res()) && !isAbandoned()) {
      tellNow =
          tellLater(
              () -> {
                tellNow = null;
                handle.handle(this, copy);
              },
              PAUSE);
    } else {
      tell(() -> handle.handle(this, copy));
    }
  }

  /// While a failure is kept back the channel accepts nothing: it takes something back, or closes.
  @Override
  public long submit(IoOps ops) {
    Runnable kept = tellNow;
    if (kept != null) {
      tellNow = null;
      kept.run();
    }
    return submitNow(ops);
  }
}
