// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.HeddleOptions;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.internal.Nanos;
import dev.heddle.observe.DumpPart;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SchedulerCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The scopes and coroutines of one loop: the root scope, shared state, and counts.
///
/// **Thread** the loop's.
public final class CoroutineTree {
  private final HeddleOptions options;
  private final Scheduler scheduler;
  private final Host host;
  private final @Nullable ClassLoader ordinaryLoader =
      Thread.currentThread().getContextClassLoader();
  private final ScopeNode root;

  // loop only
  private long ids;
  int liveCount; // coroutines that have not ended; ScopeLinks counts here
  int keepAliveCount; // of those: keep the loop alive
  boolean remainingCancelled; // because none kept the loop alive
  private @Nullable Registration overdueRemaining;
  private @Nullable CoroutineWatch watch; // null: no observer watches the loop
  private @Nullable CoroutineWatch tracing; // null: no trace of the loop is being recorded
  private @Nullable CoroutineWatch observer; // one of these, both, or null
  private final List<Supplier<DumpPart>> dumpParts = new ArrayList<>();
  private @Nullable BodySites lastSites;
  private @Nullable SpawnTrace lastSpawn;

  public CoroutineTree(HeddleOptions options, Scheduler scheduler, Host host) {
    SpawnSites.prepare();
    this.options = options;
    this.scheduler = scheduler;
    this.host = host;
    this.root = ScopeNode.root(this);
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  public HeddleOptions options() {
    return options;
  }

  public Host host() {
    return host;
  }

  public ScopeNode root() {
    return root;
  }

  public List<CoroutineNode<?>> coroutines() {
    return root.members();
  }

  public @Nullable ClassLoader ordinaryLoader() {
    return ordinaryLoader;
  }

  boolean isPastDeadline() {
    return host.isPastDeadline();
  }

  long nextId() {
    return ++ids;
  }

  /// The trace of a coroutine with a body of this class that the current one spawns; the same
  /// object as long as one coroutine spawns at one line.
  SpawnTrace spawned(Class<?> body) {
    BodySites sites = lastSites;
    if (sites == null || !sites.isOf(body)) {
      sites = BodySites.of(body);
      lastSites = sites;
    }
    Object line = sites.next(body);
    CoroutineNode<?> by = CoroutineNode.spawner();
    SpawnTrace trace = lastSpawn;
    if (trace == null || !trace.is(line, by == null ? SpawnTrace.NONE : by.id)) {
      trace = by == null ? SpawnTrace.of(line) : by.spawnsAt(line);
      lastSpawn = trace;
    }
    return trace;
  }

  // ---- counts ----

  /// Whether a coroutine has not ended.
  public boolean isAlive() {
    return liveCount > 0;
  }

  void memberLeft(boolean wasNeeded) {
    liveCount--;
    keepAliveReleased(wasNeeded ? 1 : 0);
    if (liveCount == 0) {
      reportOverdueRemaining(null);
      host.allHaveEnded();
    }
  }

  /// Subtracts coroutines that no longer keep the loop alive. When none does, the rest is
  /// cancelled.
  void keepAliveReleased(int released) {
    keepAliveCount -= released;
    if (keepAliveCount == 0 && !remainingCancelled) {
      remainingCancelled = true;
      root.cancelMembers(new Cancellation("everything else is done"));
      reportOverdueRemaining(liveCount == 0 ? null : host.reportOverdue(root));
    }
  }

  private void reportOverdueRemaining(@Nullable Registration report) {
    if (overdueRemaining != null) {
      overdueRemaining.close();
    }
    overdueRemaining = report;
  }

  public LoopCounters counters() {
    SchedulerCounters c = scheduler.counters();
    return new LoopCounters(
        c.mounts(),
        c.retriedMounts(),
        c.selfResumes(),
        c.reuses(),
        c.immediate(),
        scheduler.reactor().polls(),
        scheduler.reactor().sleeps(),
        scheduler.timers().size(),
        scheduler.contexts().created(),
        liveCount);
  }

  // ---- observers ----

  public @Nullable CoroutineWatch watch() {
    return watch;
  }

  public void setWatch(@Nullable CoroutineWatch with) {
    watch = with;
    observer = CoroutineWatch.both(watch, tracing);
  }

  /// Has `with` called of spawns and ends while a trace is recorded; null: none is any more.
  public void setTracing(@Nullable CoroutineWatch with) {
    tracing = with;
    observer = CoroutineWatch.both(watch, tracing);
  }

  /// What is to be called of spawns and ends; null: nothing, as nobody watches or records.
  public @Nullable CoroutineWatch observer() {
    return observer;
  }

  // ---- dumps ----

  /// Adds a part to the dumps of this loop, until the registration is closed.
  ///
  /// @param part called on the loop; must not suspend
  public Registration addDumpPart(Supplier<DumpPart> part) {
    dumpParts.add(part);
    return () -> dumpParts.remove(part);
  }

  public List<Supplier<DumpPart>> dumpParts() {
    return dumpParts;
  }

  // ---- time ----

  /// `delay` from now, by a fresh reading of the loop's clock.
  public long nanoTimeAfter(Duration delay) {
    return Nanos.after(scheduler.nanoTime(), delay);
  }

  /// An unarmed timer for `deadline`, on the scale of the loop's clock.
  public TimerEvent timer(long deadline) {
    return new TimerEvent(scheduler, scheduler.timers(), deadline, false);
  }

  /// A timer that neither keeps the loop alive nor counts against a deadlock. Else as [#timer].
  public TimerEvent daemonTimer(long deadline) {
    return new TimerEvent(scheduler, scheduler.timers(), deadline, true);
  }

  /// A daemon timer for `after` from now.
  public TimerEvent daemonTimer(Duration after) {
    return daemonTimer(nanoTimeAfter(after));
  }

  /// The interface through which a coroutine tree uses its loop. So the tree depends neither on the
  /// life cycle of a loop nor on its diagnostics, which both depend on the tree.
  ///
  /// **Thread** the loop's, unless a method says otherwise.
  public interface Host {
    boolean isStopping();

    /// Whether the shutdown deadline has passed: shields have no effect, and every wait throws.
    boolean isPastDeadline();

    /// Called when a coroutine is about to join the tree. Throws nothing but a stack overflow.
    void spawned(Coroutine<?> coroutine);

    void ended(Coroutine<?> coroutine);

    void allHaveEnded();

    /// Called when a member of the root scope failed, unobserved and unhandled.
    void rootFailed(Throwable failure);

    void failed(Throwable failure);

    /// Reports an unobserved failure. **Thread** any; never waits.
    void report(String what, @Nullable Throwable failure);

    void gracePeriodEnded(CancellableCoroutine late, Cancellation unheeded);

    /// Called when a coroutine, or the loop, begins to wait for the cancelled members of a scope:
    /// reports those that have not ended by the end of the grace period.
    ///
    /// @return to be closed when the wait is over
    Registration reportOverdue(ScopeNode scope);

    List<WaitSnapshot> waitsOf(CoroutineNode<?> coroutine);
  }
}
