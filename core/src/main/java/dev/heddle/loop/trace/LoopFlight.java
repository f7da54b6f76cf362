// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.source.EventSource;
import dev.heddle.loop.feed.KindNames;
import dev.heddle.loop.feed.LoopObserver;
import dev.heddle.observe.jfr.SwitchJfrEvents;
import dev.heddle.observe.jfr.SwitchJfrEvents.Lasting;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes what the coroutines of a loop do as events of a flight recording, while one has enabled
/// them.
///
/// A run begins when its coroutine enters. After a wait in the JDK nothing tells that, so it begins
/// when the run or the sleep before has ended.
///
/// **Thread** the loop's.
public final class LoopFlight implements LoopObserver {
  private final CoroutineTree tree;
  private final SwitchJfrEvents events;
  private final Map<Class<?>, String> kinds = new HashMap<>();

  private Lasting run; // the next one, or that of `running`
  private @Nullable CoroutineNode<?> running; // null: none, or one that the JDK has resumed
  private @Nullable Lasting sleep;

  private LoopFlight(CoroutineTree tree) {
    this.tree = tree;
    this.events = new SwitchJfrEvents(tree.options().name());
    this.run = events.runBegins();
  }

  /// Begins or ends it, as recordings want it. On the trampoline, or before the loop runs.
  public static void update(CoroutineTree tree, boolean wanted) {
    LoopFlight there = LoopObserver.find(LoopObserver.of(tree), LoopFlight.class);
    if (wanted && there == null) {
      LoopObserver.add(tree, new LoopFlight(tree));
    } else if (!wanted && there != null) {
      LoopObserver.remove(tree, there);
    }
  }

  private static CoroutineNode<?> node(Occupant coroutine) {
    return (CoroutineNode<?>) coroutine;
  }

  private String awaited(CoroutineNode<?> coroutine) {
    EventSource awaited = coroutine.firstAwaited();
    if (awaited == null) {
      return "something";
    }
    return coroutine.awaitsSeveral()
        ? "one of several"
        : kinds.computeIfAbsent(awaited.kind(), KindNames::of);
  }

  private long who() {
    if (tree.scheduler().isInTick()) {
      return 0;
    }
    if (running != null) {
      return running.id();
    }
    ExecutionContext context = ExecutionContext.current(); // one that the JDK has resumed
    return context != null
            && context.host() == tree.scheduler()
            && context.occupant() instanceof CoroutineNode<?> node
        ? node.id()
        : 0;
  }

  // ---- switches ----

  @Override
  public void entered(Occupant coroutine) {
    running = node(coroutine);
    run = events.runBegins();
  }

  @Override
  public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
    CoroutineNode<?> node = node(coroutine);
    runEnds(node, inTheJdk ? "waits in the JDK" : yields ? "yields" : "waits for " + awaited(node));
  }

  @Override
  public void ended(Occupant coroutine, boolean ran) {
    if (ran) {
      CoroutineNode<?> node = node(coroutine);
      Throwable failure = node.failure();
      runEnds(
          node,
          failure == null ? "returns" : failure instanceof Cancellation ? "is cancelled" : "fails");
    }
  }

  private void runEnds(CoroutineNode<?> coroutine, String then) {
    events.runEnds(run, coroutine.id(), coroutine.givenName(), then);
    run = events.runBegins();
    running = null;
  }

  // ---- wake-ups ----

  @Override
  public void woken(Occupant coroutine, WokenBy by) {
    CoroutineNode<?> node = node(coroutine);
    String waitedFor =
        switch (by) {
          case EVENT -> awaited(node);
          case DEADLINE -> "a deadline";
          case TOKEN -> "a token";
          case INTERRUPT -> "an interrupt";
          case CANCELLATION -> "a cancellation";
        };
    events.wokenUp(node.id(), node.givenName(), who(), waitedFor);
  }

  @Override
  public void arrived(ExecutionContext context) {
    if (context.isActive() && context.occupant() instanceof CoroutineNode<?> node) {
      events.wokenUp(node.id(), node.givenName(), who(), "the JDK");
    }
  }

  @Override
  public void cancelled(Occupant coroutine) {
    CoroutineNode<?> node = node(coroutine);
    events.cancelled(node.id(), node.givenName(), who());
  }

  // ---- the driver and the timers ----

  @Override
  public void sleeps() {
    sleep = events.sleepBegins();
  }

  @Override
  public void polled(boolean slept, int notified) {
    if (sleep != null) {
      events.sleepEnds(sleep);
      sleep = null;
      run = events.runBegins();
    }
    if (notified > 0) {
      events.ready(notified);
    }
  }

  @Override
  public void expired(long deadline) {
    events.timerExpired(Math.max(0, tree.scheduler().nanoTime() - deadline));
  }
}
