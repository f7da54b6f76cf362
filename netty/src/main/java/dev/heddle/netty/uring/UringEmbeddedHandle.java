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
import io.netty.channel.uring.IoUringIoOps;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One of Netty's own on the ring. Each completion comes once, and Netty uses its event again.
///
/// **A server channel with no descriptor left.** Netty submits a failed accept anew at once,
/// whatever the channel's `autoRead` says, and the system refuses it anew at once: the loop would
/// do nothing else. So such a failure reaches the channel a second late, which is the pause that
/// Netty's `ServerBootstrap` makes on other transports.
///
/// **A connection that is reset behind its last bytes.** Netty stops to read when the system says
/// that nothing is left, and waits for a poll. The system says so too when the reset is all that is
/// left, and its polls have told of that already: a half-closed channel would never hear of it. So
/// behind a poll that has told of an end there is always more, as the system itself says it of a
/// connection that was closed.
final class UringEmbeddedHandle extends EmbeddedHandle implements IoUringIoHandle {
  private static final byte POLL = 6; // IORING_OP_POLL_ADD
  private static final byte ACCEPT = 13; // IORING_OP_ACCEPT
  private static final byte CANCEL = 14; // IORING_OP_ASYNC_CANCEL
  private static final byte CLOSE = 19; // IORING_OP_CLOSE
  private static final byte RECEIVE = 27; // IORING_OP_RECV
  private static final int ERROR_OR_HANGUP = 0x18; // POLLERR, POLLHUP
  private static final int MORE_IS_THERE = 4; // IORING_CQE_F_SOCK_NONEMPTY
  private static final int ALL_OF_FD = 3; // IORING_ASYNC_CANCEL_ALL and _FD, Linux 5.19
  private static final int CANCELLED = -125; // ECANCELED
  private static final Set<Integer> NOTHING_LEFT =
      Set.of(-24, -23, -105, -12); // EMFILE, ENFILE, ENOBUFS, ENOMEM
  private static final long REFUSED = 0; // the ring is gone
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final IoUringIoHandle handle;
  private boolean isReset; // the system says no more of it than it has
  private @Nullable Runnable tellNow; // the failure that is kept back
  private boolean isCloseAsked; // the ring was, or whoever stands for it

  UringEmbeddedHandle(EmbeddedHandles home, IoUringIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    int result = e.res();
    int flags = e.flags();
    byte opcode = e.opcode();
    long userData = e.userData();
    Runnable delivery = () -> deliver(opcode, result, flags, userData);
    if (opcode == ACCEPT && NOTHING_LEFT.contains(result) && !isAbandoned()) {
      tellNow =
          deliverLater(
              () -> {
                tellNow = null;
                delivery.run();
              },
              PAUSE);
    } else {
      deliverInTurn(delivery);
    }
  }

  private void deliver(byte opcode, int result, int flags, long userData) {
    int known = isAbandoned() ? resultAtTheEnd(opcode, result) : result;
    isReset |= opcode == POLL && result > 0 && (result & ERROR_OR_HANGUP) != 0;
    int knownFlags = opcode == RECEIVE && isReset ? flags | MORE_IS_THERE : flags;
    // a ring of ours has entries without extra data
    handle.handle(this, new IoUringIoEvent(known, knownFlags, opcode, userData));
  }

  /// What has failed when the loop has ended was ended by us, whatever the system says; and nobody
  /// serves a client that was accepted.
  private static int resultAtTheEnd(byte opcode, int result) {
    if (opcode == ACCEPT && result >= 0) {
      releaseDescriptor(new Socket(result));
      return CANCELLED;
    }
    return result < 0 ? CANCELLED : result;
  }

  /// While a failure is kept back the channel accepts nothing: it takes something back, or closes.
  @Override
  public long submit(IoOps ops) {
    tellKept();
    Socket closed = toBeClosed();
    long id = submitNow(ops);
    if (id == REFUSED && closed != null) {
      releaseDescriptor(new Socket(closed.intValue()));
      deliverInTurn(this::deliverClose);
    }
    return id;
  }

  /// The channel's socket, if it is its close that is submitted: the channel marks it just before.
  private @Nullable Socket toBeClosed() {
    Socket socket = socket();
    if (isCloseAsked || socket == null || socket.isOpen()) {
      return null;
    }
    isCloseAsked = true;
    return socket;
  }

  private void tellKept() {
    Runnable kept = tellNow;
    if (kept != null) {
      tellNow = null;
      kept.run();
    }
  }

  // ---- the loop has ended ----

  // the ring waits for what was submitted before it goes
  @Override
  protected void abandoned() {
    super.abandoned();
    Socket socket = socket();
    if (socket != null && registration().isValid()) {
      registration().submit(cancelAllOf(socket.intValue()));
    }
    tellKept();
  }

  private static IoUringIoOps cancelAllOf(int fd) {
    short none = 0;
    return new IoUringIoOps(CANCEL, (byte) 0, none, fd, 0, 0, 0, ALL_OF_FD, 0L, none, none, 0, 0);
  }

  // who finds its descriptor closed does not ask the ring for it, but waits for the ring
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
