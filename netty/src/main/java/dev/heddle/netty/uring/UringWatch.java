// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.unix.Failures;
import dev.heddle.netty.unix.SendingWatch;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;

/// A poll that stays on the ring and tells each edge.
final class UringWatch implements IoUringIoHandle, SendingWatch {
  /*
   * A parked poll holds the file: to close the number does not close the socket, and the other side would see no end. So the end is a
   * chain of two: cancel the poll, then, whatever that brought, close the number. They reach the system in one call, together with
   * what else was submitted, and no number is given back while something that was submitted for it is on its way. Sockets
   * are shut down at once, by a direct call, so nobody waits for the next turn to see the end (UnixDescriptor.hangUp).
   *
   *   POLLING  an edge                                 told
   *   POLLING  an edge, and the kernel has dropped us  told, and armed anew: that tells what came between
   *   POLLING  an error                                BROKEN: who waits is told; the next wait makes another watch
   *   POLLING  endAndClose()                           ENDING: cancel and close are submitted
   *   ENDING   the poll's last word, or an edge        nobody waits any more
   *   ENDING   the poll's last word and the close's    GONE
   *
   * Netty keeps the registration until all that was submitted has been answered; a late edge meets this object, whose descriptor
   * has no waits, and nobody else's.
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

  private final UringDriver driver;
  private final UnixDescriptor descriptor;
  private final IoRegistration registration;

  private long poll; // as the ring knows it
  private boolean polling;
  private boolean ending;
  private boolean closeAnswered;

  UringWatch(UringDriver driver, IoHandler handler, UnixDescriptor descriptor) throws IOException {
    this.driver = driver;
    this.descriptor = descriptor;
    try {
      registration = handler.register(this);
    } catch (Exception e) {
      throw new IOException("the ring takes no more descriptors", e);
    }
    arm();
  }

  private void arm() {
    polling = true;
    poll = registration.submit(operation(POLL_ADD, (byte) 0, 0, POLL_MULTI, ALL | EDGES));
  }

  private IoUringIoOps operation(byte code, byte flags, long address, int length, int what) {
    int fd = code == ASYNC_CANCEL ? -1 : descriptor.fd().intValue();
    return new IoUringIoOps(
        code,
        flags,
        (short) 0,
        fd,
        0,
        address,
        length,
        what,
        (long) code,
        (short) 0,
        (short) 0,
        0,
        0L);
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    switch (e.opcode()) {
      case POLL_ADD -> polled(e.res(), (e.flags() & MORE) != 0);
      case SEND -> descriptor.sent(e.res());
      case CLOSE -> closeAnswered(e.res());
      default -> {} // of the cancelling the poll itself tells
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
      descriptor.told(result);
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
    driver.endingBegins();
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
      driver.endingIsOver();
    }
  }

  @Override
  public void close() {
    // the driver has closed all of its descriptors before it lets go of the handler
  }
}
