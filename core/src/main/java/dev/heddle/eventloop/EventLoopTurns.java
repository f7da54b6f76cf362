// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopShutdown;
import dev.heddle.scheduler.context.ContextOwner;
import dev.heddle.scheduler.context.ExecutionContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The turns of another library's event loop. Each turn is a coroutine of the loop; they follow
/// each other, all on the same thread.
///
/// **Thread** the loop's: the carrier, in a tick, or a coroutine mounted on it.
public final class EventLoopTurns {
  /*
   * The code of an event loop and of its handlers may wait: for a lock, a logger, a socket. On the
   * trampoline such a wait would stop the loop, and for ever when one of its coroutines owns the
   * lock. On the stack of an arbitrary coroutine the event loop would be parked half-way, and the
   * next caller would enter it again. So it runs in coroutines of its own, and nowhere else.
   *
   * States.
   *   from       event                              to         what happens
   *   IDLE       request()                          UNDER WAY  a coroutine is queued behind the
   *                                                            ready ones
   *   UNDER WAY  the turn ends, no work is left     IDLE       its context becomes idle
   *   UNDER WAY  the turn ends, work is left        UNDER WAY  as by request()
   *   IDLE       the event loop is over             OVER       its context ends
   *   IDLE       the loop ends                      IDLE       no turn comes any more
   *   UNDER WAY  the loop ends, the turn is queued  ABANDONED  it returns at once, on the JDK's
   *                                                            scheduler
   *   UNDER WAY  the loop ends, the turn is parked  ABANDONED  when woken, it continues there and
   *                                                            stops after its current step
   *   ABANDONED  the turn has returned              ABANDONED  its thread ends; only then may
   *                                                            others enter the event loop
   * Work that comes while a turn is parked is done when the turn continues.
   *
   * One thread. An event loop compares threads to find out whether it is called from inside, and
   * keeps buffers and caches in thread-locals. Neither may change with each turn. So the context is
   * reserved (ContextOwner), and the coroutines follow each other on it.
   *
   * One coroutine for each turn, not one for ever: while there is no work there is no coroutine, so
   * the loop can end, detect deadlocks and write dumps as if the event loop did not exist. While a
   * turn runs or is parked, the loop waits for it and shows it like any other coroutine.
   *
   * I1. At most one turn is under way. [HandlersThatLockTest]
   * I2. Work that exists when a turn ends, or when one is requested, gets a turn. [TaskTest]
   */

  private static final Duration LOOK = Duration.ofMillis(100);

  private final LoopRuntime loop;
  private final String name;
  private final HostedEventLoop hosted;
  private final ExecutionContext context;
  private volatile boolean active;
  private volatile boolean started; // the turn that is under way
  private boolean over;

  private EventLoopTurns(LoopRuntime loop, String name, HostedEventLoop hosted) {
    this.loop = loop;
    this.name = name;
    this.hosted = hosted;
    this.context = loop.scheduler().contexts().reserveFor(new Keeper());
  }

  /// The turns of an event loop on the current loop.
  ///
  /// @param name of the turns' thread, in dumps
  /// @throws IllegalStateException outside a coroutine
  public static EventLoopTurns onCurrentLoop(String name, HostedEventLoop hosted) {
    return new EventLoopTurns(LoopRuntime.current(), name, hosted);
  }

  /// Whether the current thread runs a turn of any event loop. **Thread** any.
  public static boolean isCurrent() {
    ExecutionContext current = ExecutionContext.current();
    return current != null && current.owner() instanceof Keeper;
  }

  public Thread thread() {
    return context.thread();
  }

  /// Whether the caller is a turn that its loop has abandoned at its end. The turn then runs on the
  /// JDK's scheduler, concurrently with others, and must stop. **Thread** any.
  public boolean isLeftBehind() {
    return loop.scheduler().hasEnded() && Thread.currentThread() == context.thread();
  }

  public boolean hasLoopEnded() {
    return loop.scheduler().hasEnded();
  }

  /// The thread of the turn that was under way when the loop ended; null when there is none, or it
  /// has returned. **Thread** any.
  public @Nullable Thread leftBehind() {
    return hasLoopEnded() && active && started && thread().isAlive() ? thread() : null;
  }

  /// Waits until that turn has returned; for ever, if it never does. **Thread** any outside the
  /// loop.
  public void awaitLeftBehind() throws InterruptedException {
    for (Thread left = leftBehind(); left != null; left = leftBehind()) {
      var _ = left.join(LOOK); // its thread need not end: the loop may still be ending
    }
  }

  /// How long the ending loop waits for what is left. **Thread** any.
  public Duration shutdownDeadline() {
    return loop.options().shutdownDeadline();
  }

  public boolean isActive() {
    return active;
  }

  public boolean isQueued() {
    return active && !started && !hasLoopEnded();
  }

  /// Whether the turn under way has called `System.exit`, which waits for the loop.
  public boolean isInExit() {
    return active && LoopShutdown.isInExit(context);
  }

  /// There is work: requests a turn, unless one is under way.
  public void request() {
    if (!active) {
      begin(false);
    }
  }

  /// There is work from outside, which is reported again until it is done: requests a turn that
  /// runs before the coroutines that are already ready, unless one is under way.
  public void requestFirst() {
    if (!active) {
      begin(true);
    }
  }

  private void begin(boolean first) {
    if (over || loop.scheduler().hasEnded()) {
      return; // the turns' thread has ended
    }
    active = true;
    loop.startInternal(name, this::take, context, first);
  }

  private void take() {
    if (isLeftBehind()) {
      return;
    }
    started = true;
    hosted.takeTurn();
  }

  private final class Keeper implements ContextOwner {
    @Override
    public void runInFrame(Runnable occupants) {
      hosted.frame(occupants);
    }

    @Override
    public boolean occupantEnded() {
      active = false;
      started = false;
      if (hosted.isOver()) {
        over = true;
        return false;
      }
      if (hosted.hasWork()) {
        begin(false);
      }
      return true;
    }
  }
}
