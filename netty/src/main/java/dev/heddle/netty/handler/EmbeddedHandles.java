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

/// The registered handles of an embedded event loop and their pending events, in order.
///
/// **Thread** the carrier's coroutines and polls. After the loop's end the carrier ends their
/// operations, while an abandoned turn may still run; the last turn follows both.
public final class EmbeddedHandles {
  private final Host driver;
  private final Runnable onDelivery;
  private final ScheduledExecutorService later;
  private final BooleanSupplier loopHasEnded;
  private final ArrayDeque<Runnable> deliveries =
      new ArrayDeque<>(); // a turn takes; while the loop lives, the loop adds
  private final Queue<Runnable> late = new ConcurrentLinkedQueue<>(); // events after the loop's end
  private final Set<EmbeddedHandle> registered = ConcurrentHashMap.newKeySet();
  private volatile Thread turns;

  /// The driver, as the handles use it.
  public interface Host {
    IoHandlerAdapter handler();

    /// Whether a poll now could only report undelivered events of the embedded handles again: it is
    /// level-triggered, and no handle of Heddle waits.
    boolean wouldOnlyRepeat();

    /// Wraps a handle of the embedded event loop for registration with the handler.
    ///
    /// @param handle of the handler's own type
    EmbeddedHandle wrap(EmbeddedHandles home, IoHandle handle);
  }

  /// Creates an empty set.
  ///
  /// @param turns thread of the embedded event loop's turns
  /// @param onDelivery requests a turn
  /// @param later schedules a task in a turn
  /// @param loopHasEnded whether the handler has closed or is about to; callable on any thread
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

  // ---- in a turn of the embedded event loop ----

  /// Registers a handle; the handler is open.
  public IoRegistration register(IoHandle handle) throws Exception {
    EmbeddedHandle standIn = driver.wrap(this, handle);
    return standIn.standFor(driver.handler().open().register(standIn));
  }

  /// Delivers the oldest event.
  ///
  /// @return whether there was one
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
      // safe: a pipeline reports failures to its handlers; this one is of Netty or of a bare handle
      AsyncLog.shared().warning("a handle on a Netty event loop failed", e);
    }
  }

  /// Closes all handles, channels through their pipelines.
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

  /// Closes all handles, bypassing the pipelines' handlers, which may swallow a close.
  public void closeByForce() {
    List.copyOf(registered).forEach(EmbeddedHandle::closeNow);
  }

  // ---- on the loop ----

  public boolean isEmpty() {
    return registered.isEmpty();
  }

  public boolean hasEvents() {
    return !deliveries.isEmpty() || !late.isEmpty();
  }

  /// Whether another poll would report the undelivered events again.
  public boolean wouldRepeat() {
    return hasEvents() && driver.wouldOnlyRepeat();
  }

  // ---- after the loop's end, with handles left ----

  /// Ends the operations of their sockets. Later events are kept for the last turn. Called by the
  /// carrier.
  public void abandon() {
    registered.forEach(EmbeddedHandle::abandoned);
  }

  /// Closes their descriptors. Called by the carrier when the handler has closed.
  ///
  /// @param turnIsLeftBehind whether a turn was abandoned inside a handler, which may use the
  ///   descriptors: they stay open until it returns, and no connection is accepted
  /// @param lastTurn closes the handles through their pipelines, and returns after a limited time,
  ///   finished or not
  public void releaseDescriptors(boolean turnIsLeftBehind, Runnable lastTurn) {
    List<EmbeddedHandle> all = List.copyOf(registered); // owned by the last turn once it begins
    all.forEach(
        turnIsLeftBehind ? EmbeddedHandle::stopListening : EmbeddedHandle::releaseDescriptor);
    try {
      lastTurn.run();
    } finally {
      all.forEach(EmbeddedHandle::releaseRemaining);
    }
  }

  /// Makes the current thread that of the last turn.
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

  /// Runs `delivery` in a turn of the embedded event loop, after earlier ones.
  public void deliverInTurn(Runnable delivery) {
    if (isAbandoned()) {
      late.add(delivery);
    } else {
      deliveries.add(delivery);
      onDelivery.run();
    }
  }

  /// Runs `delivery` in a turn of the embedded event loop after `nanos`, or in the next turn once
  /// the returned task is run.
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
