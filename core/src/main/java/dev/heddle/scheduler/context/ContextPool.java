// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.context.ExecutionContext.Host;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The idle contexts of one loop: as many as its recent load has needed, and at least four.
///
/// The need is the greatest number of contexts in use during the last two windows of 1,024
/// releases. A context that is released beyond it ends (one that was only dropped would stay
/// reachable from the JDK's thread container). Used by the carrier and the coroutine mounted on it
/// only.
public final class ContextPool {
  private static final int MIN_SIZE = 4; // enough for a program that is mostly idle
  private static final int WINDOW = 1_024; // releases; spans a burst, and forgets it

  final Host host;
  final Consumer<ExecutionContext> arrivals;
  final boolean reuse;
  final @Nullable ClassLoader loader;

  private ExecutionContext[] idle = new ExecutionContext[MIN_SIZE];
  private final List<ExecutionContext> reserved = new ArrayList<>();
  private int size;
  private int inUse;
  private int peak;
  private int previousPeak;
  private int releasesInWindow;
  private int excess;
  private long created;
  boolean closed;

  // the carrier writes, any thread reads
  private volatile boolean dropped;

  /// An empty pool.
  ///
  /// @param arrivals called with a context that the JDK has resumed
  /// @param reuse false: every context runs one coroutine and ends
  public ContextPool(Host host, Consumer<ExecutionContext> arrivals, boolean reuse) {
    this.host = host;
    this.arrivals = arrivals;
    this.reuse = reuse;
    this.loader = Thread.currentThread().getContextClassLoader();
    VirtualThreads.warmUp();
  }

  /// A context on which the given occupant starts at the next mount.
  public ExecutionContext acquire(Occupant occupant) {
    if (++inUse > peak) {
      peak = inUse;
    }
    ExecutionContext context;
    if (size > 0) {
      context = idle[--size];
      // safe: slots above `size` are never read; the element is kept alive by its own thread anyway
    } else {
      context = new ExecutionContext(this, null);
      created++;
    }
    context.admit(occupant);
    return context;
  }

  /// A context outside the pool, reserved for occupants of one kind, which their owner admits. It
  /// ends when the owner ends it, or with the pool.
  public ExecutionContext reserveFor(ContextOwner keeper) {
    ExecutionContext context = new ExecutionContext(this, keeper);
    reserved.add(context);
    return context;
  }

  /// Keeps `context` for a later occupant.
  ///
  /// @return false when the context is to end
  boolean release(ExecutionContext context) {
    inUse--;
    if (!reuse || closed || size >= Math.max(MIN_SIZE, Math.max(peak, previousPeak))) {
      return false;
    }
    if (++releasesInWindow == WINDOW) {
      releasesInWindow = 0;
      previousPeak = peak;
      peak = inUse;
      shrink(Math.max(MIN_SIZE, Math.max(peak, previousPeak)));
    }
    if (size == idle.length) {
      idle = Arrays.copyOf(idle, size * 2);
    }
    idle[size++] = context;
    return true;
  }

  void unreserve(ExecutionContext context) {
    reserved.remove(context);
  }

  void onContextEnded() {
    inUse--;
  }

  // a coroutine cannot mount another context: the trampoline ends those beyond the limit
  private void shrink(int limit) {
    excess = Math.max(0, size + inUse - limit);
    if (excess > 0) {
      host.trimDue();
    }
  }

  /// Ends contexts that the load no longer needs. Called by the carrier, with nothing mounted.
  public void trim() {
    while (excess > 0 && size > MIN_SIZE) {
      excess--;
      end(idle[--size]);
    }
    excess = 0;
  }

  /// Ends every idle context, and every other as soon as its occupant has ended. Carrier only.
  public void close() {
    closed = true;
    while (size > 0) {
      end(idle[--size]);
    }
    reserved.stream().filter(ExecutionContext::isIdle).forEach(this::end);
    reserved.clear();
  }

  /// Drops every idle context and every reserved one: none runs again. Carrier only.
  ///
  /// @param step runs a step, after whose failure the next one follows
  public void drop(Consumer<Runnable> step) {
    dropped = true;
    closed = true;
    while (size > 0) {
      step.accept(idle[--size]::drop);
    }
    reserved.forEach(context -> step.accept(context::drop));
    reserved.clear();
  }

  /// Whether none of its contexts runs again. **Thread** any.
  public boolean isDropped() {
    return dropped;
  }

  private void end(ExecutionContext context) {
    context.admit(null);
    while (!context.mount()) {
      // another thread is reading its stack at this moment
      Thread.onSpinWait();
    }
  }

  /// The number of contexts created so far.
  public long created() {
    return created;
  }

  public int size() {
    return size;
  }

  /// The number of contexts with a coroutine on them.
  public int inUse() {
    return inUse;
  }
}
