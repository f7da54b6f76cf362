// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The handles that a guest has registered, and what has come for them, in order.
///
/// **Thread** the loop's; that of the guest's last turn when the loop has ended.
public final class GuestHandles {
  private final NettyDriver driver;
  private final Runnable whenTold;
  private final ScheduledExecutorService later;
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final Set<GuestHandle> registered = Collections.newSetFromMap(new IdentityHashMap<>());
  private Thread turns;
  private boolean abandoned;

  /// None yet.
  ///
  /// @param turns the thread of the guest's turns
  /// @param whenTold asks for one
  /// @param later runs in one what is due
  public GuestHandles(
      NettyDriver driver, Thread turns, Runnable whenTold, ScheduledExecutorService later) {
    this.driver = driver;
    this.turns = turns;
    this.whenTold = whenTold;
    this.later = later;
  }

  // ---- the guest's turn ----

  /// Registers a handle of the guest's, when the handler is open.
  public IoRegistration register(IoHandle handle) throws Exception {
    GuestHandle standIn = driver.guestHandle(this, handle);
    return standIn.standFor(driver.handler().open().register(standIn));
  }

  /// Hands on what came first.
  ///
  /// @return whether there was anything
  public boolean deliverNext() {
    Runnable next = told.poll();
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
    for (GuestHandle handle : List.copyOf(registered)) {
      Channel channel = handle.channel();
      if (channel == null) {
        handle.closeNow();
      } else {
        channel.close();
      }
    }
  }

  /// Closes all of them past their pipelines' handlers, who may keep a close to themselves.
  public void closeByForce() {
    List.copyOf(registered).forEach(GuestHandle::closeNow);
  }

  // ---- anywhere on the loop ----

  /// Whether none is registered.
  public boolean isEmpty() {
    return registered.isEmpty();
  }

  /// Whether something has come that was not handed on.
  public boolean hasEvents() {
    return !told.isEmpty();
  }

  /// Whether another look would tell again what was not handed on.
  public boolean wouldBeToldAgain() {
    return hasEvents() && driver.tellsAgain();
  }

  // ---- the loop has ended, and some are left ----

  /// Shuts their sockets down, and asks the handler for nothing any more. What still comes is
  /// noted, for the last turn. By the carrier.
  public void abandon() {
    abandoned = true;
    registered.forEach(GuestHandle::shutDown);
  }

  /// Gives their descriptors back to the system. By the carrier, when the handler is gone.
  ///
  /// @param lastTurn closes them by their pipelines, and returns after a while, whether it is done
  ///   or not
  public void giveBack(Runnable lastTurn) {
    List<GuestHandle> all = List.copyOf(registered); // the last turn's, from when it begins
    all.forEach(GuestHandle::giveBack);
    lastTurn.run();
    all.forEach(GuestHandle::giveBackAtLast);
  }

  /// The last turn is the current thread's.
  public void takeLastTurn() {
    turns = Thread.currentThread();
  }

  // ---- for the handles ----

  void add(GuestHandle handle) {
    registered.add(handle);
  }

  void remove(GuestHandle handle) {
    registered.remove(handle);
  }

  /// Runs `delivery` in the guest's turn, behind what has come before.
  public void tell(Runnable delivery) {
    told.add(delivery);
    if (!abandoned) {
      whenTold.run();
    }
  }

  /// Runs `delivery` in a turn of the guest's when `nanos` have passed, or, once what is returned
  /// was run, in the next.
  Runnable tellLater(Runnable delivery, long nanos) {
    boolean[] done = {false};
    Runnable once =
        () -> {
          if (!done[0]) {
            done[0] = true;
            delivery.run();
          }
        };
    var _ = later.schedule(() -> deliver(once), nanos, TimeUnit.NANOSECONDS);
    return () -> tell(once);
  }

  boolean isAbandoned() {
    return abandoned;
  }

  boolean isInTurn() {
    return Thread.currentThread() == turns;
  }

  boolean isLoopIdle() {
    return driver.handler().wouldWait();
  }
}
