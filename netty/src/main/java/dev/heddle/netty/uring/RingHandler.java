// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Netty's handler of a ring, with another end: no operation that it leaves in the system uses a
/// descriptor or memory of the ring.
///
/// **Thread** the carrier, except for [#wakeup()].
final class RingHandler implements IoHandler {
  /*
   * States.
   *   from     event               to       who
   *   OPEN     prepareToDestroy()  ENDING   the carrier: cancels all operations, and runs turns
   *                                         until those of Netty's channels have ended, or for
   *                                         a second none has
   *   ENDING   destroy()           CLOSED   the carrier: Netty cancels its read of the eventfd, and
   *                                         closes the ring and the eventfd
   *
   * The read of the eventfd. A ring sleeps until an operation completes. So that another thread can
   * wake it, Netty always has a read of an eventfd in the ring. The kernel looks up a descriptor by
   * its number when it begins an operation: the read then waits, with a reference to the eventfd,
   * and a cancel ends it at once. An operation that is submitted behind one with IOSQE_IO_DRAIN is
   * different. The kernel gives it to a thread of its own, which begins it later. If the ring and
   * the eventfd are closed by then, the number may belong to another descriptor. The read takes
   * eight bytes of that one, and writes them to freed memory.
   *
   * IoUringIoHandler.prepareToDestroy() does that: it drains the ring, and reads the eventfd again
   * behind the drain. This class never calls it. [RingCloseTest]
   *
   * I1. The close begins no operation behind a drain before the eventfd and its buffer are free, so
   *     no thread of the kernel works for it. [RingCloseTest]
   * I2. The close ends, also if an operation never does: the turns are counted, and
   *     IoUringIoHandler.destroy() only waits for a wake-up that is under way. (It submits a drain,
   *     too, which the kernel refuses, because its time limit has a count.) [RingCloseTest]
   * I3. No operation of a channel uses its buffer when the ring has closed, unless a thread of the
   *     kernel is in the middle of it for longer than a second. All others only wait, and a
   *     cancelled one does not start again. Buffers of files stay reachable (RingFiles).
   *
   * Limits. Cancelling all operations needs Linux 5.19. Before, an operation that the shutdown of
   * its socket does not end, such as an accept, makes the close take that second, and is left. If
   * the kernel has no memory left to let the read of the eventfd wait, a thread of the kernel
   * blocks in it; it has looked up the eventfd then.
   *
   * Rejected. A wake-up right before destroy(), for which Netty waits: the read behind the drain
   * waits for operations that may never end. A placeholder that keeps the eventfd's number: it
   * protects the other descriptors, not the freed memory, and nothing says when it can go.
   *
   * Sources. Decision 0052, with the report for Netty.
   */
  private static final byte ASYNC_CANCEL = 14;
  private static final int ALL = 5; // IORING_ASYNC_CANCEL_ALL and _ANY
  private static final int TURNS_TO_END = 100;
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // a second in all

  private final IoHandler netty;
  private int inFlight; // operations of Netty's channels
  private @Nullable End end;

  RingHandler(IoHandler netty) {
    this.netty = netty;
  }

  static IoHandlerFactory factory(IoUringIoHandlerConfig config) {
    IoHandlerFactory ofNetty = IoUringIoHandler.newFactory(config);
    return executor -> new RingHandler(ofNetty.newHandler(executor));
  }

  /// Called when an operation of a channel has been submitted.
  void submitted() {
    inFlight++;
  }

  /// Called with the last completion of an operation of a channel.
  void ended() {
    inFlight--;
  }

  /// Whether operations of channels are in the system.
  boolean isWorking() {
    return inFlight > 0;
  }

  @Override
  public void initialize() {
    netty.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return netty.run(context);
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    if (end != null) {
      throw new IllegalStateException("the ring is closing: it accepts no more handles");
    }
    return netty.register(handle);
  }

  @Override
  public void wakeup() {
    netty.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return netty.isCompatible(type);
  }

  @Override
  public void prepareToDestroy() {
    End e = new End();
    end = e;
    e.cancelAll();
    int turns = 0; // since an operation ended: many that end one after the other may all end
    while (turns < TURNS_TO_END && (!e.isCancelled || isWorking())) {
      int before = inFlight;
      netty.run(new Turn(System.nanoTime() + TURN_NANOS));
      turns = inFlight < before ? 0 : turns + 1;
    }
    if (isWorking()) {
      String what = " operations of Netty's channels that did not end";
      AsyncLog.shared().warning("the driver io_uring leaves " + inFlight + what, null);
    }
  }

  @Override
  public void destroy() {
    netty.destroy();
  }

  /// The handle of the operations that end the ring.
  private final class End implements IoUringIoHandle {
    private final IoRegistration registration;
    private boolean isCancelled;

    End() {
      try {
        registration = netty.register(this);
      } catch (Exception e) {
        throw new IllegalStateException("the ring does not take what is to end it", e);
      }
    }

    void cancelAll() {
      registration.submit(
          RingOperation.submission(ASYNC_CANCEL, (byte) 0, -1, 0, 0, 0, ALL, ASYNC_CANCEL));
    }

    @Override
    public void handle(IoRegistration self, IoEvent event) {
      isCancelled = true;
    }

    @Override
    public void close() {
      // has no resources
    }
  }

  /// A turn that waits.
  private record Turn(long untilNanos) implements IoHandlerContext {
    private static final long NEVER = -1;

    @Override
    public boolean canBlock() {
      return true;
    }

    @Override
    public long deadlineNanos() {
      return untilNanos == NEVER ? NEVER + 1 : untilNanos;
    }

    @Override
    public long delayNanos(long nowNanos) {
      return Math.max(0, untilNanos - nowNanos);
    }
  }
}
