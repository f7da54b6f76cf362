// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/// The handles that a guest has registered, and what has come for them, in order.
///
/// **Thread** the loop's.
public final class GuestHandles {
  private static final System.Logger LOG = System.getLogger("dev.heddle");

  private final NettyDriver driver;
  private final Runnable whenTold;
  private final Thread turns;
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final Set<GuestHandle> registered = Collections.newSetFromMap(new IdentityHashMap<>());

  /// None yet.
  ///
  /// @param turns the thread of the guest's turns
  /// @param whenTold asks for one
  public GuestHandles(NettyDriver driver, Thread turns, Runnable whenTold) {
    this.driver = driver;
    this.turns = turns;
    this.whenTold = whenTold;
  }

  // ---- the guest's turn ----

  /// Registers a handle of the guest's, when the handler is open.
  public IoRegistration register(IoHandle handle) throws Exception {
    GuestHandle standIn = driver.guestHandle(this, handle);
    return standIn.registration(driver.handler().open().register(standIn));
  }

  /// Hands on what came first.
  ///
  /// @return whether there was anything
  public boolean deliverNext() {
    Runnable next = told.poll();
    if (next == null) {
      return false;
    }
    try {
      next.run();
    } catch (Throwable e) {
      // safe: a pipeline tells its own handlers; this is Netty's or a bare handle's
      LOG.log(System.Logger.Level.WARNING, "a handle on a Netty event loop failed", e);
    }
    return true;
  }

  /// Closes all of them, channels by their pipelines.
  public void close() {
    for (GuestHandle handle : List.copyOf(registered)) {
      Channel channel = handle.channel();
      if (channel == null) {
        handle.close();
      } else {
        channel.close();
      }
    }
  }

  /// Closes all of them past their pipelines' handlers, who may keep a close to themselves.
  public void closeByForce() {
    List.copyOf(registered).forEach(GuestHandle::close);
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
    whenTold.run();
  }

  boolean isInTurn() {
    return Thread.currentThread() == turns;
  }

  boolean isLoopIdle() {
    return driver.handler().wouldWait();
  }
}
