// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The handles that a guest has registered, and what has come for them, in order.
///
/// **Thread** the loop's. When the loop has ended, the carrier ends what the system does with them;
/// beside it a turn that was left behind may still run, and after both of them comes the last turn.
public final class EmbeddedHandles {
  private final Host driver;
  private final Runnable onDelivery;
  private final ScheduledExecutorService later;
  private final BooleanSupplier loopHasEnded;
  private final ArrayDeque<Runnable> deliveries =
      new ArrayDeque<>(); // a turn takes, as long as the loop lives the loop adds
  private final Queue<Runnable> late =
      new ConcurrentLinkedQueue<>(); // told when the loop has ended
  private final Set<EmbeddedHandle> registered = ConcurrentHashMap.newKeySet();
  private volatile Thread turns;

  /// What the handles need of the driver.
  public interface Host {
    /// The handler.
    IoHandlerAdapter handler();

    /// Whether a poll now could only report to the guest's handles again what they have not come
    /// to: it reports by level, and no handle of Heddle's own waits.
    boolean wouldOnlyTellAgain();

    /// What is registered with the handler in the place of a handle of the guest's.
    ///
    /// @throws IllegalArgumentException when it is of another transport
    EmbeddedHandle guestHandle(EmbeddedHandles home, IoHandle handle);
  }

  /// None yet.
  ///
  /// @param turns the thread of the guest's turns
  /// @param onDelivery asks for one
  /// @param later runs in one what is due
  /// @param loopHasEnded whether the handler is gone, or about to be; for any thread
  public EmbeddedHandles(
      Host driver,
      Thread turns,
      Runnable onDelivery,
      ScheduledExecutorService later,
      BooleanSupplier loopHasEnded) {
    this.driver = driver;
    this.turns = turns;
    this.onDelivery = onDelivery;
    this.later = later;
    this.loopHasEnded = loopHasEnded;
  }

  // ---- the guest's turn ----

  /// Registers a handle of the guest's, when the handler is open.
  public IoRegistration register(IoHandle handle) throws Exception {
    EmbeddedHandle standIn = driver.guestHandle(this, handle);
    return standIn.standFor(driver.handler().open().register(standIn));
  }

  /// Hands on what came first.
  ///
  /// @return whether there was anything
  public boolean deliverNext() {
    Runnable next = deliveries.poll();
    if (next == null) {
      next = late.poll();
    }
    if (next == null) {
      return false;
    }
    deliver(next);
    return true;
  }

  private static void deliver(Runnable delivery) {
    try {
      delivery.run();
    } catch (Throwable e) {
      // safe: a pipeline tells its own handlers; this is Netty's or a bare handle's
      AsyncLog.shared().warning("a handle on a Netty event loop failed", e);
    }
  }

  /// Closes all of them, channels by their pipelines.
  public void close() {
    for (EmbeddedHandle handle : List.copyOf(registered)) {
      Channel channel = handle.channel();
      if (channel == null) {
        handle.closeNow();
      } else {
        channel.close();
      }
    }
  }

  /// Closes all of them past their pipelines' handlers, which may swallow a close.
  public void closeByForce() {
    List.copyOf(registered).forEach(EmbeddedHandle::closeNow);
  }

  // ---- anywhere on the loop ----

  /// Whether none is registered.
  public boolean isEmpty() {
    return registered.isEmpty();
  }

  /// Whether something has come that was not handed on.
  public boolean hasEvents() {
    return !deliveries.isEmpty() || !late.isEmpty();
  }

  /// Whether another look would tell again what was not handed on.
  public boolean wouldRepeat() {
    return hasEvents() && driver.wouldOnlyTellAgain();
  }

  // ---- the loop has ended, and some are left ----

  /// Ends what the system does with their sockets. What still comes is noted, for the last turn. By
  /// the carrier.
  public void abandon() {
    registered.forEach(EmbeddedHandle::abandoned);
  }

  /// Gives their descriptors back to the system. By the carrier, when the handler is gone.
  ///
  /// @param turnIsLeftBehind in the middle of a handler, which names descriptors by their numbers:
  ///   they stay taken until it has come back, and no connection is accepted
  /// @param lastTurn closes them by their pipelines, and returns after a while, whether it is done
  ///   or not
  public void releaseDescriptors(boolean turnIsLeftBehind, Runnable lastTurn) {
    List<EmbeddedHandle> all = List.copyOf(registered); // the last turn's, from when it begins
    all.forEach(
        turnIsLeftBehind ? EmbeddedHandle::stopListening : EmbeddedHandle::releaseDescriptor);
    try {
      lastTurn.run();
    } finally {
      all.forEach(EmbeddedHandle::releaseRemaining);
    }
  }

  /// The last turn is the current thread's.
  public void takeLastTurn() {
    turns = Thread.currentThread();
  }

  // ---- for the handles ----

  void add(EmbeddedHandle handle) {
    registered.add(handle);
  }

  void remove(EmbeddedHandle handle) {
    registered.remove(handle);
  }

  /// Runs `delivery` in the guest's turn, behind what has come before.
  public void deliverInTurn(Runnable delivery) {
    if (isAbandoned()) {
      late.add(delivery);
    } else {
      deliveries.add(delivery);
      onDelivery.run();
    }
  }

  /// Runs `delivery` in a turn of the guest's when `nanos` have passed, or, once what is returned
  /// was run, in the next.
  Runnable deliverLater(Runnable delivery, long nanos) {
    boolean[] done = {false};
    Runnable once =
        () -> {
          if (!done[0]) {
            done[0] = true;
            delivery.run();
          }
        };
    var _ = later.schedule(() -> deliver(once), nanos, TimeUnit.NANOSECONDS);
    return () -> deliverInTurn(once);
  }

  boolean isAbandoned() {
    return loopHasEnded.getAsBoolean();
  }

  boolean isInTurn() {
    return Thread.currentThread() == turns;
  }

  boolean isLoopIdle() {
    return driver.handler().wouldBlock();
  }
}
