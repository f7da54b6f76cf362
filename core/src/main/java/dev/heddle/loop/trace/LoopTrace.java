// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.CoroutineWatch;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.observe.trace.TraceClock;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.Waker;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes what the coroutines of a loop do into a ring, from [#begin] to [#end].
final class LoopTrace implements SwitchTrace, CoroutineWatch {
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
   *          RUNNING   ended()                            OUTSIDE   the coroutine: END, RUN
   *
   * Threads. The loop's. `running` and `since` are also read by the observer's session when the
   * loop does not answer.
   *
   * I1. A RUN for each dispatch of a coroutine: mounts that were not refused, resumes without a
   *     switch and starts without one. [LoopTraceTest]
   * I2. END is the last entry but RUN that has a coroutine in it, so the names of those that have
   *     ended are lost with their last entries, and not before. [LoopTraceTest]
   * I3. Without a recording no coroutine calls this more than twice. [LoopTraceTest]
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
          "the JDK");
  static final int NONE = 0;
  static final int YIELDS = 1;
  static final int ENDS = 2;
  static final int WAITS_IN_JDK = 3;
  static final int BY_DEADLINE = 4;
  static final int BY_TOKEN = 5;
  static final int BY_INTERRUPT = 6;
  static final int BY_CANCELLATION = 7;
  static final int BY_THE_JDK = 8;

  static final int RETURNED = 0;
  static final int FAILED = 1;
  static final int CANCELLED = 2;

  private static final int MOST_CODES = 1 << 15;

  private final CoroutineTree tree;
  private final TraceRing ring;
  private final TraceClock clock;

  // loop only
  private final Map<Class<?>, Integer> codes = new HashMap<>();
  private final List<Class<?>> kinds = new ArrayList<>(); // their codes follow the fixed ones
  private @Nullable Class<?> lastKind;
  private int lastCode;
  private long sleeps;
  private boolean goesOn; // the coroutine that runs had been said to leave

  // loop; racy reads by the session
  private long running; // a coroutine's number; 0: none, or one that the JDK has resumed
  private long since; // when that began; else the end of the last run or sleep

  private LoopTrace(CoroutineTree tree, TraceRing ring, TraceTicks ticks) {
    this.tree = tree;
    this.ring = ring;
    this.clock = new TraceClock(ticks);
    this.since = clock.last();
    this.sleeps = tree.scheduler().reactor().sleeps();
  }

  /// Begins to record. On the trampoline.
  ///
  /// @throws IllegalStateException when a trace of this loop is being recorded already
  static LoopTrace begin(CoroutineTree tree, TraceRing into, TraceTicks ticks) {
    if (tree.scheduler().trace() != null) {
      throw new IllegalStateException(
          "another observer records a trace of the loop '" + tree.options().name() + "' just now");
    }
    LoopTrace trace = new LoopTrace(tree, into, ticks);
    tree.scheduler().setTrace(trace);
    tree.setTracing(trace);
    ScopeNode root = tree.root();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      s.forEachMember(Waker::trace);
    }
    return trace;
  }

  /// Ends the recording. On the trampoline.
  void end() {
    if (tree.scheduler().trace() == this) {
      tree.scheduler().setTrace(null);
      tree.setTracing(null);
    }
  }

  // ---- what has been recorded ----

  TraceRing ring() {
    return ring;
  }

  /// The classes that the codes after the fixed ones stand for. On the trampoline, or after its
  /// last entry.
  List<Class<?>> kinds() {
    return List.copyOf(kinds);
  }

  /// The coroutine that runs, or 0. **Thread** any.
  long running() {
    return running; // safe: the loop is held, and does not write it
  }

  long since() {
    return since; // safe: as above
  }

  // ---- who ----

  private static long number(Waker coroutine) {
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

  private int code(@Nullable EventSource awaited) {
    if (awaited == null) {
      return NONE;
    }
    Class<?> kind = awaited.kind();
    if (kind != lastKind) {
      lastCode = codes.computeIfAbsent(kind, this::newCode);
      lastKind = kind;
    }
    return lastCode;
  }

  private int newCode(Class<?> kind) {
    if (kinds.size() == MOST_CODES) {
      return NONE;
    }
    kinds.add(kind);
    return FIXED_CODES.size() + kinds.size() - 1;
  }

  // ---- switches ----

  @Override
  public void entered(Waker coroutine) {
    running = number(coroutine);
    since = clock.last();
  }

  @Override
  public void left(Waker coroutine, boolean inTheJdk, boolean yields) {
    int why = inTheJdk ? WAITS_IN_JDK : yields ? YIELDS : code(coroutine.firstAwaited());
    run(number(coroutine), why);
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
  public void stayed(Waker coroutine) {
    goesOn = true;
  }

  @Override
  public void slept() {
    long before = sleeps;
    sleeps = tree.scheduler().reactor().sleeps();
    if (sleeps != before) { // else something had arrived before it slept
      long now = clock.read();
      ring.add(now, TraceKind.SLEEP, NONE, 0, since);
      since = now;
    }
  }

  // ---- wake-ups ----

  @Override
  public void woken(Waker coroutine, WokenBy by) {
    int code =
        switch (by) {
          case EVENT -> code(coroutine.firstAwaited());
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
      ring.add(clock.next(), TraceKind.WAKE, BY_THE_JDK, node.id(), who());
    }
  }

  @Override
  public void cancelled(Waker coroutine) {
    ring.add(clock.next(), TraceKind.CANCEL, NONE, number(coroutine), who());
  }

  // ---- lives ----

  @Override
  public void spawned(CoroutineNode<?> coroutine) {
    coroutine.trace();
    ring.add(clock.next(), TraceKind.SPAWN, NONE, coroutine.id(), who());
  }

  @Override
  public void left(CoroutineNode<?> coroutine) {
    // of the watch only
  }

  @Override
  public void ended(CoroutineNode<?> coroutine) {
    // see ended(Waker, boolean), which comes later: what an end wakes is before it
  }

  @Override
  public void ended(Waker coroutine, boolean ran) {
    CoroutineNode<?> node = (CoroutineNode<?>) coroutine;
    Throwable failure = node.failure();
    int how = failure == null ? RETURNED : failure instanceof Cancellation ? CANCELLED : FAILED;
    ring.addNamed(clock.next(), TraceKind.END, how, node.id(), 0, node.site());
    if (ran) {
      run(node.id(), ENDS);
    }
  }
}
