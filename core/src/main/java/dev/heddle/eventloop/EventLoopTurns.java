// SPDX-License-Identifier: Apache-2.0
package dev.heddle.eventloop;

import dev.heddle.loop.LoopRoot;
import dev.heddle.loop.Shutdown;
import dev.heddle.scheduler.context.ContextKeeper;
import dev.heddle.scheduler.context.ExecutionContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The turns of another library's event loop: each is a coroutine of the loop's own, one after the
/// other, all on the same thread.
///
/// **Thread** the loop's: the carrier, in a tick, or a coroutine mounted on it.
public final class EventLoopTurns {
  /*
   * An event loop's code, and that of its handlers, may wait for a lock, a logger, a socket. On the trampoline that would stop the loop, and
   * for ever when the lock's owner is one of its coroutines. On the stack of whichever coroutine called, it would be parked in the middle, and
   * the next caller would enter the same event loop. So it runs in a coroutine, and nowhere else.
   *
   * States.  from      event                                    to        what happens
   *          IDLE      request()                                UNDER WAY a coroutine is queued behind all that are ready
   *          UNDER WAY it ends, and there is no work            IDLE      its context rests
   *          UNDER WAY it ends, and there is work               UNDER WAY another coroutine is queued behind all that are ready
   *          IDLE      the event loop is over                   OVER      its context ends
   *          IDLE      the loop ends                            IDLE      no turn comes any more
   *          UNDER WAY the loop ends, the turn is queued        LEFT      it comes to nothing, on the JDK's scheduler
   *          UNDER WAY the loop ends, the turn is parked        LEFT      it goes on there if it is ever woken, and stops after its step
   *          LEFT      the turn has come back                   LEFT      its thread ends: only then others may enter the event loop
   * While a turn is parked, work gathers; the turn finds it when it goes on.
   *
   * One thread. An event loop knows by its thread whether it is called from inside, and keeps buffers and caches in the thread's
   * locals: they must not change with each turn. So the context is kept aside (ContextKeeper), and coroutines follow each other on it.
   *
   * A coroutine for each turn, not one for ever: at rest there is none, so the loop ends, counts its deadlocks and writes its dumps
   * as if the event loop were not there; while it runs or is parked the loop waits for it, and it is seen as any other.
   *
   * I1. At most one turn is under way. [HandlersThatLockTest]
   * I2. Work that is there when a turn ends, or when it is asked for, has a turn to come. [TaskTest]
   */

  private static final Duration LOOK = Duration.ofMillis(100);

  private final LoopRoot loop;
  private final String name;
  private final HostedEventLoop hosted;
  private final ExecutionContext context;
  private volatile boolean underWay;
  private volatile boolean begun; // the one that is under way
  private boolean over;

  private EventLoopTurns(LoopRoot loop, String name, HostedEventLoop hosted) {
    this.loop = loop;
    this.name = name;
    this.hosted = hosted;
    this.context = loop.scheduler().contexts().keepFor(new Keeper());
  }

  /// Turns on the current loop.
  ///
  /// @param name of their thread, in dumps
  /// @throws IllegalStateException outside a coroutine
  public static EventLoopTurns onCurrentLoop(String name, HostedEventLoop hosted) {
    return new EventLoopTurns(LoopRoot.current(), name, hosted);
  }

  /// Whether the current thread runs a turn, of whichever event loop. **Thread** any.
  public static boolean isCurrent() {
    ExecutionContext current = ExecutionContext.current();
    return current != null && current.keeper() instanceof Keeper;
  }

  /// The thread of all turns. **Thread** any.
  public Thread thread() {
    return context.thread();
  }

  /// Whether this is a turn that its loop has ended without. It goes on with the JDK's scheduler,
  /// beside others, and is to stop. **Thread** any.
  public boolean isLeftBehind() {
    return loop.scheduler().hasEnded() && Thread.currentThread() == context.thread();
  }

  /// Whether the loop has ended. **Thread** any.
  public boolean hasLoopEnded() {
    return loop.scheduler().hasEnded();
  }

  /// The thread of the turn in whose middle the loop has ended; null: there is none, or it has come
  /// back. **Thread** any.
  public @Nullable Thread leftBehind() {
    return hasLoopEnded() && underWay && begun && thread().isAlive() ? thread() : null;
  }

  /// Waits until that turn has come back; for ever, if it waits for ever. **Thread** one beside the
  /// loop.
  public void awaitLeftBehind() throws InterruptedException {
    for (Thread left = leftBehind(); left != null; left = leftBehind()) {
      var _ = left.join(LOOK); // its thread need not end: the loop may just be ending
    }
  }

  /// How long the loop waits for the end of what is left when it ends. **Thread** any.
  public Duration shutdownDeadline() {
    return loop.options().shutdownDeadline();
  }

  /// Whether a turn is queued, runs, or was parked.
  public boolean isUnderWay() {
    return underWay;
  }

  /// Whether a turn is queued: it neither runs nor was parked.
  public boolean isAboutToRun() {
    return underWay && !begun && !hasLoopEnded();
  }

  /// Whether the turn that is under way has called `System.exit`, which waits for the loop.
  public boolean isInExit() {
    return underWay && Shutdown.isInExit(context);
  }

  /// There is work: a turn is to come, unless one is under way.
  public void request() {
    if (!underWay) {
      begin(false);
    }
  }

  /// There is work from outside, which is told again until it is done: a turn is to come before
  /// those who are ready already, unless one is under way.
  public void requestFirst() {
    if (!underWay) {
      begin(true);
    }
  }

  private void begin(boolean first) {
    if (over || loop.scheduler().hasEnded()) {
      return; // its thread has ended
    }
    underWay = true;
    loop.startOwn(name, this::take, context, first);
  }

  private void take() {
    if (isLeftBehind()) {
      return;
    }
    begun = true;
    hosted.takeTurn();
  }

  private final class Keeper implements ContextKeeper {
    @Override
    public void frame(Runnable guests) {
      hosted.frame(guests);
    }

    @Override
    public boolean guestEnded() {
      underWay = false;
      begun = false;
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
