// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.LoopEndedException;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.Interruptions;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.failure.FailureTable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// The resources that a loop closes when its coroutines have ended: the last registered first.
public final class Closers {
  /*
   * One coroutine makes a pass over the closers. If one of them suspends in its close(), the others
   * must not wait for it. A LEAVE handler, which sees the suspension, starts a coroutine of high
   * priority that continues the pass from there; the first coroutine then only finishes its current
   * closer. A closer that the JDK parks shows no LEAVE; the scheduler reports it. So every closer
   * begins when the one registered after it has ended or waits. The number of coroutines is that of
   * the waiting closers, plus one.
   *
   *   pass 1   close(c) ......... suspends ─────────────────────────> returns, ends
   *   pass 2                      └ close(b), close(a) ... ends
   *
   * A closer that is registered during the pass is closed by it, or by a new pass when all have
   * ended.
   *
   * Past the shutdown deadline. Passes that hang are force-cancelled like any other coroutine.
   * Closers that no pass has reached by then are called in a last pass, whose waits are allowed
   * until the grace period is over.
   *
   * Threads. The loop's.
   *
   * I1. Every closer whose registration was not closed is called exactly once, unless the loop ends
   *     at once. [CloserTest]
   * I2. A closer that throws does not prevent the calls of the others; all failures are thrown at
   *     the end. [CloserTest]
   *
   * Sources. Promise T12; loop-285.
   */
  private final CoroutineTree tree;

  // loop only
  private final SequencedSet<Closer> remaining = new LinkedHashSet<>(); // in order of registration
  private final List<CloserPass> passes = new ArrayList<>();
  private final List<Closer> late = new ArrayList<>(); // had not returned by the deadline
  private final List<Throwable> failures = new ArrayList<>();
  private boolean pastDeadline;

  Closers(CoroutineTree tree) {
    this.tree = tree;
  }

  /// Compared by identity: the same object may be registered twice.
  private static final class Closer {
    final @Nullable String name;
    final AutoCloseable resource;

    Closer(@Nullable String name, AutoCloseable resource) {
      this.name = name;
      this.resource = Objects.requireNonNull(resource, "closer");
    }

    // the class and not toString(), which is user code
    @Override
    public String toString() {
      return name == null ? resource.getClass().getName() : "'" + name + "'";
    }
  }

  /// Closes `resource` at the end.
  ///
  /// @param name for reports; null: its class
  /// @throws LoopEndedException past the shutdown deadline
  public Registration add(@Nullable String name, AutoCloseable resource) {
    tree.scheduler().checkOnLoop();
    Closer added = new Closer(name, resource);
    if (pastDeadline) {
      throw new LoopEndedException(
          "closer " + added + " came past the shutdown deadline; close it here");
    }
    remaining.add(added);
    return () -> unregister(added);
  }

  private void unregister(Closer closer) {
    if (!tree.scheduler().hasEnded()) {
      tree.scheduler().checkOnLoop();
      remaining.remove(closer);
    }
  }

  boolean hasRemaining() {
    return !remaining.isEmpty();
  }

  void startPass() {
    CloserPass closerPass = new CloserPass(pastDeadline);
    passes.add(closerPass);
    closerPass.coroutine.setHighPriority();
    closerPass.coroutine.addSwitchHandler(closerPass);
    tree.root().admit(closerPass.coroutine);
  }

  /// Called when the passes that hang have just been force-cancelled.
  void pastDeadline() {
    pastDeadline = true;
    for (CloserPass closerPass : passes) {
      if (closerPass.at != null) {
        late.add(closerPass.at);
      }
    }
    if (hasRemaining()) {
      startPass();
    }
  }

  /// Whether one of them may still end by itself after the deadline.
  boolean mayWait() {
    for (CloserPass closerPass : passes) {
      if (closerPass.isLast) {
        return true;
      }
    }
    return false;
  }

  void parked(Coroutine<?> coroutine) {
    for (CloserPass closerPass : List.copyOf(passes)) {
      if (closerPass.coroutine == coroutine) {
        closerPass.handOver();
      }
    }
  }

  /// One pass over the remaining closers, until another one continues it.
  private final class CloserPass implements Action, SwitchHandler {
    final CoroutineNode<?> coroutine = tree.root().newInternal("closers", this);
    final boolean isLast; // started past the deadline
    private boolean handedOver;
    @Nullable Closer at;

    CloserPass(boolean isLast) {
      this.isLast = isLast;
    }

    @Override
    public void run() {
      try {
        while (!handedOver && hasRemaining()) {
          close(remaining.removeLast());
        }
      } finally {
        if (!tree.scheduler().hasEnded()) {
          passes.remove(this);
        }
      }
    }

    private void close(Closer closer) {
      at = closer;
      try {
        closer.resource.close();
      } catch (Throwable e) {
        failed(closer, e);
      }
      at = null;
    }

    private void failed(Closer closer, Throwable failure) {
      FailureTable.throwIfFatal(failure);
      boolean cut = failure instanceof Cancellation || Interruptions.isInterrupt(failure);
      Throwable carried = cut ? Precedence.carriedBy(failure) : null;
      if (carried != null) {
        failures.add(carried);
      } else if (!cut || !late.contains(closer)) {
        failures.add(failure); // a late closer is reported as late instead
      }
    }

    @Override
    public boolean onSwitch(Coroutine<?> self, Switch kind) {
      if (kind == Switch.LEAVE) {
        handOver();
      }
      return !handedOver;
    }

    private void handOver() {
      if (!handedOver) {
        handedOver = true;
        if (hasRemaining()) {
          startPass();
        }
      }
    }
  }

  // ---- reports at the end ----

  @Nullable Throwable failure() {
    return failures.isEmpty()
        ? null
        : CoroutineException.of(Precedence.composite(failures, "closers"));
  }

  /// Describes the closers that did not return by the deadline or were not called; empty: none.
  String describeOverdue() {
    StringBuilder words = new StringBuilder();
    for (CloserPass closerPass : passes) {
      if (closerPass.isLast && closerPass.at != null) {
        late.add(closerPass.at);
      }
    }
    late.forEach(closer -> words.append("\ncloser ").append(closer).append(" had not returned"));
    remaining.forEach(closer -> words.append("\ncloser ").append(closer).append(" was not called"));
    return words.toString();
  }
}
