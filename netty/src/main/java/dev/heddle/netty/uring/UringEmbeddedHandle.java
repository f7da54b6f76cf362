// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.EmbeddedHandle;
import dev.heddle.netty.handler.EmbeddedHandles;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A Netty channel's handle on the ring. Each completion is reported once, and Netty reuses its
/// event object.
///
/// **A server channel without a free descriptor.** Netty resubmits a failed accept at once,
/// regardless of the channel's `autoRead`, and it fails again at once: the loop would do nothing
/// else. So such a failure is delivered to the channel after a second, the pause that Netty's
/// `ServerBootstrap` makes on other transports.
///
/// **A connection that is reset after its last bytes.** Netty stops reading when the system reports
/// that nothing is left, and waits for a poll. The system reports that also when only the reset is
/// left, which its polls have already reported: a half-closed channel would never learn of it. So
/// after a poll that has reported an end, receives report that there is more, as the system does
/// for a closed connection.
final class UringEmbeddedHandle extends EmbeddedHandle implements IoUringIoHandle {
  private static final byte POLL = 6; // IORING_OP_POLL_ADD
  private static final byte ACCEPT = 13; // IORING_OP_ACCEPT
  private static final byte CLOSE = 19; // IORING_OP_CLOSE
  private static final byte RECEIVE = 27; // IORING_OP_RECV
  private static final int ERROR_OR_HANGUP = 0x18; // POLLERR, POLLHUP
  private static final int MORE = 2; // IORING_CQE_F_MORE: of this operation
  private static final int MORE_IS_THERE = 4; // IORING_CQE_F_SOCK_NONEMPTY
  private static final int CANCELLED = -125; // ECANCELED
  // EMFILE, ENFILE, ENOBUFS, ENOMEM
  private static final Set<Integer> NOTHING_LEFT = Set.of(-24, -23, -105, -12);
  private static final long REFUSED = 0; // the ring has closed
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final IoUringIoHandle handle;
  private final RingHandler ring;
  private boolean isReset; // a poll has reported an error or hang-up
  private @Nullable Runnable delayedDelivery; // delivers the delayed failure
  private boolean isCloseAsked; // of the ring or its substitute

  UringEmbeddedHandle(EmbeddedHandles home, IoUringIoHandle handle, RingHandler ring) {
    super(home, handle);
    this.handle = handle;
    this.ring = ring;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    int result = e.res();
    int flags = e.flags();
    byte opcode = e.opcode();
    long userData = e.userData();
    if ((flags & MORE) == 0) {
      ring.ended();
    }
    Runnable delivery = () -> deliver(opcode, result, flags, userData);
    if (opcode == ACCEPT && NOTHING_LEFT.contains(result) && !isAbandoned()) {
      Runnable delayed =
          () -> {
            delayedDelivery = null;
            delivery.run();
          };
      delayedDelivery = deliverLater(delayed, PAUSE);
    } else {
      deliverInTurn(delivery);
    }
  }

  private void deliver(byte opcode, int result, int flags, long userData) {
    int known = isAbandoned() ? resultAtTheEnd(opcode, result) : result;
    isReset |= opcode == POLL && result > 0 && (result & ERROR_OR_HANGUP) != 0;
    int knownFlags = opcode == RECEIVE && isReset ? flags | MORE_IS_THERE : flags;
    // entries of this ring have no extra data
    handle.handle(this, new IoUringIoEvent(known, knownFlags, opcode, userData));
  }

  /// After the loop's end, failures count as cancelled by the loop, and accepted connections are
  /// not served.
  private static int resultAtTheEnd(byte opcode, int result) {
    if (opcode == ACCEPT && result >= 0) {
      releaseDescriptor(new Socket(result));
      return CANCELLED;
    }
    return result < 0 ? CANCELLED : result;
  }

  /// While a failure is delayed the channel does not accept: it can only cancel or close.
  @Override
  public long submit(IoOps ops) {
    deliverDelayed();
    Socket closed = toBeClosed();
    long id = submitNow(ops);
    if (id != REFUSED) {
      ring.submitted();
    } else if (closed != null) {
      releaseDescriptor(new Socket(closed.intValue()));
      deliverInTurn(this::deliverClose);
    }
    return id;
  }

  /// The channel's socket, if its close is being submitted: the channel marks it just before.
  private @Nullable Socket toBeClosed() {
    Socket socket = socket();
    if (isCloseAsked || socket == null || socket.isOpen()) {
      return null;
    }
    isCloseAsked = true;
    return socket;
  }

  private void deliverDelayed() {
    Runnable kept = delayedDelivery;
    if (kept != null) {
      delayedDelivery = null;
      kept.run();
    }
  }

  // ---- after the loop's end ----

  // the ring cancels the operations that are left, and waits for their completions
  @Override
  protected void abandoned() {
    super.abandoned();
    deliverDelayed();
  }

  // a channel whose descriptor is closed does not submit a close, but waits for the ring
  @Override
  protected void notifyClosed() {
    if (!isCloseAsked) {
      isCloseAsked = true;
      deliverClose();
    }
  }

  private void deliverClose() {
    deliver(CLOSE, 0, 0, 0);
  }
}
