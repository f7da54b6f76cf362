// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ProgramFrames;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.loop.feed.TrampolineCall;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.observe.Dump;
import dev.heddle.observe.ForeignWait;
import dev.heddle.observe.ScopeSnapshot;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.observe.spi.DumpParts;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.LockOwners;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Takes a dump of a loop: reads the tree and all stacks while no coroutine can run.
///
/// On the loop only: on the trampoline, or on the stack of the requesting coroutine. Read from
/// another thread, the tree would change meanwhile, and reading a suspended stack would make a
/// resume fail.
///
/// Reports of an ending loop have the stacks of the first [#MAX_STACKS] coroutines only: no
/// coroutine runs meanwhile, and a deadlocked program with a million coroutines must proceed to
/// their clean-up.
public final class DumpTaker {
  /// The maximum of stacks in reports of an ending loop: more than one reads, and at 15 µs each a
  /// pause of 15 ms. A million stacks took 16 s and more, in which no coroutine could clean up.
  static final int MAX_STACKS = 1_000;

  private static final Comparator<CoroutineNode<?>> BY_NUMBER =
      Comparator.comparingLong(CoroutineNode::id);

  private final CoroutineTree tree;
  private final int stacks; // maximum
  private final @Nullable CoroutineNode<?> running = CoroutineNode.currentOrNull();
  private final Map<Long, CoroutineNode<?>> byThread = new HashMap<>();
  private final IdentityHashMap<ScopeNode, Integer> numbers = new IdentityHashMap<>();
  // one for all waiters of an event: its info() may be as long as the number of its waiters
  private final IdentityHashMap<EventSource, WaitSnapshot> unfired = new IdentityHashMap<>();
  private final MonitorOwners monitorOwners;

  private DumpTaker(CoroutineTree tree, MonitorOwners monitorOwners, int stacks) {
    this.tree = tree;
    this.monitorOwners = monitorOwners;
    this.stacks = stacks;
  }

  public static Dump take(CoroutineTree tree) {
    return take(tree, MonitorOwners.UNKNOWN);
  }

  /// The request of another thread for a dump. **Thread** any.
  ///
  /// @return only for waiting: dependents would run on the carrier
  public static CompletableFuture<Dump> request(CoroutineTree tree) {
    return TrampolineCall.post(tree, answer -> answer.complete(take(tree)));
  }

  /// The same, of one coroutine; the dump is empty if it is not there.
  static CompletableFuture<Dump> request(CoroutineTree tree, long id) {
    return TrampolineCall.post(
        tree,
        answer ->
            answer.complete(
                takeOnly(tree, tree.coroutines().stream().filter(c -> c.id() == id).toList())));
  }

  static Dump take(CoroutineTree tree, MonitorOwners monitorOwners) {
    return new DumpTaker(tree, monitorOwners, Integer.MAX_VALUE).dump();
  }

  /// Every coroutine with its waits; the first [#MAX_STACKS] with their stacks.
  public static Dump takeForDeadlock(CoroutineTree tree) {
    return new DumpTaker(tree, MonitorOwners.UNKNOWN, MAX_STACKS).dump();
  }

  /// The first [#MAX_STACKS] of `all`, by number, and their scopes.
  static Dump takeFirst(CoroutineTree tree, List<CoroutineNode<?>> all) {
    return new DumpTaker(tree, MonitorOwners.UNKNOWN, MAX_STACKS).dumpOfFirst(all);
  }

  /// Only some of its coroutines, as if all were in the root.
  public static Dump takeOnly(CoroutineTree tree, List<CoroutineNode<?>> some) {
    return new DumpTaker(tree, MonitorOwners.UNKNOWN, Integer.MAX_VALUE).dumpOf(some);
  }

  private Dump dumpOf(List<CoroutineNode<?>> some) {
    List<CoroutineNode<?>> found = new ArrayList<>();
    List<ScopeSnapshot> root = List.of(scope(tree.root()));
    some.forEach(c -> meet(c, found));
    return new Dump(tree.options().name(), Instant.now(), root, snapshots(found));
  }

