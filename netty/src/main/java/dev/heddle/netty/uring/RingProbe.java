// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.netty.handler.IoHandlerAdapter;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs a no-op on a ring of its own, to check that the system lets this process not only create a
/// ring but use it.
final class RingProbe implements IoUringIoHandle {
  /*
   * Netty only checks that a ring can be created. A seccomp filter may allow that and refuse
   * io_uring_enter; the loop would then fail in its first turn. So the ring is entered here, while
   * another driver can still be chosen.
   */
  private static final byte NOP = 0;
  private static final int RING = 8; // submissions
  private static final int TURNS = 100;
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // a second in all

  private boolean answered;

  private RingProbe() {}

  /// Runs the probe.
  ///
  /// @return why the ring cannot be used; null if it can
  static @Nullable Throwable failure() {
    Thread here = Thread.currentThread();
    IoHandlerAdapter handler =
        new IoHandlerAdapter(
            thread -> thread == here,
            RingHandler.factory(new IoUringIoHandlerConfig().setRingSize(RING)));
    try {
      return new RingProbe().failureOn(handler);
    } catch (UncheckedIOException e) {
      return e.getCause();
    } catch (Exception e) {
      return e;
    } finally {
      close(handler);
    }
  }

  private @Nullable Throwable failureOn(IoHandlerAdapter handler) throws Exception {
    IoRegistration registration = handler.open().register(this);
    registration.submit(RingOperation.submission(NOP, (byte) 0, -1, 0, 0, 0, 0, NOP));
    for (int turns = 0; !answered && turns < TURNS; turns++) {
      handler.turn(System.nanoTime() + TURN_NANOS);
    }
    return answered ? null : new UnsupportedOperationException("the ring completes no operation");
  }

  private static void close(IoHandlerAdapter handler) {
    try {
      handler.close();
    } catch (RuntimeException _) {
      // safe: a ring that cannot be entered cannot cancel anything; its descriptor is closed
    }
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    answered = ((IoUringIoEvent) event).opcode() == NOP;
  }

  @Override
  public void close() {
    // has no resources
  }
}
