// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
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

/// What a loop closes when its coroutines have ended: the youngest first.
public final class Closers {
  /*
   * One coroutine walks over the closers. When one of them suspends in its close(), the others
   * must not wait for it: a LEAVE handler, which sees the suspension, starts a coroutine of high
   * priority that walks on from there; the first one then only finishes its current closer. A
   * closer that the JDK parks shows no LEAVE: the scheduler reports it. So every closer begins
   * when the one registered after it has ended or waits. As many coroutines are made as closers
   * wait, plus one.
   *
   *   walk 1   close(c) ......... suspends ─────────────────────────> returns, ends
   *   walk 2                      └ close(b), close(a) ... ends
   *
   * A closer that is registered during the walk is closed by it, or by a new walk when all have
   * ended.
   *
   * Past the shutdown deadline. Walks that hang are insisted on like any other coroutine. Closers
   * that no walk has come to by then are called all the same, on a last walk, whose waits hold
   * until the grace period is over.
   *
   * Threads. The loop's.
   *
   * I1. Every closer that was not taken back is called exactly once, unless the loop ends at once.
   *     [CloserTest]
   * I2. What a closer throws keeps no other from being called; all of it is thrown at the end.
   *     [CloserTest]
   *
   * Sources. Promise T12; loop-285.
   */
  private final CoroutineTree tree;

  // loop only
  private final SequencedSet<Closer> remaining = new LinkedHashSet<>(); // the youngest last
  private final List<CloserPass> walks = new ArrayList<>();
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

    // a class, and no toString(): that is anybody's code
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

  /// Starts to call them.
  void startPass() {
    CloserPass closerPass = new CloserPass(pastDeadline);
    walks.add(closerPass);
    closerPass.coroutine.setHighPriority();
    closerPass.coroutine.addSwitchHandler(closerPass);
    tree.root().admit(closerPass.coroutine);
  }

  /// Walks that hang are about to be cut.
  void pastDeadline() {
    pastDeadline = true;
    for (CloserPass closerPass : walks) {
      if (closerPass.at != null) {
        late.add(closerPass.at);
      }
    }
    if (hasRemaining()) {
      startPass();
    }
  }

  /// Whether one of them may still end by itself, past the deadline.
  boolean mayWait() {
    for (CloserPass closerPass : walks) {
      if (closerPass.isLast) {
        return true;
      }
    }
    return false;
  }

  /// The JDK has parked a coroutine.
  void parked(Coroutine<?> coroutine) {
    for (CloserPass closerPass : List.copyOf(walks)) {
      if (closerPass.coroutine == coroutine) {
        closerPass.handOver();
      }
    }
  }

  /// One way over what is left, until somebody else takes it on.
  private final class CloserPass implements Action, SwitchHandler {
    final CoroutineNode<?> coroutine = tree.root().newInternal("closers", this);
    final boolean isLast; // made past the deadline
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
          walks.remove(this);
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
        failures.add(failure); // else that it was late is what is to be said of it
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

  // ---- what is said at the end ----

  /// What they have thrown; null: nothing.
  @Nullable Throwable failure() {
    return switch (failures.size()) {
      case 0 -> null;
      case 1 -> CoroutineException.of(failures.getFirst());
      default -> new CompositeException(failures.size() + " closers failed", failures);
    };
  }

  /// Those that did not return by the deadline, or were not called, in words; empty: none.
  String describeOverdue() {
    StringBuilder words = new StringBuilder();
    for (CloserPass closerPass : walks) {
      if (closerPass.isLast && closerPass.at != null) {
        late.add(closerPass.at);
      }
    }
    late.forEach(closer -> words.append("\ncloser ").append(closer).append(" had not returned"));
    remaining.forEach(closer -> words.append("\ncloser ").append(closer).append(" was not called"));
    return words.toString();
  }
}
