// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Event;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Nanos;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.scheduler.context.TimedWaits;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The timers of the timed waits in the JDK (`Thread.sleep`, `poll(timeout)`, a timed
/// `Object.wait`) in which coroutines of one loop are. They are timers of the loop's own wheel: no
/// other thread wakes the coroutine.
final class ParkTimers implements TimedWaits.Timers {
  /*
   * States of a timer.
   *   from       event       to         who
   *              arm()       ARMED      the carrier, while it leaves a coroutine that the JDK parks
   *   ARMED      onEvent()   READY      a tick: into the ready queue, in the order of deadlines
   *   READY      resume()    DONE       the trampoline: the JDK makes the context runnable
   *   READY      resume()    HANDED     the same, where the JDK's code could wait, or the context
   *                                     is not known: a thread of the JDK does it at once
   *   ARMED,     cancel()    DONE       the carrier, when it mounts a context that something else
   *   READY                             has resumed
   *   ARMED,     handOver()  HANDED     the carrier, at the end of the loop: a timer of the JDK
   *   READY
   *   HANDED     cancel()    DONE       the thread that mounts the context
   *
   * A tick may run on the stack of a coroutine, and the JDK's code for the end of a wait must not:
   * it expects a platform thread. So a tick only queues the timer, and the trampoline, which mounts
   * contexts after foreign waits anyway, runs that code when the timer's turn comes.
   *
   * The JDK does not tell whose timer it asks for. The mount that is going on ends with the context
   * parked, and then the timer gets it. A timer without one works: its context then comes through
   * the inbox.
   *
   * Outside of a mount, a driver, its handlers or a carrier task may run a turn of a virtual thread
   * that has a scheduler of its own. The loop has no timer for that thread: the sleep that is going
   * on would not notice it, and the thread may go on, and cancel it, on another thread.
   *
   * A timer of a wait is a daemon: as before, its coroutine counts as one that waits in the JDK. So
   * the loop is looked at for stalls as before, and a long limit keeps no loop alive.
   *
   * The end of the loop. handOver() refuses further timers and gives all of the loop's to the JDK,
   * those that have expired, too: from then on another thread may mount a context and cancel its
   * timer, and a timer of the JDK admits that.
   *
   * Without memory. arm() runs while the thread leaves the carrier: a failure there would leave the
   * thread between two states for ever. So the JDK serves a wait for which the loop has no timer.
   *
   * Threads. Of a loop that runs: the carrier only. handOver() precedes the end of the inbox, and
   * no other thread mounts a context before that; so the field `handed` needs no fence.
   *
   * I1. A wait never ends early, and waits end in the order of deadline. [ParkTimersTest]
   * I2. A context that was resumed has no timer, also where that has expired at the same time: an
   *     old timer would end a later wait. [TimedWaitTest]
   * I3. The end of the loop loses no timer that an abandoned coroutine waits for, also when one of
   *     them cannot be handed over. [ParkTimersTest]
   * I4. The carrier never waits for a thread that reads the stack of a coroutine, unless that
   *     thread has begun in the same instant. [TimedWaitTest]
   * I5. Only coroutines of the loop have timers here. [TimedWaitTest]
   * I6. arm() throws nothing. [ParkTimersTest]
   *
   * Cost. Two objects, the wheel's arm and cancel, and an entry of the ready queue. A mount sets a
   * flag, and clears it.
   */
  private final HomeLoop loop;
  private final TimerQueue wheel;
  private final ReadyQueue ready;
  private final @Nullable ScheduledExecutorService jdk;

  // carrier only
  boolean mounting; // a mount is going on
  private @Nullable ParkTimer latest; // armed by the mount that is going on, or one that is over
  private @Nullable ParkTimer first; // of those that are armed or ready
  private @Nullable SwitchTrace trace; // null: none is being recorded
  private long armed; // so far
  private int pending; // armed, and not expired
  private boolean over;

  /// @param jdk has the timers that the loop cannot have; null: it has all of them. The JDK's waits
  ///   look at the clock of the JVM, so a loop with another clock must not end them
  ParkTimers(
      HomeLoop loop, TimerQueue wheel, ReadyQueue ready, @Nullable ScheduledExecutorService jdk) {
    this.loop = loop;
    this.wheel = wheel;
    this.ready = ready;
    this.jdk = jdk;
  }

  void setTrace(@Nullable SwitchTrace with) {
    trace = with;
  }

  /// How many timers were armed so far.
  long armed() {
    return armed;
  }

  /// How many timers are armed and have not expired.
  int pending() {
    return pending;
  }

  /// Runs the loop on the current thread. Another loop may run inside it, or around it; the one
  /// around it expires no timer meanwhile, so that it must not have those of this loop's waits.
  void serve(Runnable rounds) {
    TimedWaits.Timers around = TimedWaits.serve(jdk == null ? null : this);
    try {
      rounds.run();
    } finally {
      TimedWaits.restore(around);
    }
  }

