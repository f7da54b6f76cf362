// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.unix.Failures;
import dev.heddle.netty.unix.SendingRegistration;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;

/// A multishot poll on the ring, which reports each edge.
final class UringRegistration implements IoUringIoHandle, SendingRegistration {
  /*
   * A pending poll holds the file: closing the descriptor does not close the socket, and the peer
   * would see no end. So the end is a chain of two operations: cancel the poll, then, regardless of
   * the result, close the descriptor. Both reach the system in one call with all other submissions,
   * and no descriptor is closed while an operation on it is in flight. Sockets are shut down at
   * once, by a direct call, so the peer sees the end before the next turn (UnixDescriptor.hangUp).
   *
   * States.
   *   from     event                                to
   *   POLLING  an edge                              same: reported
   *   POLLING  an edge; the kernel ends the poll    same: rearmed, which reports what came
   *                                                 between; then reported
   *   POLLING  an error                             BROKEN: the listeners learn why; the next
   *                                                 wait registers again
   *   POLLING  endAndClose()                        ENDING: cancel and close are submitted
   *   ENDING   an edge, or the poll's completion    same: no listener is left
   *   ENDING   the poll and the close completed     GONE
   *
   * Netty keeps the registration until all its submissions have completed. A late edge reaches only
   * this object, whose descriptor has no listeners.
   */
  private static final byte POLL_ADD = 6;
  private static final byte ASYNC_CANCEL = 14;
  private static final byte CLOSE = 19;
  private static final byte SEND = 26;
  private static final int NOW_OR_NOT = 0x4040; // MSG_DONTWAIT, MSG_NOSIGNAL
  private static final int POLL_MULTI = 1; // IORING_POLL_ADD_MULTI
  private static final int EDGES = 0x8000_0000; // EPOLLET
  private static final int MORE = 2; // IORING_CQE_F_MORE
  private static final byte HARD_LINK = 1 << 3; // IOSQE_IO_HARDLINK
  private static final int ALL = UnixDescriptor.IN | UnixDescriptor.OUT | UnixDescriptor.RDHUP;

  private final UnixDescriptor descriptor;
  private final IoRegistration registration;

  private long poll; // identifier in the ring
  private boolean polling;
  private boolean ending;
  private boolean closeAnswered;

  UringRegistration(IoHandler handler, UnixDescriptor descriptor) throws IOException {
    this.descriptor = descriptor;
    registration = IoHandlerAdapter.register(handler, this, "the ring accepts no more descriptors");
    arm();
  }

  private void arm() {
    polling = true;
    poll = registration.submit(operation(POLL_ADD, (byte) 0, 0, POLL_MULTI, ALL | EDGES));
  }

  private IoUringIoOps operation(byte code, byte flags, long address, int length, int what) {
    int fd = code == ASYNC_CANCEL ? -1 : descriptor.fd().intValue();
    return RingOperation.submission(code, flags, fd, 0, address, length, what, code);
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    switch (e.opcode()) {
      case POLL_ADD -> polled(e.res(), (e.flags() & MORE) != 0);
      case SEND -> descriptor.sent(e.res());
      case CLOSE -> closeAnswered(e.res());
      default -> {} // the poll's own completion reports its cancellation
    }
  }

  private void polled(int result, boolean more) {
    polling = more;
    if (ending) {
      endIfOver();
    } else if (result >= 0) {
      if (!more) {
        arm();
      }
      descriptor.onReady(result);
    } else {
      registration.cancel();
      descriptor.failed(Failures.of("io_uring poll", result));
    }
  }

  @Override
  public void send(long address, int length) {
    registration.submit(operation(SEND, (byte) 0, address, length, NOW_OR_NOT));
  }

  @Override
  public void endAndClose() {
    ending = true;
    descriptor.beginClose();
    registration.submit(operation(ASYNC_CANCEL, HARD_LINK, poll, 0, 0));
    registration.submit(operation(CLOSE, (byte) 0, 0, 0, 0));
    registration.cancel();
  }

  private void closeAnswered(int result) {
    if (result < 0) {
      AsyncLog.shared().debug("while closing " + descriptor.fd(), Failures.of("close", result));
    }
    closeAnswered = true;
    endIfOver();
  }

  private void endIfOver() {
    if (closeAnswered && !polling) {
      descriptor.endClose();
    }
  }

  @Override
  public void close() {
    // the driver closes all its descriptors before the handler
  }
}
