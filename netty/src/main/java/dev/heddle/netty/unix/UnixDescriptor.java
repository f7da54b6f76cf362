// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// A descriptor, and what its watch has told.
public class UnixDescriptor implements Descriptor {
  /*
   * Readiness is told by edge, once for each time that something has come. What was told is kept until a call has used it up: one that
   * finds less than it asked for, since all that comes after it makes an edge of its own. Until then a wait is answered at
   * once: nobody waited when the edge came, or who did was cancelled before it could call, or the call got all it asked for and
   * may have left something.
   *
   * A read may get less and leave something all the same: it stops before TCP's urgent byte. `urgent` is set when the watch tells of
   * such a byte, which lies in the socket until a read goes past it, and cleared by a read that finds nothing: from then on the
   * byte has been passed, or is yet to come and makes an edge of its own.
   *
   * A hang-up stays: no edge follows it, and whoever asks has an answer coming, the end or an error. Not so with datagrams, where
   * an error is one datagram's and the socket lives on.
   */

  /// There is something to read. As all of these, with Linux's value in `poll` and `epoll`.
  public static final int IN = 0x1;

  /// There is urgent data, of TCP.
  public static final int PRI = 0x2;

  /// There is room to write.
  public static final int OUT = 0x4;

  /// The descriptor has failed.
  public static final int ERR = 0x8;

  /// Both directions have ended.
  public static final int HUP = 0x10;

  /// The other side will send no more.
  public static final int RDHUP = 0x2000;

  private static final int BOTH = IN | OUT;

  private final UnixDriver driver;
  private final FileDescriptor fd;

  // the driver's
  @Nullable Operation input;
  @Nullable Operation output;
  @Nullable Watch watch;
  boolean noted;

  private int ready; // told and not used up: IN, OUT
  private int readyForEver;
  private boolean urgent; // there may be an urgent byte that no read has passed
  private boolean closed;
  private boolean shared; // what is behind the number is another's, too

  UnixDescriptor(UnixDriver driver, FileDescriptor fd) {
    this.driver = driver;
    this.fd = fd;
    driver.opened(this);
  }

  /// The system's.
  public FileDescriptor fd() {
    return fd;
  }

  final UnixDriver driver() {
    return driver;
  }

  /// Whether an error, once told, is followed by nothing else.
  boolean diesOfErrors() {
    return true;
  }

  // ---- what the watch tells, in a tick ----

  /// Something has changed.
  ///
  /// @param edges of [#IN] and the others here
  public final void told(int edges) {
    int now = edges & BOTH;
    urgent |= (edges & PRI) != 0;
    if ((edges & RDHUP) != 0) {
      now |= IN;
      readyForEver |= IN;
    }
    if ((edges & (ERR | HUP)) != 0) {
      now = BOTH;
      readyForEver |= diesOfErrors() ? BOTH : 0;
    }
    if ((now & OUT) != 0 && !goOn()) {
      now &= ~OUT; // what came before is not through: nobody can write yet
    }
    ready |= now;
    Operation in = input;
    Operation out = output;
    if ((now & IN) != 0 && in != null) {
      input = null;
      driver.answer(in, null);
    }
    if ((now & OUT) != 0 && out != null) {
      output = null;
      driver.answer(out, null);
    }
  }

  /// What was submitted by [SendingWatch#send] has been answered.
  ///
  /// @param result how many bytes; or an error's number, below zero
  public void sent(int result) {
    throw new IllegalStateException("nothing was sent for " + fd + ": " + result);
  }

  /// Goes on with what writers have left behind.
  ///
  /// @return whether nothing is left of it
  boolean goOn() {
    return true;
  }

  /// There is no watch any more, and who waits is told why.
  public void failed(IOException why) {
    watch = null;
    noted = false;
    Operation in = input;
    Operation out = output;
    input = null;
    output = null;
    if (in != null) {
      driver.answer(in, why);
    }
    if (out != null) {
      driver.answer(out, why);
    }
  }

  /// Whether a call may find something.
  final boolean isReady(int direction) {
    return ((ready | readyForEver) & direction) != 0;
  }

  /// Whether both directions have ended, or failed for good.
  final boolean isHungUp() {
    return (readyForEver & OUT) != 0;
  }

  /// A call was made.
  ///
  /// @param all whether it got all that it asked for
  final void used(int direction, boolean all) {
    if (all) {
      ready |= direction;
    } else {
      ready &= ~direction;
    }
  }

  /// A read has found nothing.
  final void usedUp() {
    urgent = false;
    used(IN, false);
  }

  /// Whether reads may stop before an urgent byte.
  final boolean isUrgent() {
    return urgent;
  }

  /// Whether something may have come that nobody has read.
  final boolean mayHaveInput() {
    return (ready & IN) != 0 && (readyForEver & IN) == 0;
  }

  // ---- the end ----

  /// Nothing is asked of a number that was given back.
  final void requireOpen() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
  }

  final boolean isClosed() {
    return closed;
  }

  /// Whether it is closed, and has something to send.
  final boolean isLingering() {
    return closed && driver.isLingering(this);
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    driver.closed(this);
    Watch w = watch;
    if (w == null) {
      closeNow();
    } else if (isOver()) {
      end(w);
    } else {
      linger();
    }
  }

  /// Whether nothing has to leave before the end.
  boolean isOver() {
    return true;
  }

  /// Stays until it [#over].
  void linger() {
    throw new IllegalStateException(fd + " has nothing to send");
  }

  /// Nothing has to leave any more.
  final void over() {
    Watch w = watch;
    if (w == null) {
      closeNow();
    } else {
      end(w);
    }
  }

  /// Gives it up, without closing it: it was never watched.
  final void release() {
    if (watch != null || noted) {
      throw new IllegalStateException(fd + " is watched; it cannot be given up");
    }
    closed = true;
    driver.closed(this);
  }

  private void end(Watch w) {
    if (!shared) {
      hangUp();
    }
    w.endAndClose();
  }

  /// Somebody else has it, too, in this process or another: to close it here must not end it there.
  final void share() {
    shared = true;
  }

  /// Lets the other side see the end before the descriptor is given back.
  void hangUp() {}

  /// Gives the number back. For the watch, when nothing of the system's refers to it.
  public final void closeNow() {
    try {
      fd.close();
    } catch (IOException e) {
      // the number is given back all the same
      AsyncLog.shared().debug("while closing " + fd, e);
    }
  }
}
