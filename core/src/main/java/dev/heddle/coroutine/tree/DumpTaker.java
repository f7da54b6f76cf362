// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.observe.Dump;
import dev.heddle.observe.ForeignWait;
import dev.heddle.observe.ScopeSnapshot;
import dev.heddle.observe.WaitSnapshot;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.LockOwners;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Takes a dump of a loop: reads the tree and every stack while nobody else can run.
///
/// On the loop only: on the trampoline, or on the stack of the coroutine that asks. From another
/// thread the tree would change under it, and a look at a suspended stack would make a resume fail.
final class DumpTaker {
  private final LoopRoot loop;
  private final @Nullable CoroutineNode<?> running = CoroutineNode.currentOrNull();
  private final Map<Thread, CoroutineNode<?>> byThread = new HashMap<>();

  private DumpTaker(LoopRoot loop) {
    this.loop = loop;
  }

  static Dump take(LoopRoot loop) {
    return new DumpTaker(loop).dump();
  }

  private Dump dump() {
    for (CoroutineNode<?> c : loop.coroutines()) {
      ExecutionContext context = c.context();
      if (context != null) {
        byThread.put(context.thread(), c);
      }
    }
    return new Dump(loop.options().name(), Instant.now(), scope(loop.root()));
  }

  private ScopeSnapshot scope(ScopeNode scope) {
    List<CoroutineSnapshot> members = scope.ownMembers().stream().map(this::coroutine).toList();
    return new ScopeSnapshot(scope.describe(), scope.isCancelled(), members);
  }

  private CoroutineSnapshot coroutine(CoroutineNode<?> c) {
    ExecutionContext context = c.context();
    List<StackTraceElement> stack =
        context == null ? List.of() : ProgramFrames.of(context.stackOnLoop());
    State state = state(c, context);
    boolean waits = state == State.WAITING || state == State.FOREIGN;
    return new CoroutineSnapshot(
        c.id(),
        c.givenName(),
        state,
        c.status().name(),
        c.isBackground(),
        c.isCancelled(),
        spawnSite(c, stack),
        ProgramFrames.site(stack),
        waits ? c.waited() : null,
        waits(c),
        state == State.FOREIGN && context != null ? foreign(context.thread(), stack) : null,
        state == State.READY ? c.wokenWith() : null,
        stack,
        c.openScopes().stream().map(this::scope).toList());
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

  // the class of a body is all that is known without exact sites; its first frame has the method
  private static String spawnSite(CoroutineNode<?> c, List<StackTraceElement> stack) {
    StackTraceElement root = ProgramFrames.root(stack);
    String site = c.spawnSite();
    return root != null && (c.isMain() || site.equals(root.getClassName()))
        ? root.getClassName() + "." + root.getMethodName()
        : site;
  }

  // ---- waits of the loop ----

  static List<WaitSnapshot> waits(CoroutineNode<?> c) {
    if (c.status() != WakerStatus.WAITING) {
      return List.of();
    }
    List<Event> fired = c.triggeredEvents();
    List<WaitSnapshot> found = new ArrayList<>();
    for (Event event : c.awaitedEvents()) {
      found.add(
          new WaitSnapshot(info(event), fired.contains(event), event.isHidden(), holders(event)));
    }
    return found;
  }

  // safe: an event may be a user's; a report must come all the same
  private static String info(Event event) {
    try {
      return event.info();
    } catch (RuntimeException e) {
      return "a " + event.getClass().getName() + " whose info() threw " + e.getClass().getName();
    }
  }

  private static List<Long> holders(Event event) {
    List<Long> found = new ArrayList<>();
    try {
      for (Awaitable<?> holder : event.holders()) {
        if (holder instanceof CoroutineNode<?> c) {
          found.add(c.id());
        }
      }
    } catch (RuntimeException _) {
      // safe: as for info(), which names the event
    }
    return found;
  }

  // ---- waits in the JDK ----

  private ForeignWait foreign(Thread thread, List<StackTraceElement> stack) {
    StackTraceElement called = ProgramFrames.calledInJdk(stack);
    Object blocker = LockSupport.getBlocker(thread);
    Thread owner = blocker == null ? null : LockOwners.ownerOf(blocker);
    CoroutineNode<?> holder = owner == null ? null : byThread.get(owner);
    return new ForeignWait(
        thread.getState(),
        called == null ? null : simple(called.getClassName()) + "." + called.getMethodName(),
        // its toString() may be anybody's code
        blocker == null ? null : named(blocker),
        holder != null ? holder.label() : owner == null ? null : "thread '" + owner.getName() + "'",
        holder == null ? null : holder.id());
  }

  private static String simple(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  private static String named(Object blocker) {
    return blocker.getClass().getName()
        + "@"
        + Integer.toHexString(System.identityHashCode(blocker));
  }
}