  private Dump dumpOfFirst(List<CoroutineNode<?>> all) {
    List<CoroutineNode<?>> met = new ArrayList<>(all.size());
    all.forEach(c -> meet(c, met)); // all: a listed one may wait for an unlisted one
    met.sort(BY_NUMBER);
    List<CoroutineNode<?>> first = met.subList(0, Math.min(met.size(), MAX_STACKS));
    ScopeNode root = tree.root();
    Set<ScopeNode> around = Collections.newSetFromMap(new IdentityHashMap<>());
    around.add(root);
    for (CoroutineNode<?> c : first) {
      for (ScopeNode s = c.memberOf(); s != null && around.add(s); s = s.parent()) {}
    }
    List<ScopeSnapshot> scopes = new ArrayList<>();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      if (around.contains(s)) {
        scopes.add(scope(s));
      }
    }
    return new Dump(tree.options().name(), Instant.now(), List.copyOf(scopes), snapshots(first));
  }

  private Dump dump() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    List<ScopeSnapshot> scopes = new ArrayList<>();
    ScopeNode root = tree.root();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      scopes.add(scope(s));
      s.ownMembers().forEach(member -> meet(member, found));
    }
    found.sort(BY_NUMBER);
    return new Dump(
        tree.options().name(),
        Instant.now(),
        List.copyOf(scopes),
        snapshots(found),
        tree.dumpParts().stream().map(DumpParts::take).toList());
  }

  private List<CoroutineSnapshot> snapshots(List<CoroutineNode<?>> found) {
    List<CoroutineSnapshot> snapshots = new ArrayList<>(found.size());
    for (CoroutineNode<?> c : found) {
      ExecutionContext context = snapshots.size() < stacks ? c.context() : null;
      snapshots.add(
          coroutine(c, context == null ? List.of() : ProgramFrames.of(context.stackOnLoop())));
    }
    return Collections.unmodifiableList(snapshots);
  }

  private ScopeSnapshot scope(ScopeNode scope) {
    int number = numbers.size();
    numbers.put(scope, number);
    Integer parent = scope.parent() == null ? null : numbers.get(scope.parent());
    Long owner = scope.owner() == null ? null : (Long) scope.owner().id();
    return new ScopeSnapshot(number, scope.describe(), scope.isCancelled(), parent, owner);
  }

  private void meet(CoroutineNode<?> coroutine, List<CoroutineNode<?>> found) {
    found.add(coroutine);
    ExecutionContext context = coroutine.context();
    if (context != null) {
      byThread.put(context.thread().threadId(), coroutine);
    }
  }

  private CoroutineSnapshot coroutine(CoroutineNode<?> c, List<StackTraceElement> stack) {
    ExecutionContext context = c.context();
    State state = state(c, context);
    boolean waits = state == State.WAITING || state == State.FOREIGN;
    return new CoroutineSnapshot(
        c.id(),
        c.givenName(),
        numbers.getOrDefault(c.memberOf(), 0),
        state,
        c.status().name(),
        c.isBackground(),
        c.isCancelled(),
        spawnSite(c, stack),
        ProgramFrames.site(stack),
        waits ? c.waited() : null,
        waitsOf(c),
        state == State.FOREIGN && context != null ? foreign(context.thread(), stack) : null,
        state == State.READY ? c.wokenWith() : null,
        stack);
  }

  private State state(CoroutineNode<?> c, @Nullable ExecutionContext context) {
    if (!c.isStarted() || context == null) {
      return State.NEW;
    }
    if (c == running) {
      return State.RUNNING;
    }
    WakerStatus status = c.status();
    if (status == WakerStatus.WAITING) {
      return State.WAITING;
    }
    boolean runnable = context.thread().getState() == Thread.State.RUNNABLE;
    return status == WakerStatus.NO_STATUS && !runnable ? State.FOREIGN : State.READY;
  }

  // of work of another thread only the class is known; its first frame adds the method
  private static String spawnSite(CoroutineNode<?> c, List<StackTraceElement> stack) {
    StackTraceElement root = ProgramFrames.root(stack);
    String site = c.spawnSite();
    return root != null && (c.isMain() || site.equals(root.getClassName()))
        ? root.getClassName() + "." + root.getMethodName()
        : site;
  }

  // ---- waits of the loop ----

  public static List<WaitSnapshot> waits(CoroutineNode<?> c) {
    return new DumpTaker(c.tree(), MonitorOwners.UNKNOWN, 0).waitsOf(c);
  }

  private List<WaitSnapshot> waitsOf(CoroutineNode<?> c) {
    if (c.status() != WakerStatus.WAITING) {
      return List.of();
    }
    Set<EventSource> fired = Collections.newSetFromMap(new IdentityHashMap<>());
    fired.addAll(c.triggeredEvents());
    List<WaitSnapshot> found = new ArrayList<>();
    for (EventSource event : c.awaitedEvents()) {
      found.add(
          fired.contains(event)
              ? wait(event, true)
              : unfired.computeIfAbsent(event, e -> wait(e, false)));
    }
    return found;
  }

  private static WaitSnapshot wait(EventSource event, boolean fired) {
    return new WaitSnapshot(info(event), fired, event.isDaemon(), holders(event));
  }

  // safe: info() may be user code, which must not prevent a report
  private static String info(EventSource event) {
    try {
      return event.info();
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      return "a " + event.getClass().getName() + " whose info() threw " + e.getClass().getName();
    }
  }

  private static List<Long> holders(EventSource event) {
    List<Long> found = new ArrayList<>();
    try {
      for (Awaitable<?> holder : event.holders()) {
        if (holder instanceof CoroutineNode<?> c) {
          found.add(c.id());
        }
      }
    } catch (Throwable e) {
      // safe: as for info(), which names the event
      FailureTable.throwIfFatal(e);
    }
    return found;
  }

  // ---- waits in the JDK ----

  private ForeignWait foreign(Thread thread, List<StackTraceElement> stack) {
    Thread.State state = thread.getState();
    StackTraceElement called = ProgramFrames.calledInJdk(stack);
    Object parkedFor = LockSupport.getBlocker(thread);
    Thread locker = parkedFor == null ? null : LockOwners.ownerOf(parkedFor);
    String blocker = parkedFor == null ? null : AwaitedLock.named(parkedFor);
    Long owner = locker == null ? null : (Long) locker.threadId();
    if (state == Thread.State.BLOCKED) {
      Object monitor = monitorOwners.awaitedBy(thread);
      blocker = monitor == null ? null : AwaitedLock.named(monitor);
      owner = monitor == null ? null : monitorOwners.holderOf(monitor);
    }
    CoroutineNode<?> holder = owner == null ? null : byThread.get(owner);
    return new ForeignWait(
        state,
        called == null ? null : simple(called.getClassName()) + "." + called.getMethodName(),
        blocker,
        holder != null ? holder.label() : owner == null ? null : name(owner, locker),
        holder == null ? null : holder.id());
  }

  private String name(long thread, @Nullable Thread known) {
    String name = known == null ? monitorOwners.nameOf(thread) : known.getName();
    return name == null || name.isEmpty() ? "thread " + thread : "thread '" + name + "'";
  }

  private static String simple(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }
}
