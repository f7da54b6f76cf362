// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.ContextPool;
import dev.heddle.scheduler.context.ExecutionContext;

/// Looks at what the next mounts will touch, for several at a time, so that the processor fetches
/// it for all of them at once.
///
/// **Thread** the carrier.
final class Foresight {
  /*
   * With a thousand coroutines that each wait for I/O nothing of one is in the cache when its turn comes, and to mount it leads from object
   * to object: context, thread, continuation, each a miss of 70 ns or so. A processor has many misses under way at once, but
   * not across a switch: each of its fences waits for all that was read before. So the looks are made in a row of their own,
   * with nothing between them: then they cost little more than one.
   *
   * It is a guess, and nothing depends on it: others may come first, or somebody may run who was not looked at. Where there are few
   * coroutines their stacks stay in the cache, and a look costs what it is to save.
   *
   * Rejected. A look when a coroutine is queued: in between there is all that a completion does, so fewer are under way at once. Sixteen at a
   * time: no better.
   */
  private static final int MANY = 256; // contexts; fewer stay in the cache, with their stacks
  private static final int ROW = 8; // about as many as a core's misses, with what each leads to

  private final ReadyQueue ready;
  private final ContextPool contexts;
  private int near; // of those that come next, so many were looked at

  @SuppressWarnings("UnusedVariable") // what nobody uses the compiler does not read
  private int seen;

  Foresight(ReadyQueue ready, ContextPool contexts) {
    this.ready = ready;
    this.contexts = contexts;
  }

  /// The next one is about to be taken from the queue.
  void beforeNext() {
    if (contexts.inUse() >= MANY && --near <= 0) {
      near = look();
    }
  }

  private int look() {
    int sum = 0;
    int row = 0;
    while (row < ROW && ready.guess(row) instanceof Waker waker) {
      ExecutionContext context = waker.context();
      sum += context == null ? 0 : context.look();
      row++;
    }
    seen += sum;
    return row;
  }
}
