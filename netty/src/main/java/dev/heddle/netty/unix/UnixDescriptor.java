// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// A descriptor, and what its watch has reported.
public class UnixDescriptor extends PollableDescriptor {
  /*
   * States.
   *   OPEN     its first listener is armed       PENDING  the next tick watches it
   *   PENDING  a tick                            WATCHED  in both directions, until it is closed
   *   WATCHED  the watch fails                   OPEN     the listeners are notified of why
   *   OPEN     close()                           GONE
   *   WATCHED  close()                           CLOSING  as long as the watch needs, see
   *                                                       EdgeRegistration
   *   CLOSING  the system's last report          GONE
   *
   * Readiness is reported by edge: once for each time that something has come. A report is kept
   * until a call has used it up: one that finds less than it asked for, since all that comes after
   * it makes an edge of its own. Until then a listener is notified as soon as it is armed: when the
   * edge came no listener waited, or it was disarmed before it could call, or the call got all that
   * it asked for and may have left something.
   *
   * A read may get less and leave something all the same: it stops before TCP's urgent byte.
   * `urgent` is set when the watch reports such a byte, which lies in the socket until a read goes
   * past it, and cleared by a read that finds nothing: from then on the byte has been passed, or is
   * yet to come and makes an edge of its own.
   *
   * A hang-up stays: no edge follows it, and a caller gets the end or an error. Not so with
   * datagrams, where an error is one datagram's and the socket lives on.
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

  private final DescriptorRegistry registry;
  private final FileDescriptor fd;

  // the driver's
  private @Nullable EdgeRegistration edgeRegistration;
  private boolean pending;

  private int ready; // reported and not used up: IN, OUT
  private int permanentlyReady;
  private boolean urgent; // there may be an urgent byte that no read has passed
  private boolean closed;
  private boolean shared; // what is behind the number is another's, too

  UnixDescriptor(DescriptorRegistry registry, FileDescriptor fd) {
    super(registry.counts());
    this.registry = registry;
    this.fd = fd;
    registry.opened(this);
  }

  /// The system's.
  public FileDescriptor fd() {
    return fd;
  }

  final DescriptorRegistry registry() {
    return registry;
  }

  final @Nullable EdgeRegistration watch() {
    return edgeRegistration;
  }

  /// Whether an error, once reported, is followed by nothing else.
  boolean isEndedByErrors() {
    return true;
  }

  // ---- listeners ----

  @Override
  protected final boolean isReady(Direction direction) {
    return isReady(direction == Direction.READ ? IN : OUT);
  }

  @Override
  protected final void armed(Direction direction) {
    if (edgeRegistration == null && !pending) {
      pending = true;
      registry.addPending(this);
    }
  }

  /// Begins to watch a pending descriptor, in a tick.
  ///
  /// @param watcher makes the watch
  final void register(Watcher watcher) {
    pending = false;
    if (!isArmed()) {
      return;
    }
    if (closed) {
      // its number may be another file's by now
      failed(new AsynchronousCloseException());
      return;
    }
    try {
      edgeRegistration = watcher.watch(this);
    } catch (IOException e) {
      failed(fd.isOpen() ? e : new AsynchronousCloseException());
    }
  }

  /// Makes watches.
  @FunctionalInterface
  interface Watcher {
    EdgeRegistration watch(UnixDescriptor descriptor) throws IOException;
  }

  // ---- what the watch reports, in a tick ----

  /// Something has changed.
  ///
  /// @param events of [#IN] and the others here
  public final void onReady(int events) {
    int now = events & BOTH;
    urgent |= (events & PRI) != 0;
    if ((events & RDHUP) != 0) {
      now |= IN;
      permanentlyReady |= IN;
    }
    if ((events & (ERR | HUP)) != 0) {
      now = BOTH;
      permanentlyReady |= isEndedByErrors() ? BOTH : 0;
    }
    if ((now & OUT) != 0 && !resumeWrites()) {
      now &= ~OUT; // what was written before has not left: no one can write yet
    }
    ready |= now;
    complete((now & IN) != 0, (now & OUT) != 0, null);
  }

  /// What was submitted by [SendingRegistration#send] has been answered.
  ///
  /// @param result how many bytes; or an error's number, below zero
  public void sent(int result) {
    throw new IllegalStateException("nothing was sent for " + fd + ": " + result);
  }

  /// Goes on with what writers have left behind.
  ///
  /// @return whether nothing is left of it
  boolean resumeWrites() {
    return true;
  }

  /// There is no watch any more: the listeners are notified of why.
  public void failed(IOException why) {
    edgeRegistration = null;
    complete(true, true, why);
  }

  /// Whether a call may find something.
  final boolean isReady(int direction) {
    return ((ready | permanentlyReady) & direction) != 0;
  }

  /// Whether both directions have ended, or failed for good.
  final boolean isHungUp() {
    return (permanentlyReady & OUT) != 0;
  }

  /// A call was made.
  ///
  /// @param all whether it got all that it asked for
  final void afterCall(int direction, boolean all) {
    if (all) {
      ready |= direction;
    } else {
      ready &= ~direction;
    }
  }

  /// A read has found nothing.
  final void readDrained() {
    urgent = false;
    afterCall(IN, false);
  }

  /// Whether reads may stop before an urgent byte.
  final boolean isUrgent() {
    return urgent;
  }

  /// Whether something may have come that was not read.
  final boolean mayHaveInput() {
    return (ready & IN) != 0 && (permanentlyReady & IN) == 0;
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

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    registry.closed(this);
    if (edgeRegistration == null || isOver()) {
      over();
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
    EdgeRegistration w = edgeRegistration;
    if (w == null) {
      closeNow();
      return;
    }
    if (!shared) {
      hangUp();
    }
    w.endAndClose();
  }

  /// Gives it up, without closing it: it was never watched.
  final void release() {
    if (edgeRegistration != null || pending) {
      throw new IllegalStateException(fd + " is watched; it cannot be released");
    }
    closed = true;
    registry.closed(this);
  }

  /// It is open elsewhere too, in this process or another: to close it here must not end it there.
  final void share() {
    shared = true;
  }

  /// The watch has ended, and is to hear of it from the system.
  public final void beginClose() {
    registry.beginClose();
  }

  /// The watch has heard of its end.
  public final void endClose() {
    registry.endClose();
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
