// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import org.jspecify.annotations.Nullable;

/// Runs a task when a loop has ended without one of its coroutines: so that others learn of it.
///
/// The task is user code, which may wait. So it gets a virtual thread.
final class Abandonment implements InlineCallback {
  private final LoopRuntime loop;
  private final String name;
  private final Runnable task;

  private Abandonment(LoopRuntime loop, String name, Runnable task) {
    this.loop = loop;
    this.name = name;
    this.task = task;
  }

  /// Runs `task` if the loop ends without `coroutine`. **Thread** the loop's.
  static void watch(LoopRuntime loop, Coroutine<?> coroutine, String name, Runnable task) {
    EventSource.of(coroutine).subscribe(new Abandonment(loop, name, task));
  }

  /// Its outcome is no business of this one: a failure stays unobserved.
  @Override
  public boolean accepts() {
    return false;
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    if (!loop.scheduler().hasEnded()) {
      return; // it has ended by itself
    }
    try {
      var _ =
          Thread.ofVirtual()
              .inheritInheritableThreadLocals(false)
              .name("abandoned-" + name)
              .start(task);
    } catch (OutOfMemoryError _) {
      task.run(); // what waits for it matters more
    }
  }
}
