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

/// A descriptor and the readiness that its registration has reported.
public class UnixDescriptor extends PollableDescriptor {
  /*
   * States.
   *   OPEN     a listener is armed               PENDING  the next poll registers it
   *   PENDING  a poll                            WATCHED  in both directions, until it is closed
   *   PENDING  a poll, no listener is left       OPEN     the next wait begins anew
   *   PENDING  a poll, the registration fails    OPEN     the listeners learn why
   *   PENDING  close()                           GONE     a listener still armed learns it in the
   *                                                       poll
   *   WATCHED  the registration fails            OPEN     the listeners learn why
   *   OPEN     close()                           GONE
   *   WATCHED  close()                           CLOSING  until the registration has ended, see
   *                                                       EdgeRegistration
   *   CLOSING  the system's last report          GONE
   *
   * Readiness is edge-triggered: it is reported once for each arrival. A report is kept until a
   * call has used it up, that is, got less than it requested; later arrivals then make a new edge.
   * While a report is kept, a listener is notified as soon as it is armed. A report may be left
   * over because no listener waited when the edge came, because the coroutine was cancelled before
   * it called, or because its call got all that it requested and may have left bytes.
   *
   * A short read may still leave bytes: it stops before TCP's urgent byte. `urgent` is set when the
   * registration reports such a byte, which stays in the socket until a read passes it, and cleared
   * by a read that would block: by then the byte has been passed, or will arrive with a new edge.
   *
   * A hang-up is permanent: no edge follows it, and every call gets the end or an error. On
   * datagram sockets an error concerns one datagram, and the socket stays usable.
   */
  /// Input is available. All of these constants have Linux's values in `poll` and `epoll`.
  public static final int IN = 0x1;

  /// TCP urgent data is available.
  public static final int PRI = 0x2;

  /// Output is possible.
  public static final int OUT = 0x4;

  /// The descriptor has failed.
  public static final int ERR = 0x8;

  /// Both directions have ended.
  public static final int HUP = 0x10;

  /// The peer has shut down its output.
  public static final int RDHUP = 0x2000;

  private static final int BOTH = IN | OUT;

  private final DescriptorRegistry registry;
  private final FileDescriptor fd;

  // set by the driver
  private @Nullable EdgeRegistration edgeRegistration;
  private boolean pending;

  private int ready; // reported and not yet used up: IN, OUT
  private int permanentlyReady;
  private boolean urgent; // there may be an unread urgent byte
  private boolean closed;
  private boolean shared; // other descriptors refer to the same file or socket

  UnixDescriptor(DescriptorRegistry registry, FileDescriptor fd) {
    super(registry.counts);
    this.registry = registry;
    this.fd = fd;
    registry.open.add(this);
  }

  /// The system's descriptor.
  public FileDescriptor fd() {
    return fd;
  }

  final DescriptorRegistry registry() {
    return registry;
  }

  final @Nullable EdgeRegistration registration() {
    return edgeRegistration;
  }

  /// Whether an error is final.
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
      registry.pending.add(this);
    }
  }

  /// Registers a descriptor with the driver's handler, which it opens if necessary.
  @FunctionalInterface
  interface Registration {
    EdgeRegistration register(UnixDescriptor descriptor) throws IOException;
  }

  /// Registers a pending descriptor, in a poll.
  final void register(Registration registration) {
    pending = false;
    if (!isArmed()) {
      return;
    }
    if (closed) {
      // the descriptor may be reused by now
      failed(new AsynchronousCloseException());
      return;
    }
    try {
      edgeRegistration = registration.register(this);
    } catch (IOException e) {
      failed(fd.isOpen() ? e : new AsynchronousCloseException());
    }
  }

  // ---- reports of the registration, in a poll ----

  /// Called when the readiness has changed.
  ///
  /// @param events [#IN] and the other constants here
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
      now &= ~OUT; // earlier bytes are unsent: output is not possible yet
    }
    ready |= now;
    complete((now & IN) != 0, (now & OUT) != 0, null);
  }

  /// Called when a send of [SendingRegistration#send] has completed.
  ///
  /// @param result the number of bytes, or a negated error number
  public void sent(int result) {
    throw new IllegalStateException("nothing was sent for " + fd + ": " + result);
  }

  /// Continues sending unsent bytes.
  ///
  /// @return whether none are left
  boolean resumeWrites() {
    return true;
  }

  /// Called when the registration has failed: notifies the listeners.
  public void failed(IOException why) {
    edgeRegistration = null;
    complete(true, true, why);
  }

  /// Whether a call may succeed.
  final boolean isReady(int direction) {
    return ((ready | permanentlyReady) & direction) != 0;
  }

  /// Whether both directions have ended or failed.
  final boolean isHungUp() {
    return (permanentlyReady & OUT) != 0;
  }

  /// Called after each call on the descriptor.
  ///
  /// @param all whether it got all that it requested
  final void afterCall(int direction, boolean all) {
    if (all) {
      ready |= direction;
    } else {
      ready &= ~direction;
    }
  }

  /// Called when a read would block.
  final void readDrained() {
    urgent = false;
    afterCall(IN, false);
  }

  /// Whether reads may stop before an urgent byte.
  final boolean isUrgent() {
    return urgent;
  }

  /// Whether there may be unread input.
  final boolean mayHaveInput() {
    return (ready & IN) != 0 && (permanentlyReady & IN) == 0;
  }

  // ---- closing ----

  /// Throws if the descriptor is closed.
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
    registry.open.remove(this);
    if (edgeRegistration == null || isOver()) {
      over();
    } else {
      linger();
    }
  }

  /// Whether there are no unsent bytes.
  boolean isOver() {
    return true;
  }

  /// Keeps the descriptor open until [#over].
  void linger() {
    throw new IllegalStateException(fd + " has no unsent bytes");
  }

  /// Called when there are no unsent bytes any more.
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

  /// Releases an unregistered descriptor without closing it.
  final void release() {
    if (edgeRegistration != null || pending) {
      throw new IllegalStateException(fd + " is registered; it cannot be released");
    }
    closed = true;
    registry.open.remove(this);
  }

  /// Marks it as open elsewhere too, so that closing it must not shut it down.
  final void share() {
    shared = true;
  }

  /// Called when the registration has ended and awaits its completion.
  public final void beginClose() {
    registry.closing++;
  }

  /// Called at the completion of the registration's end.
  public final void endClose() {
    registry.closing--;
  }

  /// Notifies the peer of the end before the descriptor is closed.
  void hangUp() {}

  /// Closes the descriptor. Called by the registration when the system no longer refers to it.
  public final void closeNow() {
    try {
      fd.close();
    } catch (IOException e) {
      // the descriptor is closed even if close fails
      AsyncLog.shared().debug("while closing " + fd, e);
    }
  }
}
