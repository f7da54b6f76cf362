// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.source.EventSource;
import dev.heddle.loop.feed.LoopObserver;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.trace.TraceClock;
import dev.heddle.observe.trace.TraceCodes;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes what the coroutines of a loop do into a ring, from [#begin] to [#end].
final class LoopTrace implements LoopObserver {
  /*
   * A coroutine has two bits that say that it is traced: one in the byte that each switch looks at
   * anyway, one in the byte that each entry of the ready queue looks at anyway. So a loop of which
   * no trace is recorded executes what it did before. begin() sets the bits of all coroutines, and
   * spawned() those of new ones. After end() a coroutine finds that there is no trace when it is
   * called next, and clears them.
   *
   * States.  from      event                              to        who, entry
   *          -         begin()                            OUTSIDE   the trampoline
   *          OUTSIDE   entered(): it starts or resumes    RUNNING   the coroutine
   *          OUTSIDE   the JDK resumes one                OUTSIDE   nothing is called; left() and
   *                                                                 who() know without
   *          RUNNING   left()                             OUTSIDE   the coroutine, or the
   *                                                                 trampoline for one that the
   *                                                                 JDK has parked: RUN
   *          OUTSIDE   stayed()                           RUNNING   the coroutine, which had left:
   *                                                                 the next entry is RUN_ON
   *          RUNNING   stayed()                           RUNNING   a handler has failed before it
   *                                                                 left: nothing
   *          RUNNING   ended()                            OUTSIDE   the coroutine: END, RUN
   *
   * Threads. The loop's. `running` and `since` are also read by the observer's session when the
   * loop does not answer.
   *
   * I1. A RUN for each dispatch of a coroutine: mounts that were not refused, resumes without a
   *     switch and starts without one. [LoopTraceTest]
   * I2. A SLEEP for each sleep of the loop, from before it to the return of the driver, or to the
   *     first wake-up by a listener of the driver; a TIMER for each timer that expires.
   *     [LoopTraceTest]
   * I3. END is the last entry but RUN that has a coroutine in it, so the names of those that have
   *     ended are lost with their last entries, and not before. [LoopTraceTest]
   * I4. Without a recording no coroutine calls this more than twice. [LoopRecordingTest]
   *
   * Cost. Two entries for a wait, one for a yield; decision 0061 has the figures.
   *
   * Rejected. Switch handlers: a list and a call of user code's kind for each, and none for
   * wake-ups. An entry for each mount: the run says when it began.
   */
  static final List<String> FIXED_CODES =
      List.of(
          "",
          "yields",
          "ends",
          "waits in the JDK",
          "a deadline",
          "a token",
          "an interrupt",
          "a cancellation",
          "the JDK",
          "one of several");
  static final int NONE = 0;
  static final int YIELDS = 1;
  static final int ENDS = 2;
  static final int WAITS_IN_JDK = 3;
  static final int BY_DEADLINE = 4;
  static final int BY_TOKEN = 5;
  static final int BY_INTERRUPT = 6;
  static final int BY_CANCELLATION = 7;
  static final int BY_THE_JDK = 8;
  static final int ONE_OF_SEVERAL = 9;

  static final int RETURNED = 0;
  static final int FAILED = 1;
  static final int CANCELLED = 2;

  private final CoroutineTree tree;
  private final TraceRing ring;
  private final TraceClock clock;

  // loop only
  private final TraceCodes codes = new TraceCodes(FIXED_CODES.size());
  private boolean sleeping; // in the driver, and nobody was woken yet
  private long leaving; // a number; has left, and has not entered since; not: into the JDK; else 0
  private boolean goesOn; // the coroutine that runs had been said to leave
  private @Nullable Final last;

  /// What the loop was when it ended while it was recorded.
  record Final(LoopCounters counters, long nanos) {}

  // loop; racy reads by the session
  private long running; // a coroutine's number; 0: none, or one that the JDK has resumed
  private long since; // when that began; else the end of the last run or sleep

  private LoopTrace(CoroutineTree tree, TraceRing ring, TraceTicks ticks) {
    this.tree = tree;
    this.ring = ring;
    this.clock = new TraceClock(ticks);
    this.since = clock.last();
  }

  /// Begins to record. On the trampoline.
  ///
  /// @throws IllegalStateException when a trace of this loop is being recorded already
  static LoopTrace begin(CoroutineTree tree, TraceRing into, TraceTicks ticks) {
    if (LoopObserver.find(LoopObserver.of(tree), LoopTrace.class) != null) {
      throw new IllegalStateException(
          "another observer records a trace of the loop '" + tree.options().name() + "' just now");
    }
    LoopTrace trace = new LoopTrace(tree, into, ticks);
    LoopObserver.add(tree, trace);
    return trace;
  }

  /// Ends the recording. On the trampoline.
  void end() {
    LoopObserver.remove(tree, this);
  }

  // ---- what has been recorded ----

  TraceRing ring() {
    return ring;
  }

  /// The classes that the codes after the fixed ones stand for. **Thread** any.
  List<Class<?>> kinds() {
    return codes.kinds();
  }

  /// The coroutine that runs, or 0. **Thread** any.
  long running() {
    return running; // safe: the loop is held, and does not write it
  }

  long since() {
    return since; // safe: as above
  }

  /// What the loop was when it ended; null: it has not, or the recording had ended before. After
  /// the end of the loop.
  @Nullable Final last() {
    return last;
  }

  // ---- who ----

  private static long number(Occupant coroutine) {
    return ((CoroutineNode<?>) coroutine).id();
  }

  /// The coroutine on whose stack this is; 0: the loop's own work, in a tick or on the trampoline.
  private long who() {
    if (tree.scheduler().isInTick()) {
      return 0;
    }
    if (running != 0) {
      return running;
    }
    ExecutionContext context = ExecutionContext.current(); // one that the JDK has resumed
    return context != null
            && context.host() == tree.scheduler()
            && context.occupant() instanceof CoroutineNode<?> node
        ? node.id()
        : 0;
  }

  private int awaited(Waker coroutine) {
    EventSource awaited = coroutine.firstAwaited();
    if (awaited == null) {
      return NONE;
    }
    if (coroutine.awaitsSeveral()) {
      return ONE_OF_SEVERAL;
    }
    return codes.of(awaited.kind());
  }

  // ---- switches ----

  @Override
  public void entered(Occupant coroutine) {
    running = number(coroutine);
    since = clock.beginning();
    leaving = 0;
  }

  @Override
  public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
    int why = inTheJdk ? WAITS_IN_JDK : yields ? YIELDS : awaited((Waker) coroutine);
    long who = number(coroutine);
    run(who, why);
    leaving = inTheJdk ? 0 : who;
  }

  private void run(long who, int why) {
    long now = clock.next();
    if (goesOn) {
      goesOn = false;
      ring.add(now, TraceKind.RUN_ON, why, who, since);
    } else {
      ring.add(now, TraceKind.RUN, why, who, since);
    }
    since = now;
    running = 0;
  }

  @Override
  public void stayed(Occupant coroutine) {
    goesOn = number(coroutine) == leaving;
  }

  // ---- the driver and the timers ----

  @Override
  public void sleeps() {
    since = clock.read();
    sleeping = true;
  }

  @Override
  public void polled(boolean slept, int notified) {
    wakesUp();
    if (notified > 0) {
      ring.add(clock.next(), TraceKind.IO, NONE, 0, notified);
    }
  }

  private void wakesUp() {
    if (sleeping) {
      sleeping = false;
      long now = clock.read();
      ring.add(now, TraceKind.SLEEP, NONE, 0, since);
      since = now;
    }
  }

  @Override
  public void expired(long deadline) {
    long late = tree.scheduler().nanoTime() - deadline;
    ring.add(clock.next(), TraceKind.TIMER, NONE, 0, Math.max(0, late));
  }

  // ---- wake-ups ----

  @Override
  public void woken(Occupant coroutine, WokenBy by) {
    wakesUp();
    int code =
        switch (by) {
          case EVENT -> awaited((Waker) coroutine);
          case DEADLINE -> BY_DEADLINE;
          case TOKEN -> BY_TOKEN;
          case INTERRUPT -> BY_INTERRUPT;
          case CANCELLATION -> BY_CANCELLATION;
        };
    ring.add(clock.next(), TraceKind.WAKE, code, number(coroutine), who());
  }

  @Override
  public void arrived(ExecutionContext context) {
    if (context.isActive() && context.occupant() instanceof CoroutineNode<?> node) {
      wakesUp();
      ring.add(clock.next(), TraceKind.WAKE, BY_THE_JDK, node.id(), who());
    }
  }

  @Override
  public void cancelled(Occupant coroutine) {
    wakesUp();
    ring.add(clock.next(), TraceKind.CANCEL, NONE, number(coroutine), who());
  }

  // ---- lives ----

  @Override
  public void spawned(CoroutineNode<?> coroutine) {
    coroutine.trace();
    wakesUp();
    ring.add(clock.next(), TraceKind.SPAWN, NONE, coroutine.id(), who());
  }

  @Override
  public void ended(Occupant coroutine, boolean ran) {
    CoroutineNode<?> node = (CoroutineNode<?>) coroutine;
    Throwable failure = node.failure();
    int how = failure == null ? RETURNED : failure instanceof Cancellation ? CANCELLED : FAILED;
    ring.addNamed(clock.next(), TraceKind.END, how, node.id(), 0, node.site());
    if (ran) {
      run(node.id(), ENDS);
    }
  }

  @Override
  public void loopEnds() {
    last = new Final(tree.counters(), System.nanoTime());
  }
}
