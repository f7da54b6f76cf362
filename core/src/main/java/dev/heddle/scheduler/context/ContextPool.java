// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The resting contexts of one loop: as many as the load of late has needed, never fewer than four.
///
/// Demand is the greatest number of contexts in use during the last two windows of 1,024 rests. A
/// context that would rest beyond it ends instead (a dropped one would stay reachable from the
/// JDK's thread container). Touched by the carrier and the coroutine mounted on it, only.
public final class ContextPool {
  private static final int LEAST = 4; // enough for a program that is mostly idle
  private static final int WINDOW =
      1_024; // rests; long enough to span a burst, short enough to forget one

  private final ContextHost host;
  private final Consumer<ExecutionContext> arrivals;
  private final boolean reuse;
  private final @Nullable ClassLoader loader;

  private ExecutionContext[] resting = new ExecutionContext[LEAST];
  private final List<ExecutionContext> kept = new ArrayList<>();
  private int size;
  private int inUse;
  private int peak;
  private int previousPeak;
  private int restsInWindow;
  private int excess;
  private long created;
  private boolean closed;

  /// An empty pool.
  ///
  /// @param arrivals what to do with a context that the JDK lets go on
  /// @param reuse false: every context serves one coroutine and ends
  public ContextPool(ContextHost host, Consumer<ExecutionContext> arrivals, boolean reuse) {
    this.host = host;
    this.arrivals = arrivals;
    this.reuse = reuse;
    this.loader = Thread.currentThread().getContextClassLoader();
    VirtualThreads.warmUp();
  }

  /// A context on which `guest` starts at the next mount.
  public ExecutionContext take(Hosted guest) {
    if (++inUse > peak) {
      peak = inUse;
    }
    ExecutionContext context;
    if (size > 0) {
      context = resting[--size];
      // safe: slots above `size` are never read; the element is kept alive by its own thread anyway
    } else {
      context = new ExecutionContext(this, null);
      created++;
    }
    context.admit(guest);
    return context;
  }

  /// A context beside the others, for guests of one kind: their keeper admits them. It ends when
  /// the keeper says so, or with the pool.
  public ExecutionContext keepFor(ContextKeeper keeper) {
    ExecutionContext context = new ExecutionContext(this, keeper);
    kept.add(context);
    return context;
  }

  /// Keeps `context` for a later guest.
  ///
  /// @return false when it is to end
  boolean rest(ExecutionContext context) {
    inUse--;
    if (!reuse || closed || size >= Math.max(LEAST, Math.max(peak, previousPeak))) {
      return false;
    }
    if (++restsInWindow == WINDOW) {
      restsInWindow = 0;
      previousPeak = peak;
      peak = inUse;
      shrink(Math.max(LEAST, Math.max(peak, previousPeak)));
    }
    if (size == resting.length) {
      resting = Arrays.copyOf(resting, size * 2);
    }
    resting[size++] = context;
    return true;
  }

  boolean isClosed() {
    return closed;
  }

  /// Whether a context serves another guest after its first.
  boolean reuses() {
    return reuse;
  }

  /// A context that was kept ends.
  void keptNoMore(ExecutionContext context) {
    kept.remove(context);
  }

  /// A context ends with its guest.
  void leave() {
    inUse--;
  }

  // nobody can be mounted from a coroutine's stack: the trampoline ends those above the limit
  private void shrink(int limit) {
    excess = Math.max(0, size + inUse - limit);
    if (excess > 0) {
      host.trimDue();
    }
  }

  /// Ends contexts that the load no longer needs. Carrier only, with nothing mounted.
  public void trim() {
    while (excess > 0 && size > LEAST) {
      excess--;
      end(resting[--size]);
    }
    excess = 0;
  }

  /// Ends every resting context, and every other as soon as its guest has ended. Carrier only.
  public void close() {
    closed = true;
    while (size > 0) {
      end(resting[--size]);
    }
    kept.stream().filter(ExecutionContext::isAtRest).forEach(this::end);
    kept.clear();
  }

  private void end(ExecutionContext context) {
    context.admit(null);
    while (!context.mount()) {
      // somebody looks at its stack this very moment
      Thread.onSpinWait();
    }
  }

  void arrived(ExecutionContext context) {
    arrivals.accept(context);
  }

  ContextHost host() {
    return host;
  }

  @Nullable ClassLoader loader() {
    return loader;
  }

  /// Contexts made so far.
  public long created() {
    return created;
  }

  /// Contexts at rest.
  public int size() {
    return size;
  }

  /// Contexts with a coroutine on them.
  public int inUse() {
    return inUse;
  }
}
