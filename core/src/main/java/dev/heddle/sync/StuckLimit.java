// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Nanos;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Ends the waits for a channel when nothing has been exchanged for too long.
///
/// **Thread** the loop's.
final class StuckLimit implements InlineCallback, Runnable {
  /*
   * States.  from   event                                      to
   *          IDLE   a coroutine begins to wait                 TIMED  arms the timer
   *          TIMED  an item is exchanged, a waiter leaves;     TIMED  the timer starts anew
   *                 others still wait
   *          TIMED  the same, and none waits any more          IDLE   disarms the timer
   *          TIMED  the timer fires                            IDLE   the waits end
   *          TIMED  the loop would report a deadlock, and the  IDLE   the same
   *                 limit is that of closeOnDeadlock()
   *
   * A limit that ends waits on a deadlock must not prevent that deadlock: its timer is a daemon.
   */
  private final Scheduler home;
  private final Duration limit;
  private final boolean onDeadlock;
  private final Runnable endWaits;
  private @Nullable TimerEvent timer; // null: no coroutine waits

  StuckLimit(Scheduler home, Duration limit, boolean onDeadlock, Runnable endWaits) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("a limit of " + limit + "; it must be positive");
    }
    this.home = home;
    this.limit = limit;
    this.onDeadlock = onDeadlock;
    this.endWaits = endWaits;
  }

  Duration limit() {
    return limit;
  }

  /// A coroutine is about to wait.
  void begin() {
    if (timer != null) {
      return;
    }
    TimerEvent armed =
        new TimerEvent(home, home.timers(), Nanos.after(home.nanoTime(), limit), onDeadlock);
    armed.subscribe(this);
    if (onDeadlock) {
      armed.startDaemon();
      home.onDeadlock(this);
    } else {
      armed.start();
    }
    timer = armed;
  }

  /// An item was exchanged, or a waiter has left.
  void changed(boolean othersWait) {
    if (timer == null) {
      return;
    }
    end();
    if (othersWait) {
      begin();
    }
  }

  private void end() {
    TimerEvent armed = timer;
    timer = null;
    if (armed == null) {
      return;
    }
    armed.unsubscribe(this);
    if (onDeadlock) {
      armed.stopDaemon();
      home.removeOnDeadlock(this);
    } else {
      armed.stop();
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
    run();
  }

  @Override
  public void run() {
    end();
    endWaits.run();
  }
}