  /// Mounts a context; it has the timer that is armed meanwhile.
  ///
  /// @return as [ExecutionContext#mount()]
  boolean mount(ExecutionContext context) {
    mounting = true;
    try {
      return context.mount();
    } finally {
      mounting = false; // else a thread that is no coroutine would get a timer
    }
  }

  @Override
  public TimedWaits.@Nullable Timer arm(Runnable expired, long nanos) {
    if (over || !mounting) {
      return null;
    }
    try {
      return begin(expired, nanos);
    } catch (Throwable _) {
      return null; // safe: no memory, perhaps; the timer is not armed, and the JDK has another one
    }
  }

  // whatever can fail precedes the first change
  private ParkTimer begin(Runnable expired, long nanos) {
    long deadline = Nanos.after(loop.nanoTime(), nanos);
    TimerEvent event = new TimerEvent(loop, wheel, deadline, true);
    ParkTimer timer = new ParkTimer(event, expired);
    event.subscribe(timer);
    event.start();
    link(timer);
    latest = timer;
    armed++;
    pending++;
    return timer;
  }

  /// The JDK has parked `context`.
  void parked(ExecutionContext context) {
    ParkTimer timer = latest;
    if (timer != null) {
      timer.context = context;
      latest = null;
    }
  }

  /// The loop takes no timers any more.
  void end() {
    over = true;
  }

  /// The loop ends: the JDK takes the timers over, for coroutines that are left.
  ///
  /// @param failed gets why one could not be handed over; that wait ends now
  void handOver(Consumer<Throwable> failed) {
    end();
    for (ParkTimer timer = first; timer != null && jdk != null; timer = first) {
      try {
        timer.disarm();
        timer.handOverTo(jdk);
      } catch (Throwable e) {
        failed.accept(e); // safe: reported; the others are handed over all the same
      }
    }
  }

  /// The loop has ended: abandons all contexts in the ready queue.
  void abandonReady() {
    for (Object next = ready.poll(); next != null; next = ready.poll()) {
      Object context =
          switch (next) {
            case ParkTimer timer -> timer.resume();
            case Occupant waiting -> waiting.context();
            default -> next;
          };
      if (context instanceof ExecutionContext left) {
        left.abandon();
      }
    }
  }

  private void link(ParkTimer timer) {
    timer.next = first;
    if (first != null) {
      first.previous = timer;
    }
    first = timer;
  }

  private void unlink(ParkTimer timer) {
    if (timer.previous == null) {
      first = timer.next;
    } else {
      timer.previous.next = timer.next;
    }
    if (timer.next != null) {
      timer.next.previous = timer.previous;
    }
    timer.previous = null;
    timer.next = null;
  }

  /// The timer of one wait, and an entry of the ready queue when its time is over.
  final class ParkTimer extends TimedWaits.Timer implements InlineCallback {
    private final TimerEvent event;
    private final Runnable expired;
    private @Nullable ExecutionContext context; // null: not known yet
    private @Nullable ParkTimer previous;
    private @Nullable ParkTimer next;
    private @Nullable Future<?> handed; // null: the loop's own
    private boolean done;

    ParkTimer(TimerEvent event, Runnable expired) {
      this.event = event;
      this.expired = expired;
    }

    @Override
    public void onEvent(Event fired, @Nullable Object result, @Nullable Throwable error) {
      pending--;
      if (trace != null && context != null) {
        trace.arrived(context);
      }
      ready.add(this);
    }

    /// Ends the wait, unless something else has.
    ///
    /// @return the context, which the caller resumes; null when it needs no resume, or arrives in
    ///   the inbox
    @Nullable ExecutionContext resume() {
      if (done) {
        return null;
      }
      unlink(this);
      ExecutionContext waiting = context;
      if (jdk != null && (waiting == null || waiting.isReadInObjectWait())) {
        handOverTo(jdk);
        return null;
      }
      done = true;
      if (waiting == null) {
        expired.run();
        return null;
      }
      return waiting.endWaitBy(expired) ? waiting : null;
    }

    private void handOverTo(ScheduledExecutorService executor) {
      done = true;
      try {
        handed = executor.schedule(expired, getDelay(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
      } catch (RuntimeException | Error e) {
        expired.run(); // a wait may end for no reason, and must end
        throw e;
      }
    }

    private void disarm() {
      unlink(this);
      if (!event.isClosed()) {
        pending--;
        event.unsubscribe(this);
        event.stop();
      }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      if (handed != null) {
        return handed.cancel(false);
      }
      if (done) {
        return false;
      }
      done = true;
      disarm();
      return true;
    }

    @Override
    public boolean isDone() {
      return handed == null ? done : handed.isDone();
    }

    @Override
    public long getDelay(TimeUnit unit) {
      long deadline = event.deadline();
      // half of the scale, so that the JDK may add it to its clock
      long left = deadline == Nanos.NEVER ? Long.MAX_VALUE / 2 : deadline - loop.nanoTime();
      return unit.convert(left, TimeUnit.NANOSECONDS);
    }
  }
}
