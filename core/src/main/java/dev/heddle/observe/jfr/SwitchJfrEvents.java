// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.jfr;

import java.util.ArrayDeque;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/// The switches and wake-ups of a loop in a flight recording: what a trace has, as events.
///
/// They are off unless a recording enables one of them by its name: a loop has a thousand times as
/// many as of the others. This class cannot be loaded where `jdk.jfr` is absent, so nothing may be
/// called here unless [LoopJfrEvents#switchesAreWanted()].
///
/// The JDK (25.0.3) loses the first event of a thread that has carried virtual threads since its
/// last one. So what happens on the carrier, with no coroutine mounted, gets its time there and is
/// written by the next coroutine.
///
/// **Thread** the loop's.
public final class SwitchJfrEvents {
  private final String loop;
  private final ArrayDeque<LoopEvent> pending = new ArrayDeque<>(); // of the carrier

  /// @param loop its name
  public SwitchJfrEvents(String loop) {
    this.loop = loop;
  }

  private void commit(LoopEvent event) {
    event.loop = loop;
    event.end();
    if (Thread.currentThread().isVirtual()) {
      commitPending();
      event.commit();
    } else {
      pending.add(event);
    }
  }

  private void commit(CoroutineEvent event, long coroutine, @Nullable String name) {
    event.coroutine = coroutine;
    event.name = name;
    commit(event);
  }

  private void commitPending() {
    for (LoopEvent next = pending.poll(); next != null; next = pending.poll()) {
      next.commit();
    }
  }

  /// Whether a recording that runs has enabled one of these events. Loads their classes.
  static boolean areEnabled() {
    return Types.areEnabled();
  }

  /// Loads the classes, when a recording has been started anyway.
  private static final class Types {
    private static final List<EventType> ALL =
        List.of(
            EventType.getEventType(CoroutineRun.class),
            EventType.getEventType(CoroutineWakeUp.class),
            EventType.getEventType(CoroutineCancel.class),
            EventType.getEventType(LoopSleep.class),
            EventType.getEventType(TimerExpired.class),
            EventType.getEventType(IoReady.class));

    static boolean areEnabled() {
      return ALL.stream().anyMatch(EventType::isEnabled);
    }
  }

  /// Something that lasts, and has begun.
  public sealed interface Lasting permits CoroutineRun, LoopSleep {}

  /// A run of a coroutine begins now.
  public Lasting runBegins() {
    CoroutineRun event = new CoroutineRun();
    event.begin();
    return event;
  }

  /// A run ends.
  ///
  /// @param name null: none was given
  /// @param then why it ended
  public void runEnds(Lasting run, long coroutine, @Nullable String name, String then) {
    if (run instanceof CoroutineRun event) {
      event.end();
      if (event.shouldCommit()) {
        event.then = then;
        commit(event, coroutine, name);
      }
    }
  }

  /// A wait of a coroutine is over.
  ///
  /// @param by the number of the coroutine that has woken it; 0: the loop itself
  /// @param waitedFor what it had waited for, or what else has ended the wait
  public void wokenUp(long coroutine, @Nullable String name, long by, String waitedFor) {
    CoroutineWakeUp event = new CoroutineWakeUp();
    event.begin();
    if (event.shouldCommit()) {
      event.by = by;
      event.waitedFor = waitedFor;
      commit(event, coroutine, name);
    }
  }

  /// The cancellation of a coroutine was requested.
  ///
  /// @param by the number of the coroutine that has cancelled it; 0: the loop itself
  public void cancelled(long coroutine, @Nullable String name, long by) {
    CoroutineCancel event = new CoroutineCancel();
    event.begin();
    if (event.shouldCommit()) {
      event.by = by;
      commit(event, coroutine, name);
    }
  }

  /// The loop goes to sleep now.
  public Lasting sleepBegins() {
    LoopSleep event = new LoopSleep();
    event.begin();
    return event;
  }

  /// It has woken.
  public void sleepEnds(Lasting sleep) {
    if (sleep instanceof LoopSleep event) {
      event.end();
      if (event.shouldCommit()) {
        commit(event);
      }
    }
  }

  /// A timer has expired.
  ///
  /// @param late nanoseconds after its deadline
  public void timerExpired(long late) {
    TimerExpired event = new TimerExpired();
    event.begin();
    if (event.shouldCommit()) {
      event.late = late;
      commit(event);
    }
  }

  /// The driver has found something ready.
  ///
  /// @param count of watched things that are ready
  public void ready(int count) {
    IoReady event = new IoReady();
    event.begin();
    if (event.shouldCommit()) {
      event.count = count;
      commit(event);
    }
  }

  /// What all of them have.
  abstract static sealed class LoopEvent extends Event
      permits CoroutineEvent, LoopSleep, TimerExpired, IoReady {
    @Label("Loop")
    @Nullable String loop;
  }

  abstract static sealed class CoroutineEvent extends LoopEvent
      permits CoroutineRun, CoroutineWakeUp, CoroutineCancel {
    @Label("Coroutine")
    long coroutine;

    @Label("Name")
    @Nullable String name;
  }

  @Name("dev.heddle.CoroutineRun")
  @Label("Coroutine Run")
  @Category({"Heddle", "Switches"})
  @Description("A coroutine has run, from its start or the end of a wait to the next one")
  @Enabled(false)
  @StackTrace(false)
  static final class CoroutineRun extends CoroutineEvent implements Lasting {
    @Label("Then")
    @Description("Why the run has ended: what the coroutine waits for, or that it yields or ends")
    @Nullable String then;
  }

  @Name("dev.heddle.CoroutineWakeUp")
  @Label("Coroutine Wake-up")
  @Category({"Heddle", "Switches"})
  @Description("A wait of a coroutine is over, and it is ready to run")
  @Enabled(false)
  @StackTrace(false)
  static final class CoroutineWakeUp extends CoroutineEvent {
    @Label("Woken By")
    @Description("The coroutine that has woken it; 0: a timer, I/O or another thread")
    long by;

    @Label("Waited For")
    @Nullable String waitedFor;
  }

  @Name("dev.heddle.CoroutineCancel")
  @Label("Coroutine Cancellation")
  @Category({"Heddle", "Switches"})
  @Description("The cancellation of a coroutine was requested")
  @Enabled(false)
  @StackTrace(false)
  static final class CoroutineCancel extends CoroutineEvent {
    @Label("Cancelled By")
    @Description("The coroutine that has cancelled it; 0: the loop itself")
    long by;
  }

  @Name("dev.heddle.LoopSleep")
  @Label("Loop Sleep")
  @Category({"Heddle", "Switches"})
  @Description("A loop had nothing to do")
  @Enabled(false)
  @StackTrace(false)
  static final class LoopSleep extends LoopEvent implements Lasting {}

  @Name("dev.heddle.TimerExpired")
  @Label("Timer Expired")
  @Category({"Heddle", "Switches"})
  @Description("A timer of a loop has expired")
  @Enabled(false)
  @StackTrace(false)
  static final class TimerExpired extends LoopEvent {
    @Label("Late")
    @Description("How long after its deadline")
    @Timespan
    long late;
  }

  @Name("dev.heddle.IoReady")
  @Label("I/O Ready")
  @Category({"Heddle", "Switches"})
  @Description("The driver of a loop has found what it watches ready")
  @Enabled(false)
  @StackTrace(false)
  static final class IoReady extends LoopEvent {
    @Label("Count")
    int count;
  }
}
