// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.ContextPool;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;

/// Prefetches what the next mounts will touch: reads it for several contexts in a row, so that the
/// cache misses overlap.
///
/// **Thread** the carrier.
final class ContextPrefetcher {
  /*
   * With a thousand coroutines that each wait for I/O, none is in the cache when its turn comes. To
   * mount one, the carrier follows pointers from the context to its thread and its continuation;
   * each is a cache miss of about 70 ns. A processor overlaps many misses, but not across a switch:
   * each fence of the switch waits for all earlier reads. So the prefetch reads several contexts in
   * a row with nothing in between, which costs little more than one miss.
   *
   * The prefetch is a guess, and correctness does not depend on it: other coroutines may come
   * first, and a coroutine may run that was not prefetched. A loop with few coroutines keeps their
   * stacks in the cache; there a prefetch costs what it saves. With very many coroutines it costs
   * more than it saves, by measurement: a sixth of a switch of 100,000.
   *
   * Rejected. A prefetch when a coroutine is queued: the work of a completion lies in between, so
   * fewer misses overlap. Sixteen at a time: no better.
   */
  private static final int MANY = 256; // contexts; fewer stay in the cache with their stacks
  private static final int VERY_MANY = 32_768; // contexts; with 10,000 it costs what it saves
  private static final int ROW = 8; // about the misses that a core overlaps, with what each reads

  private final ReadyQueue ready;
  private final ContextPool contexts;
  private int near; // contexts already prefetched and still to come

  @SuppressWarnings("UnusedVariable") // the field keeps the compiler from removing the reads
  private int seen;

  ContextPrefetcher(ReadyQueue ready, ContextPool contexts) {
    this.ready = ready;
    this.contexts = contexts;
  }

  /// Called before the next entry is taken from the queue.
  void beforePoll() {
    int inUse = contexts.inUse();
    if (inUse >= MANY && inUse < VERY_MANY && --near <= 0) {
      near = prefetch();
    }
  }

  private int prefetch() {
    int sum = 0;
    int row = 0;
    while (row < ROW && ready.peekAhead(row) instanceof Occupant waiting) {
      ExecutionContext context = waiting.context();
      sum += context == null ? 0 : context.prefetch();
      row++;
    }
    seen += sum;
    return row;
  }
}
